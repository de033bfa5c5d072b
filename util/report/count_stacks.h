/* SPDX-License-Identifier: GPL-2.0 */
/*
 * count_stacks.h - call chains as values of a key: the kernel's half, the user's, or both, and of
 * that the innermost frames.
 *
 * Stacks are the same if their frames are at the same places of the same files (of the kernel: at
 * the same addresses), whatever process they are in. Numbers are dense; 0 is the stack without frames.
 */
#ifndef REPORT_COUNT_STACKS_H
#define REPORT_COUNT_STACKS_H

#include "util/profile/stack_tree.h"

enum count_half { COUNT_HALF_BOTH, COUNT_HALF_KERNEL, COUNT_HALF_USER };

struct count_stack {
	u32 at, nr; /* its frames, in count_stacks.frames, innermost first */
	u64 hash;
};

struct count_stacks {
	struct stack_tree *tree; /* the owner's */
	enum count_half half;
	u32 depth;        /* so many frames, 0: all */
	VEC(u32) of_node; /* stack + 1 by node of the tree, 0: not asked for yet */
	VEC(struct stack_frame) frames;
	VEC(struct count_stack) stacks;
	u32 *slots; /* stack + 1, 0: free */
	u32 mask;
};

int count_stacks_init(struct count_stacks *s, struct stack_tree *tree, enum count_half half,
		      u32 depth, struct err *err);
/* The stack of a node of the tree; ID_NONE when memory is out. */
u32 count_stacks_get(struct count_stacks *s, u32 node);
static inline const struct stack_frame *count_stacks_frames(const struct count_stacks *s, u32 stack,
							    u32 *nr)
{
	*nr = s->stacks.v[stack].nr;
	return &s->frames.v[s->stacks.v[stack].at];
}
/* session.h: stacks keep their frames, under new numbers; the tree is cleared by its owner. */
void count_stacks_keep(const struct count_stacks *s, const struct session_numbers *kept);
void count_stacks_moved(struct count_stacks *s, const struct session_numbers *now);
void count_stacks_free(struct count_stacks *s);

#endif
