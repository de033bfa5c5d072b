/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ftrace_text.h - samples as the kernel's own trace file shows events: tracefs, `trace`, with
 * record-tgid.
 *
 *	#           TASK-PID       TGID    CPU#  |||||  TIMESTAMP  FUNCTION
 *	       dns-query-7018    (   7017) [000] ..s1. 37134.637182: kfree_skb: skbaddr=ffff8881c1d5d200 ...
 *
 * Byte for byte what Linux 6.18 prints with hash-ptr off, so that what reads such files reads
 * this: texts by the print fmt, pointers without 0x, functions with their sizes, times rounded to
 * microseconds, system calls by name. Call chains follow as its stack traces do.
 *
 * Source: Documentation/trace/ftrace.rst; the format files of events for common_flags.
 */
#ifndef FORMAT_FTRACE_TEXT_H
#define FORMAT_FTRACE_TEXT_H

#include "util/format/sink.h"
#include "util/format/time_text.h"
#include "util/profile/frame.h"
#include "util/profile/trace_text.h"

/* The parts of an event's line besides its text. */
struct ftrace_event {
	const char *name;             /* without its system; of a system call, its own */
	const struct tp_field *flags; /* NULL: unknown */
	const struct tp_field *preempt_count;
	const struct tp_field
		*number; /* of a system call: its return value, or the first argument */
	enum { FTRACE_TEXT, FTRACE_ENTER, FTRACE_EXIT } kind;
};

struct ftrace_text {
	struct sink sink;
	struct session *session;
	struct time_text *time;
	struct trace_text trace;
	struct ftrace_event *events; /* by event */
	struct frame_list chain;
	bool begun;       /* the lines above the first event are written */
	bool preemptible; /* the kernel counts a tracepoint's own hold on preemption */
};

/* Both stay the caller's and must outlive the sink. -ENOMEM. */
int ftrace_text_init(struct ftrace_text *k, struct session *s, struct time_text *time,
		     struct err *err);

#endif
