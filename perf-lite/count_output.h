/* SPDX-License-Identifier: GPL-2.0 */
/*
 * count_output.h - where the tables of perf-lite count go: standard output, and while it counts the terminal.
 *
 * A table comes with a foot: how much it is of, how long, and what was lost. On a terminal the text that is
 * shown while counting goes on is replaced by the next one, and at last by what is printed.
 */
#ifndef PERF_LITE_COUNT_OUTPUT_H
#define PERF_LITE_COUNT_OUTPUT_H

#include "perf-lite/count.h"
#include "util/cli/screen.h"

/* What a table is of. Times are ns since counting began. */
struct count_span {
	u64 from, to;
	u64 nr;         /* samples, or what was counted */
	u64 lost;       /* samples that are known to be lost */
	bool by_kernel; /* counted there, without samples */
};

struct count_output {
	const struct count_request *q;
	struct screen screen;
	bool viewing; /* there is a terminal to show tables on while counting goes on */
	const char *bold, *off;
	struct buf body; /* for the caller, who puts the table there */
	struct buf heading, foot, members;
	u64 next_view; /* ns of CLOCK_MONOTONIC */
};

void count_output_init(struct count_output *o, const struct count_request *q);

/*
 * Begin a table: `body` is empty; `heading`, `foot` and, for JSON, `members` say what it is of. For a
 * view, *height is how many lines there is room for, else 0.
 */
void count_output_begin(struct count_output *o, const struct count_span *span, bool view,
			u32 *height);
/* Show it on the terminal, or print it. */
int count_output_put(struct count_output *o, bool view, struct err *err);

/* Is it time to show how far it is? Each second, and the first time earlier. */
bool count_output_is_due(struct count_output *o);

void count_output_free(struct count_output *o);

#endif
