/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flamegraph_rows.h - CPUs as rows of a timeline: one for each, or, of more CPUs than a picture
 * has room for, one for so many neighbours (a power of two). Or tasks, or whatever else stacks stand on: those with
 * the most counts, the most first, and one row for all others.
 */
#ifndef PERF_LITE_FLAMEGRAPH_ROWS_H
#define PERF_LITE_FLAMEGRAPH_ROWS_H

#include "perf-lite/flamegraph_spans.h"
#include "util/base/hash.h"
#include "util/draw/timeline.h"
#include "util/report/time_bins.h"

struct flamegraph_rows {
	struct timeline_row v[TIMELINE_ROWS_MAX];
	char names[TIMELINE_ROWS_MAX][32];
	u32 first[TIMELINE_ROWS_MAX]; /* CPU; ID_NONE: of samples that tell none */
	u32 nr, share;
	bool roots;   /* rows are roots, not CPUs */
	u32 *row_of;  /* by root, and one for none; of roots */
	u32 nr_roots; /* likewise */
	u64 *amounts; /* likewise */
};

/* Of bins whose CPUs are in order. CPUs that share a row are added up in the bins of one. */
void flamegraph_rows_make(struct flamegraph_rows *rows, struct time_bins *b);
/* Of the roots of parts, in columns that bins have. */
int flamegraph_rows_roots(struct flamegraph_rows *rows, const struct flamegraph_spans *spans,
			  const struct strtab *names, const struct time_bins *b, struct err *err);
/* The row of a CPU; ID_NONE: none. */
u32 flamegraph_rows_find(const struct flamegraph_rows *rows, u32 cpu);
void flamegraph_rows_free(struct flamegraph_rows *rows); /* a zeroed one, too */

#endif
