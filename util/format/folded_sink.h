/* SPDX-License-Identifier: GPL-2.0 */
/*
 * folded_sink.h - folded stacks: "comm;root;...;leaf COUNT", one line per distinct stack.
 *
 * The form that flame graph tools read. COUNT is the sum of the samples' periods (their number for
 * events that are not weighted). Blanks in the command's name become '_', ';' in names becomes ':'.
 * A frame of a function that was inlined is like the others. A frame without a symbol is named
 * after its file: "[libc.so.6]". A stack that was unwound, but not up to its outermost frame, has
 * "[truncated]" in the place of what is missing. Lines are sorted.
 *
 * Stacks are counted by number (stack_weights.h) and become text once, at the end.
 */
#ifndef FORMAT_FOLDED_SINK_H
#define FORMAT_FOLDED_SINK_H

#include "util/format/sink.h"
#include "util/format/stack_field.h"
#include "util/format/stack_frames.h"

struct folded_sink {
	struct sink sink;
	u32 event;                       /* only this one counts */
	const struct stack_field *field; /* NULL: none */
	struct stack_tree stacks;
	struct stack_weights weights;
	struct frame_tree tree;
	struct stack_frames frames;
	struct label_list comms; /* labels of commands, by their number in the process model */
};

/* What is pointed at stays the caller's and must outlive the sink. */
int folded_sink_init(struct folded_sink *k, struct symboliser *symboliser, u32 event,
		     const struct stack_field *field, struct err *err);

#endif
