/* SPDX-License-Identifier: GPL-2.0 */
/*
 * script.h - what the options of perf-lite script fill in (script_options.c), and cmd_script.c
 * carries out.
 */
#ifndef PERF_LITE_SCRIPT_H
#define PERF_LITE_SCRIPT_H

#include "perf-lite/reading_notes.h"
#include "util/cli/opt.h"
#include "util/format/folded_sink.h"
#include "util/format/json_sink.h"
#include "util/format/script_text.h"
#include "util/format/text_dialect.h"
#include "util/profile/frame.h"

/*
 * script_export.c: script for other programs: --json, --for=CONSUMER, --stack-field, --safe-comm.
 */

struct script_export {
	bool json, safe_comm;
	const struct text_dialect *text_dialect; /* NULL: none */
	const char *stack_field;                 /* NULL: none */
	struct json_options options;             /* of JSON */
	struct trace_text trace;
	struct stack_field field;
	struct buf comm;
	union {
		struct json_sink json;
		struct text_dialect_sink text;
	} sinks;
};

/* Are the samples printed for a program, and not by perf's fields? */
static inline bool script_export_text(const struct script_export *x)
{
	return x->text_dialect && !x->text_dialect->perf_fields;
}

/*
 * The field on top of the stacks, of `event` (ID_NONE: of every event that has it). NULL without
 * err if none was asked for.
 */
const struct stack_field *script_export_field(struct script_export *x, struct session *s, u32 event,
					      struct err *err);
/* The sink of --json or --for, for samples of `event` (ID_NONE: all, which only JSON can have). */
int script_export_sink(struct script_export *x, struct session *s, u32 event,
		       const struct fields *fields, struct sink **sink, struct err *err);
/* Set which of perf's fields of `event` the text dialect wants, if it wants such. */
int script_export_fields(const struct script_export *x, const struct event_set *events, u32 event,
			 struct fields_options *o, struct err *err);
/* The name of the command for --safe-comm, else as it is; until the next call. */
const char *script_export_comm(struct script_export *x, const char *comm);
/* After the sink. */
void script_export_free(struct script_export *x);

/*
 * script_quality.c: what perf-lite script says of the quality of stacks: --quality, --strict, and
 * one line where neither is asked for and much is missing.
 */

struct script_quality {
	bool table;  /* --quality: instead of samples */
	bool strict; /* --strict */
	bool unseen; /* few stacks are printed, or none: nothing is said of them */
	u64 limit;   /* of --strict, in billionths of a percent */
	struct frame_list chain;
};

/* SHARE of --strict, in percent: "1", "0.5%". */
int script_quality_limit(struct script_quality *q, const char *share, struct err *err);
/* The frames of a sample; its stack is judged by the reading. */
int script_quality_sample(struct script_quality *q, struct reading *in,
			  const struct session_sample *sample, struct err *err);
/* The table, behind the last sample. */
int script_quality_table(const struct reading *in, struct buf *out, struct err *err);
/* One line, or none where the stacks are good. */
void script_quality_note(const struct script_quality *q, const struct reading *in, struct buf *out);
/* CMD_OK, or CMD_PARTIAL with err where more than the limit is missing. */
int script_quality_verdict(const struct script_quality *q, const struct reading *in,
			   struct err *err);
void script_quality_free(struct script_quality *q);

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
