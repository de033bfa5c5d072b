/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report_entries.h - the rows of a report: samples of one event, summed by the keys of their row.
 *
 * A row stands for a root, the values of the keys that a sample has (its command, thread, CPU,
 * fields), and a place, those of the keys that a frame has (its file, function, line). With the
 * callers, a stack adds to the row of each of its frames, once to each however often it stands there.
 */
#ifndef REPORT_REPORT_ENTRIES_H
#define REPORT_REPORT_ENTRIES_H

#include "util/report/report_samples.h"

struct report_entry {
	u32 root, place;
	u64 samples, weight;         /* that stood here */
	u64 all_samples, all_weight; /* and those of what was called from here; 0 without callers */
	/* of rows of one thread that weigh the same with what they called, the lower rank is first */
	u32 thread;
	s32 rank;
	u32 modes; /* in report_entries.modes, + 1; 0: no weight of any */
};

/* Of a row's weight, what stood in each mode. */
struct report_modes {
	u64 weight[REPORT_NR_MODES];
};

/* What columns of numbers show. */
struct report_numbers {
	u64 samples, weight;
	u64 all_samples, all_weight; /* and of what was called from there; 0 without callers */
	struct report_modes modes;
};

struct report_entries {
	VEC(struct report_entry) v; /* in order of first sight; report_order_sort() sorts them */
	VEC(struct report_modes) modes;
	u64 samples, weight; /* of all samples */
	bool unresolved; /* the first sample of some row stood in no function whose name is known */
};

/* Make the rows of what was counted. */
int report_entries_make(struct report_entries *e, struct report_samples *s,
			struct report_places *places, bool callers, struct err *err);
struct report_numbers report_entries_numbers(const struct report_entries *e,
					     const struct report_entry *row);
void report_entries_free(struct report_entries *e);

#endif
