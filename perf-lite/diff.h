/* SPDX-License-Identifier: GPL-2.0 */
/*
 * diff.h - what the options of perf-lite diff fill in (diff_options.c), and cmd_diff.c carries out.
 */
#ifndef PERF_LITE_DIFF_H
#define PERF_LITE_DIFF_H

#include "perf-lite/diff_side.h"
#include "util/cli/colour.h"

struct diff {
	struct diff_side sides[STACK_DIFF_SIDES];
	struct diff_view view;
	double burst;
	bool csv, json, folded;
	enum colour_when colour;
	struct diff_sections sections;
	char *older; /* what is compared by default */
};

/*
 * Parse the command line into *d. What is not given has its default afterwards. rest->help: --help
 * was asked for and has been written, or err says why not.
 */
int diff_options(struct diff *d, int argc, char **argv, struct opt_rest *rest, struct err *err);

#endif
