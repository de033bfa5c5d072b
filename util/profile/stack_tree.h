/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stack_tree.h - the stacks of samples as paths of one tree, by their common outer frames.
 *
 * A stack is the number of the node of its innermost frame; node 0, the root, is the stack without frames. Walking the
 * parents gives its frames, innermost first. Each distinct stack is resolved once, however many
 * samples have it, so whoever counts samples by node and looks at names afterwards does both as
 * seldom as can be.
 *
 * A sample without a call chain has one frame, that of its ip, if it has an ip. A stack that
 * was unwound, but not up to its outermost frame, has STACK_CUT in the place of what is missing. Where no frames of
 * chains are to be looked at (resolve_options.max_stack 0), all stacks are the root.
 */
#ifndef PROFILE_STACK_TREE_H
#define PROFILE_STACK_TREE_H

#include "util/profile/frame.h"
#include "util/profile/session.h"

#define STACK_CUT 0x7fffffffu /* in the place of a frame */

/* A stack as a list of these, innermost first, is what others than the tree keep. */
struct stack_frame {
	u32 frame : 31;   /* of the symboliser; STACK_CUT: what is there is not known */
	bool inlines : 1; /* what was inlined into it is to be shown */
};

struct stack_node {
	u32 parent;       /* always a lower number; ID_NONE for the root */
	u32 frame : 31;   /* of the symboliser, or STACK_CUT */
	bool inlines : 1; /* what was inlined into it is to be shown (symboliser_places()) */
};

struct stack_tree {
	struct symboliser *symboliser;
	bool named_only; /* frames without a name are left out; the caller's, before the first stack */
	VEC(struct stack_node) nodes;
	struct hmap children; /* (parent, frame) -> node */
	struct frame_list chain;
	struct known_node *known; /* nodes by stack number */
};

/* The symboliser stays the caller's. */
int stack_tree_init(struct stack_tree *t, struct symboliser *symboliser, struct err *err);
/* The node of a sample's stack, made if new; ID_NONE when memory is out. */
u32 stack_tree_get(struct stack_tree *t, const struct session_sample *s);
/* Likewise, of these frames, innermost first. */
u32 stack_tree_path(struct stack_tree *t, const struct stack_frame *frames, u32 nr);
/* NULL for the root, STACK_CUT, and a sample that had no address at all. */
const struct frame *stack_tree_frame(const struct stack_tree *t, u32 node);
/* Forget all stacks but the root: frames get other numbers (symboliser_forget()). */
void stack_tree_clear(struct stack_tree *t);
void stack_tree_free(struct stack_tree *t);

#endif
