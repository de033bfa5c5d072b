/* SPDX-License-Identifier: GPL-2.0 */
/*
 * script_export.h - script for other programs: --json, --for=CONSUMER, --stack-field, --safe-comm.
 */
#ifndef PERF_LITE_SCRIPT_EXPORT_H
#define PERF_LITE_SCRIPT_EXPORT_H

#include "util/format/dialect_text.h"
#include "util/format/json_sink.h"

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
		struct dialect_text text;
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
/* After the last sample of --json: what the recording does not hold, an object for each cause. */
void script_export_losses(const struct script_export *x, const struct session *s, u32 event,
			  struct buf *out);
/* The name of the command for --safe-comm, else as it is; until the next call. */
const char *script_export_comm(struct script_export *x, const char *comm);
/* After the sink. */
void script_export_free(struct script_export *x);

#endif
