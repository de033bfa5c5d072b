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

#include "util/report/report_samples.h"

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
