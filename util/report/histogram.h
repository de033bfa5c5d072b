/* SPDX-License-Identifier: GPL-2.0 */
/*
 * histogram.h - counted values (count_values.h) in order: quantiles and histograms of the rows of a table.
 *
 * They are exact unless values were rounded or not kept, as the struct count_values says.
 */
#ifndef REPORT_HISTOGRAM_H
#define REPORT_HISTOGRAM_H

#include "util/report/count_values.h"

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
