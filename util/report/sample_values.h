/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sample_values.h - the values of keys (sample_keys.h): numbers to count by, compare and print.
 *
 *	sample_values_init() -> sample_values_bind(), once the events are known -> sample_values_get() of each sample
 *	-> sample_values_compare(), sample_values_put(), sample_values_json() of the numbers -> sample_values_free()
 *
 * A value is a u64, the same for the same thing, in a session: an id of a task or CPU, what the sample holds, or the
 * number of a text. Of a field it is what the field holds, together with a shape, which says how it is
 * printed: values of different shapes are different things. Stacks and frames have values of their own (count_stacks.h,
 * report_places.h).
 */
#ifndef REPORT_SAMPLE_VALUES_H
#define REPORT_SAMPLE_VALUES_H

#include <regex.h>

#include "util/base/arena.h"
#include "util/file/cpu_places.h"
#include "util/profile/frame.h"
#include "util/profile/trace_text.h"
#include "util/report/field_reader.h"
#include "util/report/sample_keys.h"
#include "util/tracepoint/tp_field_format.h"
#include "util/tracepoint/tp_names.h"

/* KEY_COMM of a thread without a name: this and its number. */
#define SAMPLE_COMM_UNKNOWN (1ull << 32)

#define SAMPLE_SHAPES_MAX 255

/* Fields of several events with the same type and the same names for their values have one shape. */
struct sample_shape {
	u32 key;
	u32 event;                /* the first that has it */
	struct field_reader take; /* from that event */
	struct tp_name_list names;
	struct tp_field_format format; /* how print fmt shows it; .prog NULL: as it is */
	struct tp_prog *namer;         /* prints the name of a value; NULL: it has none */
};

/* How a field is taken out of the raw data of one event. */
struct sample_take {
	struct field_reader field;
	u8 shape; /* number + 1 in sample_values.shapes; 0: the event has no such field */
};

/* A value of a field with its shape, for callers that keep one number for each key. */
struct sample_field_value {
	u64 value;
	u32 shape, next;
};

/* How values are made; sample_values_init() sets the usual. */
struct sample_values_options {
	u64 time_quantum;      /* of KEY_TIME, in ns; 0: the time itself */
	const regex_t *parent; /* of KEY_PARENT; NULL: nothing is a parent */
	bool outermost;        /* of several that match */
	const char *missing;   /* printed where the sample has no such thing: "-" */
	bool numbers_events;   /* NAME#2: the second event of that name; else it is called NAME */
	bool minus_cpu;        /* but a CPU or socket that is not known is -1: perf */
	const bool *fields_of; /* by event: may its fields be keys? NULL: those of all may */
	const char *whose; /* ... what events these are, for the message: "at which spans begin" */
};

struct sample_values {
	struct session *session;
	const struct sample_key *keys; /* after binding: the caller's */
	u32 nr;
	/* the caller's, set after sample_values_init() */
	struct sample_values_options options;
	const char *const
		*given; /* of KEY_TEXT, by key: of the next sample, escaped; NULL: it has none */
	const char *const *labels; /* of KEY_LABEL, by value; as they are printed */
	/* the branch that the next value is of; NULL: it is of a sample */
	const struct perf_branch_entry *branch;
	/* what follows is kept up by the functions below */
	struct trace_text text;
	struct sample_take *takes; /* by event and key */
	VEC(struct sample_shape) shapes;
	struct strtab bytes; /* of fields that are strings or arrays */
	struct strtab texts; /* of rare keys, escaped */
	VEC(struct sample_field_value) fields;
	struct hmap by_field;
	struct cpu_places cpus;
	struct frame_list frames;
	struct buf one, raw;
};

int sample_values_init(struct sample_values *v, struct session *s, struct err *err);
/*
 * Find the fields of keys in the events of a session that was prepared. KEY_FIELD keys with an EVENT get `event` and
 * `field`, from `arena`. -EINVAL with what it may have meant or what there is: a field that no event has (`perf`: the
 * names are perf's, see sample_keys.h), or a key of what samples do not hold.
 */
int sample_values_bind(struct sample_values *v, struct sample_key *keys, u32 nr, bool perf,
		       struct arena *arena, struct err *err);
void sample_values_free(struct sample_values *v); /* a zeroed one, too */

/* The field of an event, if it is of that name (`of`: and the event, NULL: any); NULL. */
const struct tp_field *sample_values_find_field(const struct sample_values *v, u32 event,
						const char *of, const char *name);
/* key->field, or key->name if that is NULL, is FIELD or EVENT.FIELD: take it apart. *found: an event has it. -ENOMEM. */
int sample_values_split_field(const struct sample_values *v, struct sample_key *key,
			      struct arena *arena, bool *found, struct err *err);
/* Offer all fields for a misspelt one, and list them: "reason, protocol". */
void sample_values_suggest_fields(const struct sample_values *v, struct text_suggest *suggest,
				  struct buf *all);

/* Of an event and a key. */
static inline const struct sample_take *sample_values_take(const struct sample_values *v, u32 event,
							   u32 key)
{
	return &v->takes[(size_t)event * v->nr + key];
}

/*
 * The value of any key but those of stacks and frames; of a field, a number in v->fields. False when memory is
 * out.
 */
bool sample_values_get(struct sample_values *v, u32 key, const struct session_sample *s,
		       u64 *value);
/*
 * The number of the string or array of a field. `known`: no new ones are taken up, *value is ID_NONE for such.
 * False: out of memory. A record that is too short gives shape 0.
 */
bool sample_values_bytes(struct sample_values *v, const struct sample_take *take,
			 const struct sample *s, bool known, u64 *value, u8 *shape);

/*
 * Order: numbers by value, texts by their bytes, what is missing last. Fields: also of different shapes (0: missing).
 */
int sample_values_compare(const struct sample_values *v, u32 key, u64 a, u64 b);
int sample_values_compare_field(const struct sample_values *v, u64 a, u32 shape_a, u64 b,
				u32 shape_b);

/* Append a value as text, escaped. */
void sample_values_put(struct sample_values *v, u32 key, u64 value, struct buf *out);
void sample_values_put_field(struct sample_values *v, u32 shape, u64 value, struct buf *out);
/* Are all values of the key numbers, which belong at the right end of a column? */
bool sample_values_is_number(const struct sample_values *v, u32 key);
/*
 * Append a value as JSON: a number, a string, null; {"value":2,"name":"NO_SOCKET"} of a field with names;
 * {"value":"0xffffffff81c0a1b2","name":"tcp_v4_rcv+0x1b2"} of an address of code.
 */
void sample_values_json(struct sample_values *v, u32 key, u64 value, struct buf *out);
void sample_values_json_field(struct sample_values *v, u32 shape, u64 value, struct buf *out);

/* 1: some function of the sample's call chain is a parent; 0; -ENOMEM. */
int sample_values_has_parent(struct sample_values *v, const struct session_sample *s,
			     struct err *err);

#endif
