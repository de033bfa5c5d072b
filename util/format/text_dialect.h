/* SPDX-License-Identifier: GPL-2.0 */
/*
 * text_dialect.h - programs that parse the text of perf script, and how each wants it.
 *
 * They share one form (dialect_text.h) and differ in what breaks them. Characters at which a
 * text_dialect cuts a name are written in their fullwidth form (U+FF01...), which Unicode's
 * compatibility normalisation turns back.
 *
 * Sources: stackcollapse-perf.pl, inferno src/collapse/perf.rs, speedscope
 * src/import/linux-tools-perf.ts, Firefox profiler src/profile-logic/import/linux-perf.ts,
 * Perfetto src/trace_processor/importers/perf_text, gprof2dot.py PerfParser, flamescope app/perf,
 * BOLT lib/Profile/DataAggregator.cpp.
 */
#ifndef FORMAT_TEXT_DIALECT_H
#define FORMAT_TEXT_DIALECT_H

#include "util/base/buf.h"
#include "util/base/err.h"

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

#endif
