/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dialect_text.h - samples as the text that programs parse which read perf script (text_dialect.h).
 *
 *	comm pid/tid [cpu] seconds.micros: period event:
 *	# trace: reason: NO_SOCKET
 *	\t         address symbol+0x1f (dso)
 *	(blank line)
 *
 * All samples are of one event. There is a period for every kind of event, at least one frame in
 * each sample, and a blank line behind each, also the last; the text of a tracepoint has a line of
 * its own, or none. Names hold nothing that separates.
 */
#ifndef FORMAT_DIALECT_TEXT_H
#define FORMAT_DIALECT_TEXT_H

#include "util/format/sink.h"
#include "util/format/stack_field.h"
#include "util/format/text_dialect.h"
#include "util/profile/frame.h"

struct dialect_text {
	struct sink sink;
	struct text_dialect text_dialect;
	struct trace_text trace;
	const struct stack_field *field; /* NULL: none */
	struct frame_list chain;
	struct buf event, comm, lines, scratch;
	u32 comm_id; /* in the process model, what `comm` is of */
	VEC(struct text_dialect_line) refs;
};

/* The lines of a frame, with or without what was inlined there, in `lines`. */
struct text_dialect_line {
	u64 at;
	u32 len; /* 0: not made yet */
};

/*
 * For samples of `event`. What is pointed at stays the caller's and must outlive the sink.
 */
int dialect_text_init(struct dialect_text *k, const struct text_dialect *text_dialect,
		      const struct trace_text *trace, const struct stack_field *field,
		      const char *event, struct err *err);

#endif
