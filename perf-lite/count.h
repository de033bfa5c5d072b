/* SPDX-License-Identifier: GPL-2.0 */
/*
 * count.h - what the options of perf-lite count fill in (count_options.c), and cmd_count.c carries out.
 */
#ifndef PERF_LITE_COUNT_H
#define PERF_LITE_COUNT_H

#include "perf-lite/watching.h"
#include "util/cli/colour.h"
#include "util/format/count_text.h"

enum count_form { COUNT_FORM_TEXT, COUNT_FORM_JSON, COUNT_FORM_CSV, COUNT_FORM_FOLDED };

struct count_request {
	struct watching w;
	struct buf by;             /* all of --by, with commas between */
	const char *of;            /* NULL: not given */
	bool sum, hist, quantiled; /* given */
	struct count_keys keys;    /* parsed, not bound */
	struct count_options table;
	double quantiles[COUNT_QUANTILES_MAX];
	u32 nr_quantiles;
	enum count_order order;
	bool order_given;
	u64 top, interval_ns; /* 0: not given */
	enum count_form form;
	unsigned int colour; /* enum colour_when */
	char **command;      /* NULL: none */
};

/*
 * Parse the command line into *q, and check what goes together. rest->help: --help was asked for and has been
 * written, or err says why not.
 */
int count_options(struct count_request *q, int argc, char **argv, struct opt_rest *rest,
		  struct err *err);
void count_options_free(struct count_request *q);

#endif
