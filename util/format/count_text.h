/* SPDX-License-Identifier: GPL-2.0 */
/*
 * count_text.h - counted rows as the tables that people read, and below, as JSON, CSV and folded stacks:
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

/* Times in ns that the caller knows of each row besides: columns in front of the keys. */
struct count_parts {
	u32 nr; /* COUNT_PARTS_MAX at most */
	const char *const *names;
	u64 (*of)(const void *arg, u32 row, u32 part); /* also of COUNT_ROW_ALL */
	const void *arg;
};

#define COUNT_PARTS_MAX 8

/* A column of the caller's. */
struct count_text_column {
	const char *title;
	/* Append the cell of a row of the table, or of all: COUNT_ROW_ALL. */
	void (*put)(const void *arg, u32 row, struct buf *out);
	const void *arg;
};

struct count_text {
	const double *quantiles; /* shares, 0 to 1; NULL: count_text_quantiles */
	u32 nr_quantiles;
	const char *heading; /* a line above the table, without newline; NULL: none */
	const char *notes;   /* lines below it, each with its newline; NULL: none */
	u32 width; /* columns of the terminal, at which lines of the table end; 0: they are not cut */
	u32 fit;   /* columns of the terminal, for which names are shortened; 0: they are not */
	u32 height; /* lines of it: of rows that do not fit, the number is shown; 0: all are shown */
	const struct count_parts *parts; /* such as are 0 in all rows are left out; NULL: none */
	bool with_sum; /* the sum, the least and the greatest, also beside quantiles and a histogram */
	bool sums;     /* of the numbers of --of the sum alone, nothing of their spread */
	bool durations; /* the numbers of --of are ns: "12.3 ms", and quantiles come with the sum */
	const char *bold, *off;                 /* colour codes around the titles; NULL: none */
	const char *counted;                    /* one of what is counted; NULL: "sample" */
	const char *const *titles;              /* instead of count, sum and mean; NULL: these */
	const struct count_text_column *number; /* behind the count; NULL: none */
	const struct count_text_column *last;   /* a text behind the keys; likewise */
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
/*
 * What is not exact in a table, in lines: nothing if all is. Part of that text; for the others, in which there is no place for
 * it. counted: as above; `spread`: quantiles or a histogram are shown.
 */
void count_text_limits(const struct count_table *t, const char *counted, bool spread,
		       struct buf *out);

/*
 * count_text_export.c: counted rows for programs: JSON and CSV.
 *
 * JSON is one object on one line:
 *
 *	{"samples":441,"keys":["comm","reason"],"of":"len","rows":[
 *	{"comm":"ping","reason":{"value":2,"name":"NO_SOCKET"},"count":12,
 *	"sum":768,"mean":64,"min":64,"max":64,
 *	"quantiles":{"p50":64,"p90":64,"p99":64,"p99.9":64,"max":64},
 *	"histogram":[{"from":64,"to":127,"count":12}]}],
 *	"rest":{"rows":3,"count":17,"sum":1034},"others":{"count":0,"sum":0},
 *	"total":{...},"rounded":0,"unkept":0}
 *
 * `members` of the caller (times, losses) come first. Values of keys are as count_names_json() has
 * them. Both ends belong to a bucket; a bucket of what lies below or above all others lacks "from" or "to". "rest" are the rows that are
 * not shown, "others" the samples that no row was left for. What belongs to --of is there only where that is given.
 *
 * CSV has a line of titles and a line for each row: count, what --of asks for, the caller's parts, the keys; stacks are one cell, functions
 * separated by ';', outermost first. Histograms are no part of it, nor are rows that are not shown.
 */

struct count_export {
	const double *quantiles; /* as in struct count_text */
	u32 nr_quantiles;
	const char *members;             /* "\"time\":1.5,\"lost\":0"; NULL: none */
	const struct count_parts *parts; /* of CSV; NULL: none */
};

int count_export_json(const struct count_export *x, const struct count_view *v, struct buf *out,
		      struct err *err);
void count_export_csv_head(const struct count_export *x, const struct count_view *v,
			   struct buf *out);
int count_export_csv(const struct count_export *x, const struct count_view *v, struct buf *out,
		     struct err *err);

/*
 * count_text_folded.c: counted rows as folded stacks, which flame graph tools read:
 *
 *	key;key;outermost;...;innermost COUNT
 *
 * Keys are in the order of --by; a stack is all its frames, of those that were inlined, too. COUNT is the sum
 * where the table has one. ';' in names is ':'; in the first one blanks, and '#' in front, are
 * '_'. Lines are sorted, and what reads the same is one line.
 */

/*
 * All shown rows; `marked`: frames of the kernel and inlined ones have a mark for flame graphs (count_frames.h). A count of 0 or below has no folded form: *left_out says how many rows have one. Sums stay at
 * 2^64 - 1 when they get there.
 */
int count_folded_put(const struct count_view *v, bool marked, u32 *left_out, struct buf *out,
		     struct err *err);

#endif
