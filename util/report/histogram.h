/* SPDX-License-Identifier: GPL-2.0 */
/*
 * histogram.h - counted values (histogram_values.c) in order: quantiles and histograms of the rows of a table.
 *
 * They are exact unless values were rounded or not kept, as the struct count_values says.
 */
#ifndef REPORT_HISTOGRAM_H
#define REPORT_HISTOGRAM_H

#include "util/base/err.h"
#include "util/base/vec.h"

/*
 * histogram_values.c: how often each value came in each row of a table: what quantiles and histograms are read from.
 *
 * Values are kept as they are, or as the number of their bucket, so that what is made of them is exact. Memory is bounded:
 * from `most` entries on, values that are not there yet are rounded towards 0 to their first 7 binary digits, so by less than
 * 1.6 %, and counted in `rounded`; from twice as many on they are only counted in `unkept`.
 *
 * Values are s64 or u64, as `is_signed` says. Zeroed but for the first three members it is empty and ready.
 */

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
/* Likewise `nr` times what is the number of a bucket already. */
bool count_values_add_bucket(struct count_values *v, u32 row, u64 bucket, u64 nr);
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

/* histogram.c: the values in order. */

/* What one row has, in rising order of the values; of buckets, the numbers of these. */
struct count_series {
	const struct count_point {
		u64 value;
		u64 nr;
	} * v;
	u32 nr;
	u64 total; /* of all nr */
};

/* All that is kept, in order. */
struct histogram {
	const struct count_values *values;
	struct count_point *points; /* by row and value, and behind them those of all rows */
	u32 *first;                 /* of each row; the last but one is that of COUNT_ROW_OTHERS */
	u32 nr_rows;
	u32 nr_all;
};

#define COUNT_ROW_ALL (ID_NONE - 1) /* beside COUNT_ROW_OTHERS */

int histogram_init(struct histogram *s, const struct count_values *v, u32 nr_rows, struct err *err);
/* Of a row below nr_rows, COUNT_ROW_OTHERS or COUNT_ROW_ALL. */
struct count_series histogram_of(const struct histogram *s, u32 row);
void histogram_free(struct histogram *s);

/*
 * The least value that at least the share p (0 to 1) of all is not greater than; of COUNT_EXACT
 * alone. Of an empty series: 0.
 */
u64 histogram_quantile(const struct count_series *s, double p);

/* A bucket. Both ends belong to it. */
struct count_bucket {
	u64 from, to;
	u64 nr;
};

struct count_buckets {
	struct count_bucket *v;
	u32 nr, cap;
	bool below, above; /* the first, the last has all that is less, more than the others take */
};

#define COUNT_STEPS_MAX 1000 /* of equal size */

/*
 * The histogram of a series: from the first bucket with something in it to the last. Exact values are
 * put into equal steps, 1, 2 or 5 times a power of ten, at most 20 of them.
 */
int histogram_buckets(const struct histogram *spread, const struct count_series *s,
		      struct count_buckets *b, struct err *err);
void histogram_free_buckets(struct count_buckets *b);

#endif
