/* SPDX-License-Identifier: GPL-2.0 */
/*
 * count_table.h - samples counted by keys (count_table_keys.c), with what is known of one number of each (--of).
 *
 *	count_table_init() -> count_table_add() ... -> count_view (count_view.h) -> a text (count_text.h)
 *	-> count_table_reset() -> the next interval
 *
 * A sample of known keys costs one look-up and no allocation. Memory is bounded: samples of keys for which
 * there is no row left are counted in `others`. Sums are exact; so are quantiles and histograms as long as
 * `rounded` and `unkept` of the values (histogram.h) are 0.
 */
#ifndef REPORT_COUNT_TABLE_H
#define REPORT_COUNT_TABLE_H

#include "util/report/count_stacks.h"
#include "util/report/histogram.h"
#include "util/report/report_places.h"
#include "util/report/sample_values.h"

/*
 * count_table_keys.c: the keys by which samples are counted (--by), and the number that is added up (--of).
 *
 * Keys have the plain names of sample_keys.h; "kstack:5" is the innermost 5 frames of the kernel's call chain, and
 * FIELD.function, of a field that is an address of code, the function alone. Two steps, since call chains have to be asked
 * for before the events are known:
 *
 *	count_keys_parse() -> kernel_chains, user_chains, count_keys_need() -> the events are opened, or the recording is
 *	-> count_keys_bind(), which checks the fields -> a table (count_table.h)
 */

#define COUNT_KEYS_MAX     16
#define COUNT_SHAPES       ((COUNT_KEYS_MAX + 7) / 8)
#define COUNT_TIME_QUANTUM 100000000ull /* of the key time, in ns */

struct count_keys {
	struct sample_key v[COUNT_KEYS_MAX], of; /* of.kind: KEY_FIELD or KEY_PERIOD */
	u32 nr;
	bool has_of;
	bool of_signed;  /* after binding: values are s64, else u64 */
	char of_unit[8]; /* after binding: "ns", as the print fmt has it; "": it says none */
	const char *
		other; /* before parsing: keys "waker.KEY" are of another sample; NULL: there is none */
	bool repeats;          /* before parsing: a key may be named twice */
	const bool *fields_of; /* before binding: as in sample_values.h, the caller's */
	const char *whose;
	bool kernel_chains, user_chains; /* which call chains the keys need */
	struct session *session;         /* the caller's, after binding */
	u32 nr_events;
	struct sample_values values; /* after binding */
	struct field_reader *ofs;    /* by event; kind FIELD_READER_NONE: it has none */
	struct arena arena;
};

/*
 * Take the lists of --by and --of apart (NULL: not given) into the zeroed *k. Words that are no key are taken for fields;
 * of rarely used keys, a field of the event has precedence. -EINVAL with a hint.
 */
int count_keys_parse(struct count_keys *k, const char *by, const char *of, struct err *err);
/*
 * Find the fields in the events of a session that was prepared. A field that no event
 * has is -EINVAL, with what it may have meant or what there is.
 */
int count_keys_bind(struct count_keys *k, struct session *s, struct err *err);

/* Add what has to be recorded for the keys; known before binding. */
void count_keys_need(const struct count_keys *k, struct sample_needs *needs);

/* What a key is; before binding, a field that is also the name of a rarely used key may be that. */
enum sample_key_kind count_keys_may_be(const struct sample_key *key);

/* What of a sample is looked at; before binding: may be. */
struct count_keys_use {
	bool raw;
	bool ip;        /* the sampled address, or the call chain */
	bool functions; /* the name of any function */
	bool branches;  /* a sample counts once for each of its branches */
};
struct count_keys_use count_keys_use(const struct count_keys *k);

void count_keys_free(struct count_keys *k); /* also after a failure */

/* count_table.c: the table. */

#define COUNT_ROWS_DEFAULT   100000u
#define COUNT_VALUES_DEFAULT 1000000u

/* What is made of the number that --of names. */
enum count_what {
	COUNT_NUMBER,    /* nothing: samples are counted */
	COUNT_SUM,       /* sum, mean, least, most */
	COUNT_LOG2,      /* that, and a histogram by powers of two */
	COUNT_LINEAR,    /* by steps of the same size */
	COUNT_QUANTILES, /* that, and quantiles */
};

struct count_options {
	enum count_what what;
	u32 max_rows;   /* 0: COUNT_ROWS_DEFAULT */
	u32 max_values; /* distinct ones that are counted, of all rows; 0: COUNT_VALUES_DEFAULT */
	u64 from, to, step; /* the range of a linear histogram; step 0: by what comes */
	bool negative;      /* `from` is an s64 below 0, and so may be `to` */
};

/* What follows --hist=: "log2", "linear", "linear:0:64K:4K". -EINVAL. */
int count_table_parse_hist(const char *text, struct count_options *o, struct err *err);

struct count_sum {
	u64 nr;   /* samples */
	u64 with; /* of them, such as have the number that --of names */
	u64 least,
		most; /* of that number: s64 or u64 as count_keys.of_signed says; unset if `with` is 0 */
	__int128 sum;
};

struct count_row {
	struct count_sum sum;
	u64 words[]; /* COUNT_SHAPES + keys->nr: shapes, a byte for each key, then its value */
};

struct count_slot {
	u32 hash;
	u32 row; /* + 1, 0: free */
};

struct count_table {
	struct count_keys *keys;
	struct count_options options;
	u8 *rows; /* of `stride` bytes each: struct count_row */
	size_t stride;
	u32 nr, room;
	struct count_slot *slots;
	u32 mask;
	struct count_sum others; /* what no row was left for */
	u64 clipped; /* values that are too large to be s64, as those of another event are; taken for 2^63 - 1 */
	struct count_values values;
	struct stack_tree tree;
	struct count_stacks stacks[COUNT_KEYS_MAX];
	struct report_places places; /* functions, files */
	bool uses_tree, has_tree;
	bool forgets;                      /* frames got other numbers since the last reset */
	struct session_holder holder;      /* of frames */
	bool by_branch;                    /* a sample counts once for each of its branches */
	const struct session_sample *code; /* whose stack counts; NULL: that of the sample */
};

/* The keys are bound, and stay the caller's, as does their session. -EINVAL of a bad range. */
int count_table_init(struct count_table *t, struct count_keys *keys, const struct count_options *o,
		     struct err *err);
/* Count a sample of any event of the session. -ENOMEM. */
int count_table_add(struct count_table *t, const struct session_sample *s, struct err *err);
/* The same, if all keys are of the sample alone: its thread, CPU, event and fields, but no functions of addresses. */
int count_table_add_bare(struct count_table *t, u32 event, const struct sample *s, struct err *err);
/*
 * What the keys are of a sample, as the words of a row: COUNT_SHAPES + keys->nr of them. No row is made. -ENOMEM.
 */
int count_table_words(struct count_table *t, const struct session_sample *s, u64 *words,
		      struct err *err);
/*
 * Count many samples at once, of which s is one: `sum` is what there is of them. Of COUNT_LOG2, buckets[0..nr) are how many are
 * in those of the numbers `first`, ...: count_log2_of(). With neither --quantiles nor --hist=linear. -ENOMEM.
 */
int count_table_add_sum(struct count_table *t, const struct session_sample *s,
			const struct count_sum *sum, const u64 *buckets, u32 nr, s32 first,
			struct err *err);
/*
 * For who counts a number of his own instead of a field, with keys of --of "period": the row of a sample, made if new,
 * COUNT_ROW_OTHERS if there is no room for it; then numbers in that row. Stacks and functions are those of `code`, the same
 * sample as it came.
 */
int count_table_find_row(struct count_table *t, const struct session_sample *s,
			 const struct session_sample *code, u32 *row, struct err *err);
/*
 * Keys of another sample than that of the row (sample_key.other), such as who ended it: what they are of a sample, then *row
 * becomes the one whose other keys are these. Until then they have no value. After count_table_reset() *o is of no use.
 */
struct count_other {
	u64 words[COUNT_KEYS_MAX];
};
int count_table_other(struct count_table *t, const struct session_sample *s, struct count_other *o,
		      struct err *err);
int count_table_change_row(struct count_table *t, const struct count_other *o, u32 *row,
			   struct err *err);
/* The same for a key that is a label: *row becomes the one that has this value of it. */
int count_table_put_label(struct count_table *t, u32 key, u64 label, u32 *row, struct err *err);
int count_table_add_number(struct count_table *t, u32 row, u64 number, struct err *err);
/* A sample without a number. */
void count_table_add_none(struct count_table *t, u32 row);
/* Begin anew with the rows that there are; all are empty. */
void count_table_empty(struct count_table *t);
/*
 * Forget rows: those whose keep[row], table.nr of them, is 0. The others get new numbers, which replace what was there; of those
 * that are forgotten it is COUNT_ROW_OTHERS, and what they counted is in `others`. Numbers by which values are spread are cleared.
 */
void count_table_keep(struct count_table *t, u32 *keep);
/* Are so many texts or stacks known that count_table_reset() would forget them? */
bool count_table_is_large(const struct count_table *t);
/* Begin anew: no rows, no totals. Texts, functions and stacks that are known may stay so. */
void count_table_reset(struct count_table *t);
void count_table_free(struct count_table *t); /* also after a failure, and a zeroed one */

/* Of all rows and `others`, since the last reset. */
struct count_sum count_table_total(const struct count_table *t);
/* Add b to a, both of the table. */
void count_table_join(const struct count_table *t, struct count_sum *a, const struct count_sum *b);

static inline const struct count_row *count_table_row(const struct count_table *t, u32 row)
{
	return (const struct count_row *)(t->rows + row * t->stride);
}

/* The shape + 1 of a field's value, 0: the row has none (or the key is no field). Of a key of another sample: 1, or it has none. */
static inline u32 count_table_shape_number(const struct count_row *r, u32 key)
{
	return r->words[key / 8] >> (key % 8 * 8) & 0xff;
}

/* NULL: it has none. */
static inline const struct sample_shape *count_table_shape(const struct count_table *t,
							   const struct count_row *r, u32 key)
{
	u32 shape = count_table_shape_number(r, key);

	return shape ? &t->keys->values.shapes.v[shape - 1] : NULL;
}

#endif
