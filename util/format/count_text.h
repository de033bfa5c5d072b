/* SPDX-License-Identifier: GPL-2.0 */
/*
 * count_text.h - counted rows as the tables that people read:
 *
 *	count    sum  mean  min  max  comm     reason
 *	  412  24720  60.0   12  576  python3  NO_SOCKET
 *	   12    768  64.0   64   64  ping     OTHERHOST
 *	... and 3 more: 17 (3.9 %)
 *	  441  26133  59.3   12  576  total
 *
 * Quantiles are columns; histograms are below their row as bars (count_bars.h), and stacks as script
 * prints them. Numbers are written in full. Notes on what is not exact follow the table, and last come
 * the caller's lines.
 */
#ifndef FORMAT_COUNT_TEXT_H
#define FORMAT_COUNT_TEXT_H

#include "util/format/count_names.h"
#include "util/report/count_view.h"

struct count_text {
	const double *quantiles; /* shares, 0 to 1; NULL: count_text_quantiles */
	u32 nr_quantiles;
	const char *heading; /* a line above the table, without newline; NULL: none */
	const char *notes;   /* lines below it, each with its newline; NULL: none */
	u32 width; /* columns of the terminal, at which lines of the table end; 0: they are not cut */
	u32 height; /* lines of it: of rows that do not fit, the number is shown; 0: all are shown */
	const char *bold, *off; /* colour codes around the titles; NULL: none */
};

/* p50, p90, p99, p99.9, max */
#define COUNT_QUANTILES_DEFAULT 5
#define COUNT_QUANTILES_MAX     16
extern const double count_text_quantiles[COUNT_QUANTILES_DEFAULT];
/* "50,90,99.9,max" -> shares, COUNT_QUANTILES_MAX at most. -EINVAL. */
int count_text_parse_quantiles(const char *text, double *shares, u32 *nr, struct err *err);
/* "p99.9", "min", "max" */
void count_text_quantile_name(double share, struct buf *out);
/* The ends are known also where values were rounded. False: there is none. */
bool count_text_quantile(double share, const struct count_sum *sum, const struct count_series *s,
			 u64 *v);

/* The table, and all lines below it. */
int count_text_put(const struct count_text *t, const struct count_view *v, struct buf *out,
		   struct err *err);
/* What is not exact in a table, in lines: nothing if all is. */
void count_text_limits(const struct count_table *t, struct buf *out);

#endif
