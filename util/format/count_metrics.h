/* SPDX-License-Identifier: GPL-2.0 */
/*
 * count_metrics.h - counted rows as families of OpenMetrics (openmetrics.h), with the keys as labels:
 *
 *	perf_lite_count_total{comm="ping",reason="NO_SOCKET"} 12
 *
 * With --of it is a summary, with quantiles, or a histogram of the number: perf_lite_count_len, whose samples are
 * perf_lite_count_len_count, _sum, and _bucket{le="63"}. ns are seconds. Rows with a number below 0 have no sum, those of a
 * histogram no count either, and none has where its steps begin below 0. What no row was left for has the label others="true".
 *
 * Rows are in the order in which they were made, so that those that read the same keep their number: the second of these has the
 * label nr="2". A key without a value is left out, as is the stack.
 */
#ifndef FORMAT_COUNT_METRICS_H
#define FORMAT_COUNT_METRICS_H

#include "util/report/count_table.h"

struct count_metrics {
	const char *name;        /* "perf_lite_count" */
	const char *help;        /* what was counted: "Events." */
	const double *quantiles; /* shares, 0 to 1 */
	u32 nr_quantiles;
	bool durations; /* the number of --of is in ns, whatever the keys say, and `name` alone names it */
};

/* -ENOMEM */
int count_metrics_put(const struct count_metrics *m, const struct count_table *t, struct buf *out,
		      struct err *err);

#endif
