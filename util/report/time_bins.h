/* SPDX-License-Identifier: GPL-2.0 */
/*
 * time_bins.h - amounts by CPU and time, in bins whose width grows with the time that they cover.
 *
 *	struct time_bins b = {0};
 *	time_bins_add() ... -> time_bins_fit(): at most so many bins
 *
 * Nobody needs to know the span beforehand, and memory does not grow with it: when the bins do not
 * reach, twos or fives of them become one. So bins are 1 or 2 times a power of ten ns wide, begin
 * at multiples of their width, and no amount is ever divided between two. Time is in ns.
 */
#ifndef REPORT_TIME_BINS_H
#define REPORT_TIME_BINS_H

#include "util/base/err.h"
#include "util/base/hash.h"
#include "util/base/vec.h"

#define TIME_BINS_MAX 2048u

struct time_row {
	u32 cpu;      /* as given; ID_NONE is a row like others */
	u64 *amounts; /* TIME_BINS_MAX of them */
	u64 total;    /* at most 2^64 - 1, as each amount */
};

struct time_bins {
	u64 step;  /* the width of a bin, ns; 0: nothing was added */
	u64 first; /* bin 0 begins at first * step */
	u32 nr;    /* bins that are covered */
	VEC(struct time_row) rows;
	struct hmap by_cpu;
};

/* The row of a CPU, made if new; NULL when memory is out. Until the next call. */
struct time_row *time_bins_row(struct time_bins *b, u32 cpu);
/* Add to the bin of that time. False when memory is out. */
bool time_bins_add(struct time_bins *b, u32 cpu, u64 time, u64 amount);
/* Make the bins reach a time, without adding. */
void time_bins_cover(struct time_bins *b, u64 time);
/*
 * Make them so wide that `max` (at least 2) are enough, twice or 5 times a power of ten of what they
 * were, and order the rows by CPU. Nothing is added after that.
 */
void time_bins_fit(struct time_bins *b, u32 max);
void time_bins_free(struct time_bins *b);

#endif
