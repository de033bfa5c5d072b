/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perflite_internal.h - what the pages of perflite.h share.
 */
#ifndef LIBRARY_PERFLITE_INTERNAL_H
#define LIBRARY_PERFLITE_INTERNAL_H

#include "util/base/arena.h"
#include "util/library/drops.h"
#include "util/library/latency.h"
#include "util/library/perflite.h"
#include "util/library/watching.h"
#include "util/report/count_table.h"

/*
 * perflite_field.c: one value of each sample, by its name: a number, or a text that is made once for each value.
 *
 *	perflite_field_init() -> perflite_field_read() of a sample -> _number() or _text_of() -> perflite_field_free()
 *	perflite_field_of() a table -> perflite_field_row() of a row of it -> ...
 */

enum perflite_source {
	PERFLITE_OF_KEY, /* what perf-lite count can count by */
	PERFLITE_OF_TIME,
	PERFLITE_OF_PERIOD,
	PERFLITE_OF_ADDRESS,
	PERFLITE_OF_DATA_ADDRESS,
};

struct perflite_field {
	enum perflite_source source;
	uint32_t type; /* enum perflite_type */
	struct count_keys keys;
	struct count_table table;     /* without rows: it makes values of samples */
	const struct count_table *of; /* that, or one whose rows have the key */
	u32 key;
	VEC(struct hmap) by_shape; /* value -> its number in `texts` */
	struct strtab texts;
	struct buf one;
	const struct count_row *row; /* the last value's */
	_Alignas(struct count_row)
		u64 words[sizeof(struct count_row) / sizeof(u64) + COUNT_SHAPES + 1];
	bool has;
};

int perflite_field_init(struct perflite_field *f, struct perflite *p, const char *name,
			struct err *err);
int perflite_field_read(struct perflite_field *f, const struct session_sample *s, struct err *err);
/* A key of a table, which stays the caller's. */
void perflite_field_of(struct perflite_field *f, const struct count_table *t, u32 key);
void perflite_field_row(struct perflite_field *f, const struct count_row *row);
/* False: it has none, or is no number. */
bool perflite_field_number(const struct perflite_field *f, u64 *number);
/* The number of its text in f->texts; ID_NONE: it has none, or memory is out: f->one.failed. */
u32 perflite_field_text_of(struct perflite_field *f);
void perflite_field_free(struct perflite_field *f);

/* perflite_table.c: columns that are filled row by row. */

struct perflite_filling {
	struct perflite_column column; /* the first member */
	struct buf values, valid;
	bool missing; /* some value */
	u32 *of_text; /* by number in a field's texts: its number here + 1 */
	u32 nr_of_text;
	VEC(const char *) texts;
};

struct perflite_table {
	u32 refs; /* its owner, and Arrow's structs */
	u64 rows;
	u32 nr;
	struct perflite_filling *columns;
	struct arena arena; /* names and texts */
	bool has_account;   /* it is of perflite_latency() */
	struct perflite_account account;
	bool has_drops; /* it is of perflite_drops() */
	struct perflite_drops_account drops;
};

/* A table of nr columns. NULL: memory is out. */
struct perflite_table *perflite_table_new(u32 nr);
/* Name a column. False: memory is out, as below. */
bool perflite_table_name(struct perflite_table *t, u32 column, const char *name, uint32_t type);
/* The value of the next row. */
bool perflite_table_put(struct perflite_table *t, u32 column, struct perflite_field *f);
/* Likewise a text, NULL: it is missing; `texts` is of this column alone. */
bool perflite_table_put_text(struct perflite_table *t, u32 column, struct strtab *texts,
			     const char *text);
bool perflite_table_put_number(struct perflite_table *t, u32 column, u64 number);
bool perflite_table_put_value(struct perflite_table *t, u32 column, bool there, u64 number);
/* All rows are there. */
void perflite_table_finish(struct perflite_table *t);

/* perflite_keys.c: the keys of the rows of a table, as columns. */

struct perflite_keys {
	const struct count_table *table;
	struct perflite_field *v;
	u32 nr;
};

/* False: memory is out, as below; perflite_keys_free() in any case. */
bool perflite_keys_init(struct perflite_keys *k, const struct count_table *t);
/* The first columns. */
bool perflite_keys_name(const struct perflite_keys *k, struct perflite_table *out);
bool perflite_keys_put(struct perflite_keys *k, struct perflite_table *out,
		       const struct count_row *row);
void perflite_keys_free(struct perflite_keys *k);

/* perflite.c */

struct perflite_asked {
	bool no_stacks, no_fields;
	const char *latency, *drops; /* NULL: not given */
};

/* What the options of these names opened events for; NULL: not given, or a recording is read. */
struct perflite_watched {
	struct latency *latency;
	struct drops_table *drops;
};

struct perflite {
	struct watching watching; /* also of a recording: its `in` */
	/* A page which the kernel clears in children of fork(2): they share the events and the file, but have neither rings nor threads. */
	const bool *mine;
	bool live, started, ended;
	struct err error; /* what failed; code 0: nothing */
	bool no_memory; /* ... where no error could be given: the next function that reads fails */
	struct perflite_asked asked;
	struct perflite_watched watched;
	volatile sig_atomic_t stop;
	struct arena arena;
	struct strtab texts;          /* that are given out, escaped */
	struct session_sample sample; /* the last one */
	bool sampled;                 /* there is one */
	bool held;                    /* it is to be given next: a loss came before it */
	struct perflite_item item;
	struct perflite_losses *losses;
	VEC(struct perflite_field *) fields;
	struct perflite_frames *frames;
	struct buf notes;
};

static inline struct reading *perflite_reading(struct perflite *p)
{
	return &p->watching.in;
}
static inline const struct recording *perflite_recording(const struct perflite *p)
{
	return p->watching.in.s->source->recording;
}

/* Is there a last sample, of this process? */
static inline bool perflite_has_sample(const struct perflite *p)
{
	return p->sampled && *p->mine;
}

/* Begin p->item: of the task, CPU and time of `ids`, NULL: of none. */
struct perflite_item *perflite_new_item(struct perflite *p, enum perflite_kind kind,
					const struct rec_ids *ids);
/* An escaped copy that stays until the close; NULL: memory is out. */
const char *perflite_keep_text(struct perflite *p, const char *text);
/* The err as callers have it; returns its -code. */
int perflite_give_error(const struct perflite *p, const struct err *err,
			struct perflite_error *error);
/* Do samples come with what the bound keys are made of? */
int perflite_has_parts(const struct perflite *p, const struct count_keys *keys, struct err *err);
/* Begin to read, if that has not been done: the events of what runs now are enabled. */
int perflite_start(struct perflite *p, struct err *err);
/* SESSION_SAMPLE: *s; SESSION_RECORD: of the session; SESSION_WAIT; 0 at the end; <0. */
int perflite_step_or_wait(struct perflite *p, struct session_sample *s, struct err *err);
/* Likewise, but SESSION_WAIT. For those who pass over everything else. */
int perflite_step(struct perflite *p, struct session_sample *s, struct err *err);
/* The next sample: 1, 0 at the end, <0. */
int perflite_next_sample(struct perflite *p, struct session_sample *s, struct err *err);

/*
 * perflite_options.c: set the options of `words`. They keep their values as they are: copies of them live as long as *p, or the
 * arena.
 */
int perflite_options_put(const struct opt *rows, void *base, struct arena *arena,
			 const char *const *words, struct err *err);
int perflite_options_set(struct perflite *p, const char *const *words, struct err *err);

/* perflite_losses.c: what is missing, as items. */
struct perflite_losses *perflite_losses_new(void);
/* Of a file, before it is read. */
int perflite_losses_open(struct perflite *p, struct err *err);
/* The next loss that is known and began before that time; UINT64_MAX: at the end, the rest, and damage. False: there is none. */
bool perflite_losses_next(struct perflite *p, u64 before);
/* A record of a session that is no sample: an item, if it is one. */
bool perflite_losses_record(struct perflite *p, const struct session_record *r);
/*
 * The recording, to be looked at, with the losses of the file that were given, at the end with all: reading may not have
 * come to their blocks, or the option `limit` has ended it before.
 */
struct recording perflite_losses_recording(const struct perflite *p);
void perflite_losses_free(struct perflite_losses *l);

/* perflite_latency.c: the option `latency`: ask for its events. */
int perflite_latency_watch(struct perflite *p, bool command, struct err *err);
void perflite_latency_free(struct perflite *p);

/* perflite_drops.c: the option `drops`: ask for its events. */
int perflite_drops_watch(struct perflite *p, struct err *err);
void perflite_drops_free(struct perflite *p);

/* perflite_frames.c */
void perflite_frames_free(struct perflite_frames *f);

#endif
