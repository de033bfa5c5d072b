/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tp_prog.h - a print fmt compiled to a flat program; tp_run.h executes it.
 *
 * Compiled once per event, run per record: nothing is parsed, looked up by name or allocated then.
 * A program points into its format, which must live longer; it is never changed, so any number of
 * threads may run it.
 */
#ifndef TRACEPOINT_TP_PROG_H
#define TRACEPOINT_TP_PROG_H

#include "util/tracepoint/tp_parse.h"

struct tp_prog;

/* NULL if the print fmt cannot be compiled; the message names the event, the place, the cause. */
struct tp_prog *tp_prog_compile(const struct tp_format *f, const struct tp_opts *opts,
				struct err *err);

/* The program for such an event, as perf has it: "[FAILED TO PARSE]" and every field. */
struct tp_prog *tp_prog_fields(const struct tp_format *f, struct err *err);

void tp_prog_free(struct tp_prog *p);

/*
 * For programs of parts of a print fmt (tp_names.h, tp_field_format.h): emit all conversions of c->parsed;
 * close a program. False with c->err set, or when memory is out.
 */
struct tp_compiler;
bool tp_prog_emit(struct tp_compiler *c);
bool tp_prog_end(struct tp_compiler *c);

#endif
