/* SPDX-License-Identifier: GPL-2.0 */
/*
 * script.h - what the options of perf-lite script fill in (script_options.c), and cmd_script.c
 * carries out.
 */
#ifndef PERF_LITE_SCRIPT_H
#define PERF_LITE_SCRIPT_H

#include "perf-lite/reading.h"
#include "perf-lite/script_export.h"
#include "perf-lite/script_quality.h"
#include "util/cli/opt.h"
#include "util/format/folded_sink.h"
#include "util/format/script_text.h"

struct script {
	struct reading in;
	struct script_text_options text;
	struct time_text time;
	bool nanoseconds, reltime, deltatime; /* --ns, ... */
	struct fields_options fields;
	const char *compat;
	bool folded, header, header_only, hide_call_graph;
	struct script_quality quality;
	bool show_info;           /* -I */
	bool dump;                /* -D */
	struct name_list stop_at; /* --stop-bt */
	struct script_export export;
	struct sink *sink;
	union {
		struct script_text script;
		struct folded_sink folded;
	} sinks;
	struct buf out;
	bool unwritten; /* standard output did not take it */
};

/*
 * Parse the command line into *c. What is not given has its default afterwards. rest->help: --help
 * was asked for and has been written, or err says why not.
 */
int script_options(struct script *c, int argc, char **argv, struct opt_rest *rest, struct err *err);

#endif
