/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flamegraph_rows.h - CPUs as rows of a timeline: one for each, or, of more CPUs than a picture
 * has room for, one for so many neighbours (a power of two).
 */
#ifndef PERF_LITE_FLAMEGRAPH_ROWS_H
#define PERF_LITE_FLAMEGRAPH_ROWS_H

#include "util/draw/timeline.h"
#include "util/report/time_bins.h"

struct flamegraph_rows {
	struct timeline_row v[TIMELINE_ROWS_MAX];
	char names[TIMELINE_ROWS_MAX][32];
	u32 first[TIMELINE_ROWS_MAX]; /* CPU; ID_NONE: of samples that tell none */
	u32 nr, share;
};

/* Of bins whose CPUs are in order. CPUs that share a row are added up in the bins of one. */
void flamegraph_rows_make(struct flamegraph_rows *rows, struct time_bins *b);
/* The row of a CPU; ID_NONE: none. */
u32 flamegraph_rows_find(const struct flamegraph_rows *rows, u32 cpu);

#endif
