/* SPDX-License-Identifier: GPL-2.0 */
/*
 * top.h - what the options of perf-lite top fill in (top_options.c), and cmd_top.c carries out.
 */
#ifndef PERF_LITE_TOP_H
#define PERF_LITE_TOP_H

#include "perf-lite/report.h"
#include "perf-lite/watching_run.h"

struct top {
	struct watching w;
	struct report r; /* its session and filters are those of w.in */
	u64 interval_ns;
	bool once; /* one table, printed */
	bool idle; /* samples of idle CPUs, too */
};

/*
 * Parse the command line into *t. What is not given has its default afterwards. rest->help: --help was asked for and
 * has been written, or err says why not.
 */
int top_options(struct top *t, int argc, char **argv, struct opt_rest *rest, struct err *err);

#endif
