/* SPDX-License-Identifier: GPL-2.0 */
/*
 * count_keys.h - what counted samples are told apart by (--by), and which number of theirs is added up (--of).
 *
 *	comm, pid, tid, cpu, event	who, where, what
 *	cgroup				the control group of the task
 *	kstack, ustack, stack		the call chain: the kernel's half, the user's, both;
 *					"kstack:5": its innermost 5 frames
 *	sym, dso			the function and the file that the sample stood in
 *	FIELD, EVENT.FIELD		a field of tracepoints; of this one alone
 *	FIELD.function			of a field that is an address of code: the function alone
 *
 * Two steps, since call chains have to be asked for before the events are known:
 *
 *	count_keys_parse() -> kernel_chains, user_chains -> the events are opened, or the recording is
 *	-> count_keys_bind(), which checks the fields -> a table (count_table.h)
 *
 * A sample becomes words: one for each key, a number or the number of a text, and before them
 * one whose byte K says what the word of key K is of: a shape. Words of different shapes never
 * stand for the same.
 */
#ifndef REPORT_COUNT_KEYS_H
#define REPORT_COUNT_KEYS_H

#include "util/base/arena.h"
#include "util/base/err.h"
#include "util/base/vec.h"
#include "util/profile/session.h"
#include "util/report/count_field.h"

#define COUNT_KEYS_MAX 8

enum count_kind {
	COUNT_COMM,
	COUNT_PID,
	COUNT_TID,
	COUNT_CPU,
	COUNT_EVENT,
	COUNT_CGROUP,
	COUNT_KSTACK,
	COUNT_USTACK,
	COUNT_STACK,
	COUNT_SYM,
	COUNT_DSO,
	COUNT_FIELD,
	COUNT_PERIOD, /* of --of alone */
};

static inline bool count_kind_is_stack(enum count_kind k)
{
	return k >= COUNT_KSTACK && k <= COUNT_STACK;
}

struct count_key {
	enum count_kind kind;
	const char *name;  /* as it was asked for: "kstack:5", "kfree_skb.reason" */
	const char *event; /* of a field, after binding: of this event alone; NULL: of all */
	const char *field; /* likewise, its name */
	bool function;     /* likewise: the function of an address alone */
	u32 depth;         /* of stacks: so many frames, 0: all */
};

/*
 * What the word of a key stands for, where that is not the same for all: shape 0 is nothing (the event has no such
 * field, the record is too short), shape i + 1 is shapes.v[i]. Fields of several events with the same type and
 * the same names for their values have one shape.
 */
struct count_shape {
	u32 key;
	u32 event;               /* the first that has it */
	struct count_field take; /* from that event */
};

/* How a field is taken out of the raw data of one event. */
struct count_take {
	struct count_field field;
	u8 shape; /* 0: the event has no such field */
};

struct count_keys {
	struct count_key v[COUNT_KEYS_MAX], of;
	u32 nr;
	bool has_of;
	bool of_signed;  /* after binding: values are s64, else u64 */
	char of_unit[8]; /* after binding: "ns", as the print fmt has it; "": it says none */
	bool kernel_chains, user_chains; /* which call chains the keys need */
	bool cgroups;                    /* samples must tell their control groups */
	struct count_shape_list {
		struct count_shape *v;
		u32 nr, cap;
	} shapes;
	struct session *session; /* the caller's, after binding */
	u32 nr_events;
	struct count_take *takes; /* by event and key */
	struct count_field *ofs;  /* by event; kind COUNT_FIELD_NONE: it has none */
	struct arena arena;
};

/*
 * Take the lists of --by and --of apart (NULL: not given) into the zeroed *k. Words that are no key are taken for fields.
 * -EINVAL with a hint.
 */
int count_keys_parse(struct count_keys *k, const char *by, const char *of, struct err *err);
/*
 * Find the fields in the events of a session that was prepared. A field that no event
 * has is -EINVAL, with what it may have meant or what there is.
 */
int count_keys_bind(struct count_keys *k, struct session *s, struct err *err);

/* After binding: do the keys need neither call chain nor process model, but the sample alone? */
bool count_keys_bare(const struct count_keys *k);
/* After binding: is raw data looked at; the sampled address or the call chain; the name of any function? */
bool count_keys_use_raw(const struct count_keys *k);
bool count_keys_use_ip(const struct count_keys *k);
bool count_keys_use_functions(const struct count_keys *k);

void count_keys_free(struct count_keys *k); /* also after a failure */

#endif
