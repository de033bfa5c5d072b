/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tp_prog.h - a print fmt compiled to a flat program, and its execution on a record (tp_prog_run.c).
 *
 * Compiled once per event, run per record: nothing is parsed, looked up by name or allocated then.
 * A program points into its format, which must live longer; it is never changed, so any number of
 * threads may run it.
 */
#ifndef TRACEPOINT_TP_PROG_H
#define TRACEPOINT_TP_PROG_H

#include "arch/arch.h"
#include "util/base/buf.h"
#include "util/base/err.h"
#include "util/tracepoint/tp_format.h"

/* What a print fmt does not say about the machine that recorded. */
struct tp_opts {
	u32 long_size; /* bytes of a long and of a pointer: 4 or 8; 0 means 8 */
	u32 hz;        /* CONFIG_HZ, for jiffies_to_msecs(); 0 if unknown */
	const struct arch_syscalls
		*calls; /* names system calls (tp_names.h); NULL: they are numbers */
	/*
	 * The text of perf 6.1 also where it is not the kernel's: all numbers are unsigned 64-bit
	 * ones, a name that the kernel left untranslated is -1, arrays print as "1 2", a width is
	 * that of each name in a list. What perf misreads (see tests/oracle/prog/tp_oracle.c) is
	 * read as C all the same.
	 */
	bool compat;
};

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

/*
 * Print one record by its compiled print fmt.
 *
 * The record, and who knows addresses. Either callback may be NULL.
 */
struct tp_run {
	const void *raw; /* from common_type on: PERF_SAMPLE_RAW without its u32 size */
	size_t len;
	void *arg;          /* of both callbacks */
	bool bare_pointers; /* %p as the kernel writes it: 16 digits, and neither 0x nor (nil) */
	/* Append "name" or "name+0x1f"; false, with nothing appended, if the address is unknown. */
	bool (*symbol)(void *arg, u64 addr, bool with_offset, struct buf *out);
	/* The string constant of the kernel at that address (printk_formats of tracefs), or NULL. */
	const char *(*string)(void *arg, u64 addr);
};

/*
 * Append the text, without a newline. Never fails and never reads outside `raw`: what a cut record
 * lacks prints as 0 or as nothing. Strings of the record pass text_escape().
 */
void tp_prog_run(const struct tp_prog *p, const struct tp_run *run, struct buf *out);

#endif
