/* SPDX-License-Identifier: GPL-2.0 */
/*
 * count_export.h - counted rows for programs: JSON and CSV.
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
 * CSV has a line of titles and a line for each row: count, what --of asks for, the keys; stacks are one cell, functions
 * separated by ';', outermost first. Histograms are no part of it, nor are rows that are not shown.
 */
#ifndef FORMAT_COUNT_EXPORT_H
#define FORMAT_COUNT_EXPORT_H

#include "util/format/count_names.h"
#include "util/report/count_view.h"

struct count_export {
	const double *quantiles; /* as in count_text.h */
	u32 nr_quantiles;
	const char *members; /* "\"time\":1.5,\"lost\":0"; NULL: none */
};

int count_export_json(const struct count_export *x, const struct count_view *v, struct buf *out,
		      struct err *err);
void count_export_csv_head(const struct count_export *x, const struct count_view *v,
			   struct buf *out);
int count_export_csv(const struct count_export *x, const struct count_view *v, struct buf *out,
		     struct err *err);

#endif
