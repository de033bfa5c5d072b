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
 * Stacks are kept as a trie of frame ids while counting and become text once, at the end.
 */
#ifndef FORMAT_FOLDED_SINK_H
#define FORMAT_FOLDED_SINK_H

#include "util/format/sink.h"
#include "util/format/stack_field.h"
#include "util/profile/resolve.h"

struct folded_sink {
	struct sink sink;
	struct resolver *resolver;
	u32 event;                       /* only this one counts */
	const struct stack_field *field; /* NULL: none */
	struct frame_list chain;
	VEC(u32) path; /* of the line that is being written, leaf first */
	struct strtab names;
	VEC(u32) frame_names;          /* id in names + 1 by frame id, 0: not asked for yet */
	VEC(u32) place_names;          /* likewise by place, of inlined functions */
	VEC(struct folded_node) nodes; /* [0] is the root of all */
	u32 *slots;
	u32 mask;
	struct folded_known *known; /* stacks that were seen */
};

struct folded_node {
	u32 parent, name; /* name: id in names */
	u64 count;        /* of stacks that end here */
};

/* What is pointed at stays the caller's and must outlive the sink. */
int folded_sink_init(struct folded_sink *k, struct resolver *resolver, u32 event,
		     const struct stack_field *field, struct err *err);

#endif
