/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flamegraph_run.h - what perf-lite flamegraph was asked for, and doing it.
 */
#ifndef PERF_LITE_FLAMEGRAPH_RUN_H
#define PERF_LITE_FLAMEGRAPH_RUN_H

#include "perf-lite/flamegraph_stacks.h"
#include "util/draw/flamegraph.h"

struct flamegraph_request {
	struct reading in;  /* the options for the recording */
	struct reading old; /* the same ones, for that of --diff */
	const char *diff;   /* NULL: not given */
	const char *output; /* NULL: standard output */
	const char *title, *unit;
	struct flamegraph_stacks_options stacks;
	struct flamegraph draw; /* as far as options say */
	bool timeline;
	const char *needs_recording; /* an option that was given and does; NULL: none */
};

/* Read, draw, write: the exit code. The readings are the caller's to close. */
int flamegraph_run(struct flamegraph_request *r, struct err *err);

#endif
