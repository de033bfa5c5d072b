/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tp_run.h - print one record by its compiled print fmt.
 */
#ifndef TRACEPOINT_TP_RUN_H
#define TRACEPOINT_TP_RUN_H

#include "util/base/buf.h"
#include "util/tracepoint/tp_prog.h"

/* The record, and who knows addresses. Either callback may be NULL. */
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
