/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report_entries.h - the rows of a report: samples of one event, summed by the keys of their row.
 *
 * A row is identified by a root, the values of the sample keys (command, thread, CPU, fields), and a
 * place, the values of the frame keys (file, function, line). With callers, a stack adds to the row of
 * each of its frames, but only once per row, even if the row occurs several times on the stack.
 */
#ifndef REPORT_REPORT_ENTRIES_H
#define REPORT_REPORT_ENTRIES_H

#include "util/profile/stack_weights.h"
#include "util/report/report_keys.h"
#include "util/report/report_places.h"
#include "util/report/sample_values.h"

/*
 * report_entries_samples.c: the samples of one event, counted by the values of keys and by stack.
 *
 * The values of the keys that a sample has are its root (report_keys.h), counted on a root is the
 * node of its stack (stack_weights.h). A sample costs two look-ups of numbers.
 */

struct report_samples {
	const struct report_keys *keys;
	struct sample_values *key_values; /* bound to these keys */
	struct stack_tree *stacks;
	bool chains;     /* of stacks, not the sampled address alone */
	VEC(u64) values; /* of the keys, keys->nr_sample for each root */
	u32 nr_roots;
	struct hmap by_value;
	VEC(u32) next_root;
	u32 last_root;
	/*
	 * top: the frame of the sampled address, STACK_CUT if it has none. node: of its stack, 0
	 * where chains are not looked at.
	 */
	struct stack_weights weights;
	struct stack_weights modes;  /* likewise; node: enum report_mode. Where some column asks */
	VEC(u32) threads;            /* whose sample was the first, for each of them */
	u64 all_samples, all_weight; /* those too that no row counts */
	u64 all_cpu;                 /* likewise, as they were recorded */
};

void report_samples_init(struct report_samples *r, const struct report_keys *keys,
			 struct stack_tree *stacks, struct sample_values *key_values, bool chains);
/* The root of values, keys->nr_sample of them; ID_NONE when memory is out. */
u32 report_samples_root(struct report_samples *r, const u64 *values);
/* Count a sample; `shown` false: for the totals alone. */
int report_samples_add(struct report_samples *r, const struct session_sample *s, bool shown,
		       struct err *err);
void report_samples_free(struct report_samples *r);

/* report_entries.c: rows made of the counted samples. */

struct report_entry {
	u32 root, place;
	u64 samples, weight;         /* whose sampled frame is in this row */
	u64 all_samples, all_weight; /* including callees; 0 without callers */
	/* among rows of one thread with the same all_weight, the lower rank sorts first */
	u32 thread;
	s32 rank;
	u32 modes; /* in report_entries.modes, + 1; 0: no weight of any */
};

/* A row's weight by CPU mode. */
struct report_modes {
	u64 weight[REPORT_NR_MODES];
};

/* The values for numeric columns. */
struct report_numbers {
	u64 samples, weight;
	u64 all_samples, all_weight; /* including callees; 0 without callers */
	struct report_modes modes;
};

struct report_entries {
	VEC(struct report_entry) v; /* in order of first sight; report_order_sort() sorts them */
	VEC(struct report_modes) modes;
	u64 samples, weight; /* of all samples */
	bool unresolved;     /* the first sample of some row has no symbol */
};

/* Build the rows from the counted samples. */
int report_entries_make(struct report_entries *e, struct report_samples *s,
			struct report_places *places, bool callers, struct err *err);
struct report_numbers report_entries_numbers(const struct report_entries *e,
					     const struct report_entry *row);
void report_entries_free(struct report_entries *e);

#endif
