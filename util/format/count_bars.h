/* SPDX-License-Identifier: GPL-2.0 */
/*
 * count_bars.h - a histogram (histogram.h) as bars:
 *
 *	     [0]         3 |@@@@@                                   |
 *	     [1]         0 |                                        |
 *	  [2, 4)        25 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
 *
 * "[2, 4)" is from 2 on and below 4; "(-4, -2]" are the same below 0. Powers of two from 1024 on
 * are written as 1K, 64M, 2G, in binary units; times as "1.02 us", with more digits where the
 * ends of a bucket would be the same.
 */
#ifndef FORMAT_COUNT_BARS_H
#define FORMAT_COUNT_BARS_H

#include "util/base/buf.h"
#include "util/report/histogram.h"

#define COUNT_BARS_WIDTH 40

enum count_bars_unit {
	COUNT_BARS_PLAIN,
	COUNT_BARS_BINARY, /* ends are powers of two */
	COUNT_BARS_TIME,   /* values are ns */
};

/* Lines behind `indent`. */
void count_bars_put(const struct count_buckets *b, bool is_signed, enum count_bars_unit unit,
		    const char *indent, struct buf *out);

/*
 * The same as the member "histogram" of a JSON object: an array of buckets, whose members have these names. One that has all that
 * is less or more than the others take lacks an end.
 */
struct count_bars_names {
	const char *from, *to, *count;
};

void count_bars_json(const struct count_buckets *b, bool is_signed,
		     const struct count_bars_names *names, struct buf *out);

/* A number as people read it: of a sum; of a value that is s64 or u64. */
void count_bars_wide(__int128 v, struct buf *out);
void count_bars_value(u64 v, bool is_signed, struct buf *out);

#endif
