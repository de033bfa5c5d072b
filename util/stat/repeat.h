/* SPDX-License-Identifier: GPL-2.0 */
/*
 * repeat.h - the same command several times (-r N): what its counts have in common, and how far
 * they can be trusted.
 *
 * The mean comes with the standard deviation of the runs and the standard error of the mean, which
 * is what "+- x%" of perf stat -r is; the median and the median absolute deviation (MAD) say what
 * one run out of the ordinary does not change. MAD is as it is, not scaled to a deviation.
 */
#ifndef STAT_REPEAT_H
#define STAT_REPEAT_H

#include "util/base/vec.h"
#include "util/stat/aggregate.h"

struct stat_summary {
	u32 nr; /* runs in which there was a count */
	double mean, stddev, error, median, mad, min, max;
};

/* Of `nr` values, which are put in another order. With one value there is no deviation: 0. */
void stat_summary_of(struct stat_summary *s, double *values, u32 nr);
/* deviation as a share of the mean, in %; 0 of nothing. */
double stat_summary_pct(double deviation, double mean);

struct stat_runs {
	u32 nr, nr_cells, cap;
	double *values; /* [run][cell]; NaN: not counted. The last cell is the elapsed time */
	struct stat_count *times;       /* by cell, sums of all runs: enabled, running */
	struct stat_summary *summaries; /* by cell, stat_runs_end() */
};

int stat_runs_init(struct stat_runs *r, const struct stat_table *t, struct err *err);
void stat_runs_free(struct stat_runs *r);
int stat_runs_add(struct stat_runs *r, const struct stat_table *t, struct err *err);
/* Put the means of all runs into the table, whose last run it has, and make the summaries. */
int stat_runs_end(struct stat_runs *r, struct stat_table *t, struct err *err);

const struct stat_summary *stat_runs_cell(const struct stat_runs *r, const struct stat_table *t,
					  u32 event, u32 key);
const struct stat_summary *stat_runs_elapsed(const struct stat_runs *r);
double stat_runs_elapsed_of(const struct stat_runs *r, u32 run);

#endif
