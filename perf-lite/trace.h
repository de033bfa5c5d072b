/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trace.h - what the options of perf-lite trace fill in (trace_options.c), and cmd_trace.c carries
 * out.
 */
#ifndef PERF_LITE_TRACE_H
#define PERF_LITE_TRACE_H

#include "perf-lite/syscalls.h"
#include "perf-lite/watching_run.h"
#include "util/cli/opt.h"
#include "util/format/ftrace_text.h"
#include "util/format/json_sink.h"
#include "util/format/script_text.h"
#include "util/library/new_losses.h"

struct trace_output {
	const char *path; /* -o, NULL: standard output */
	int fd;
	bool closed; /* nobody reads it any more */
};

struct trace {
	struct watching w;
	struct syscalls calls;
	struct script_text_options text;
	const char *fields; /* --fields, NULL: not given */
	struct trace_output to;
	u64 limit; /* --limit, 0: none */
	u64 given; /* samples of events that are no system calls */
	bool json, ftrace, nanoseconds;
	/* what follows is made of these */
	struct time_text time;
	struct selected_fields selected;
	struct trace_text events;
	struct sink *sink;
	union {
		struct script_text script;
		struct json_sink json;
		struct ftrace_text ftrace;
	} sinks;
	struct new_losses losses;
	struct buf out;
};

/*
 * Parse the command line into *t, which watching_init() has not seen yet. What is not given has its
 * default afterwards. rest->help: --help was asked for and has been written, or err says why not.
 */
int trace_options(struct trace *t, int argc, char **argv, struct opt_rest *rest, struct err *err);

#endif
