/* SPDX-License-Identifier: GPL-2.0 */
/*
 * diff_tree.h - the stacks of two recordings in one tree of frames, and its stacks and functions
 * side by side.
 *
 *	diff_tree_add_stacks(), diff_tree_add_folded() ... -> diff_tree_stacks(), diff_tree_functions()
 *
 * A zero-initialised tree is empty and ready. Frames are the same where their names are, and their
 * files: whether a function was inlined makes no difference to a function, only to a stack.
 */
#ifndef FORMAT_DIFF_TREE_H
#define FORMAT_DIFF_TREE_H

#include "util/format/stack_frames.h"
#include "util/report/stack_diff.h"

/* What functions are distinguished by. */
#define DIFF_BY_COMM 1u
#define DIFF_BY_FILE 2u
#define DIFF_BY_NAME 4u

struct diff_node {
	struct stack_count count[STACK_DIFF_SIDES]; /* of stacks that end there */
};

struct diff_tree {
	struct frame_tree frames; /* with the weights */
	VEC(struct diff_node) nodes;
	struct stack_count all[STACK_DIFF_SIDES];
};

/* Ids in the tree's names; ID_NONE: unknown, or not distinguished. */
struct diff_function {
	u32 comm, file, name;
};

/* Row i is of functions.v[i]; a stack counts once for each function in it (total), or for its last. */
struct diff_functions {
	VEC(struct diff_function) functions;
	struct stack_diff self, total;
};

/* Row i is the stack that ends at nodes.v[i], in the order of their names. */
struct diff_stacks {
	VEC(u32) nodes;
	struct stack_diff diff;
};

/*
 * Add the stacks of a recording; roots of the weights, if any, are indices in `comms`, names of
 * commands.
 */
int diff_tree_add_stacks(struct diff_tree *t, enum stack_diff_side side,
			 const struct stack_tree *stacks, const struct stack_weights *w,
			 const struct strtab *comms, enum stack_frames_form form, struct err *err);
/*
 * Add stacks of folded text. Nobody says there what one sample counts: the greatest common
 * divisor of all counts is taken for it, which is returned in *unit.
 */
int diff_tree_add_folded(struct diff_tree *t, enum stack_diff_side side,
			 const struct frame_tree *folded, u64 *unit, struct err *err);
/* After all is added. */
int diff_tree_finish(struct diff_tree *t, struct err *err);

/* Fill in the counts; all but these is up to the caller, as is judging. */
int diff_tree_stacks(const struct diff_tree *t, struct diff_stacks *d, struct err *err);
/* `by`: some of the bits above. Stacks of recordings begin with their command, folded ones may. */
int diff_tree_functions(const struct diff_tree *t, unsigned int by, struct diff_functions *f,
			struct err *err);
void diff_tree_free(struct diff_tree *t);
void diff_functions_free(struct diff_functions *f);
void diff_stacks_free(struct diff_stacks *d);

#endif
