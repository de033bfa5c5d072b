/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stat_view.h - what the forms of output of counts have in common: what they are given, and how
 * they write numbers.
 *
 * Numbers know no locale. A value is in the event's unit: the count times its scale. It has two
 * decimals where the scale is a fraction, else none, as in perf stat.
 */
#ifndef FORMAT_STAT_VIEW_H
#define FORMAT_STAT_VIEW_H

#include "util/base/buf.h"
#include "util/stat/aggregate.h"
#include "util/stat/derived.h"

struct stat_view {
	const struct stat_table *table;
	const struct stat_derivations *derivations;
	const struct stat_runs *runs; /* NULL: it ran once */
	bool interval;                /* one of several: each row says when it ended */
	bool summary;                 /* the sum of all intervals */
};

/* One row of the table: what every form needs of it. */
struct stat_row {
	const struct stat_event *event;
	const struct stat_key *key;
	const struct stat_cell *cell;
	const struct stat_summary *summary; /* NULL: it ran once */
	double value;
	double running_pct; /* 100 where it was not multiplexed, or not counted */
	u32 nr_derived;
	struct stat_derived derived[STAT_DERIVED_MAX];
};

/* Row number *i or the first one behind it that is shown, and move *i past it; false: no more. */
bool stat_view_next(const struct stat_view *v, size_t *i, struct stat_row *row);

/* "<not counted>", "<not supported>"; NULL of a count. */
const char *stat_row_absent(const struct stat_row *row);
unsigned int stat_row_decimals(const struct stat_row *row);
/* The standard error of the mean of the runs, in %. */
double stat_row_noise(const struct stat_row *row);

/* Seconds with nine decimals since counting began. */
void stat_view_time(const struct stat_view *v, struct buf *b);

#endif
