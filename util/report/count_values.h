/* SPDX-License-Identifier: GPL-2.0 */
/*
 * count_values.h - how often each value came in each row of a table: what quantiles and histograms are read from.
 *
 * Values are kept as they are, or as the number of their bucket, so that what is made of them is exact. Memory is bounded:
 * from `most` entries on, values that are not there yet are rounded towards 0 to their first 7 binary digits, so by less than
 * 1.6 %, and counted in `rounded`; from twice as many on they are only counted in `unkept`.
 *
 * Values are s64 or u64, as `is_signed` says. Zeroed but for the first three members it is empty and ready.
 */
#ifndef REPORT_COUNT_VALUES_H
#define REPORT_COUNT_VALUES_H

#include "util/base/err.h"
#include "util/base/vec.h"

enum count_scale {
	COUNT_EXACT,
	COUNT_BY_LOG2, /* the value is the number of a bucket: count_log2_of() */
	COUNT_BY_STEP, /* likewise: (value - from) / step, -1 below; all from `to` on is one */
};

struct count_value {
	u64 value;
	u64 nr; /* 0: free */
	u32 row;
};

struct count_values {
	enum count_scale scale;
	bool is_signed;
	u32 most;
	u64 from, to, step; /* of COUNT_BY_STEP */
	struct count_value *slots;
	u32 nr, mask;
	u64 rounded, unkept; /* samples */
};

/* False when memory is out; the value is not counted then. */
bool count_values_add(struct count_values *v, u32 row, u64 value);
void count_values_clear(struct count_values *v);
void count_values_free(struct count_values *v);

#define COUNT_ROW_OTHERS ID_NONE /* for what has no row of its own */

/* 0 for 0, k for 2^(k-1) up to 2^k - 1, and as u64 of an s64 -k for the same below 0. */
static inline u64 count_log2_of(u64 value, bool is_signed)
{
	if (!value)
		return 0;
	if (is_signed && (s64)value < 0)
		return -(u64)(64 - __builtin_clzll(-value));
	return (u64)(64 - __builtin_clzll(value));
}

#endif
