/* SPDX-License-Identifier: GPL-2.0 */
/*
 * text_dialect.h - programs that parse the text of perf script, and how each wants it.
 *
 * They share one form and differ in what breaks them. Characters at which a program cuts a name are
 * written in their fullwidth form (U+FF01...), which Unicode's compatibility normalisation turns
 * back.
 *
 *	comm pid/tid [cpu] seconds.micros: period event:
 *	# trace: reason: NO_SOCKET
 *	\t         address symbol+0x1f (dso)
 *	(blank line)
 *
 * All samples are of one event. There is a period for every kind of event, at least one frame in
 * each sample, and a blank line behind each, also the last; the text of a tracepoint has a line of
 * its own, or none. Names hold nothing that separates.
 *
 * Sources: stackcollapse-perf.pl, inferno src/collapse/perf.rs, speedscope
 * src/import/linux-tools-perf.ts, Firefox profiler src/profile-logic/import/linux-perf.ts,
 * Perfetto src/trace_processor/importers/perf_text, gprof2dot.py PerfParser, flamescope app/perf,
 * BOLT lib/Profile/DataAggregator.cpp.
 */
#ifndef FORMAT_TEXT_DIALECT_H
#define FORMAT_TEXT_DIALECT_H

#include "util/format/sink.h"
#include "util/format/stack_field.h"
#include "util/profile/frame.h"

struct text_dialect {
	const char *name;
	bool trace_line;      /* passes over lines that begin with '#' */
	bool offsets;         /* takes "+0x1f" off symbols; else they come without */
	bool comm_blanks;     /* reads names of commands that hold blanks */
	bool comm_no_digits;  /* cuts names of commands at a digit */
	bool symbol_no_plus;  /* cuts symbols at a '+' */
	bool symbol_no_arrow; /* splits symbols at "->" */
	bool modules_ko;      /* knows a module of the kernel by ".ko" */
	bool perf_fields;     /* wants perf's own text of few fields, one line a sample (BOLT) */
};

/* NULL, with err set, if there is none of that name. */
const struct text_dialect *text_dialect_find(const char *name, struct err *err);

/*
 * Append names as the text dialect can read them: without what separates the parts of a line or of a
 * folded stack. All of them come as they were recorded and leave as text.
 */
void text_dialect_comm(const struct text_dialect *c, const char *comm, struct buf *out);
void text_dialect_event(const char *event, struct buf *out);
void text_dialect_symbol(const struct text_dialect *c, const char *symbol, struct buf *out);
void text_dialect_dso(const char *name, struct buf *out);

/* The lines of a frame, with or without what was inlined there, in `lines`. */
struct text_dialect_lines {
	u64 at;
	u32 len; /* 0: not made yet */
};

/* text_dialect_sink.c: samples of one event in that form. */
struct text_dialect_sink {
	struct sink sink;
	struct text_dialect text_dialect;
	struct trace_text trace;
	const struct stack_field *field; /* NULL: none */
	struct frame_list chain;
	struct buf event, comm, lines, scratch;
	u32 comm_id; /* in the process model, what `comm` is of */
	VEC(struct text_dialect_lines) refs;
};

/*
 * For samples of `event`. What is pointed at stays the caller's and must outlive the sink.
 */
int text_dialect_sink_init(struct text_dialect_sink *k, const struct text_dialect *text_dialect,
			   const struct trace_text *trace, const struct stack_field *field,
			   const char *event, struct err *err);

#endif
