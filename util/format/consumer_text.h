/* SPDX-License-Identifier: GPL-2.0 */
/*
 * consumer_text.h - samples as the text that programs parse which read perf script (consumer.h).
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
#ifndef FORMAT_CONSUMER_TEXT_H
#define FORMAT_CONSUMER_TEXT_H

#include "util/format/consumer.h"
#include "util/format/sink.h"
#include "util/format/stack_field.h"

struct consumer_text {
	struct sink sink;
	struct consumer consumer;
	struct trace_text trace;
	const struct stack_field *field; /* NULL: none */
	struct frame_list chain;
	struct buf event, comm, lines, scratch;
	u32 comm_id; /* in the process model, what `comm` is of */
	VEC(struct consumer_line) refs;
};

/* The lines of a frame, with or without what was inlined there, in `lines`. */
struct consumer_line {
	u64 at;
	u32 len; /* 0: not made yet */
};

/*
 * For samples of `event`. What is pointed at stays the caller's and must outlive the sink.
 */
int consumer_text_init(struct consumer_text *k, const struct consumer *consumer,
		       const struct trace_text *trace, const struct stack_field *field,
		       const char *event, struct err *err);

#endif
