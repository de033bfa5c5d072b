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
};

struct report_entries {
	VEC(struct report_entry) v; /* in order of first sight; report_order() sorts them */
	u64 samples, weight;        /* of all samples */
};

/* Make the rows of what was counted. */
int report_entries_make(struct report_entries *e, struct report_samples *s,
			struct report_places *places, bool callers, struct err *err);
void report_entries_free(struct report_entries *e);

#endif
