/* SPDX-License-Identifier: GPL-2.0 */
/*
 * count_rows.h - what counters counted, as the tables of perf-lite count: a row for each event, with its filter,
 * or CPU. Forms are those of count_text.h and count_export.h.
 */
#ifndef PERF_LITE_COUNT_ROWS_H
#define PERF_LITE_COUNT_ROWS_H

#include "perf-lite/count_output.h"

struct count_counter {
	const char *event;  /* its name, NULL: rows are not told apart by it */
	const char *filter; /* NULL: none */
	u32 event_nr;       /* the caller's */
	u32 cpu;            /* ID_NONE: likewise */
	u64 nr;
	const char *missing; /* why it was not counted, NULL: it was */
	bool quiet; /* is shown only if it is not 0: one of many that a pattern stands for */
};

struct count_rows {
	struct count_counter *v;
	u32 nr, cap;
};

/*
 * Put the table of them into o->body, of which count_output_begin() has said what it is of; they are brought into the
 * order of their numbers. Such as were not counted are told in o->foot. Folded text is nothing of theirs.
 */
void count_rows_put(struct count_rows *l, struct count_output *o, u32 height);

#endif
