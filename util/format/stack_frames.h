/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stack_frames.h - counted stacks as a tree of named frames, inlined functions among them.
 *
 * Frames with the same name are one frame there, whatever their addresses. A frame without a symbol
 * is named after its file, "[libc.so.6]", or "[unknown]"; what is missing of a stack that was not unwound to its end
 * is "[truncated]". Names are escaped as text_escape() does.
 *
 * For folded text (STACK_FRAMES_FOLDED) frames are nothing but names, ';' in them is ':'. For
 * people to look at (STACK_FRAMES_SHOWN) they have the class of their code and the name of its file, "[JIT]" for code
 * that was made while it ran, whichever process made it.
 */
#ifndef FORMAT_STACK_FRAMES_H
#define FORMAT_STACK_FRAMES_H

#include "util/draw/frame_tree.h"
#include "util/profile/stack_tree.h"
#include "util/profile/stack_weights.h"

enum stack_frames_form { STACK_FRAMES_FOLDED, STACK_FRAMES_SHOWN };

struct label_list {
	u32 *v; /* label + 1, 0: not asked for yet */
	u32 nr, cap;
};

struct stack_frames {
	const struct stack_tree *stacks;
	struct frame_tree *tree;
	enum stack_frames_form form;
	struct label_list of_frames, of_places; /* by frame; by place, of inlined functions */
	VEC(u32) path;     /* nodes of the stack that is being made, innermost first */
	struct hmap nodes; /* (root, node) -> node of the tree */
};

/* The stacks and the tree stay the caller's and must outlive it. Several may fill one tree. */
void stack_frames_init(struct stack_frames *f, const struct stack_tree *stacks,
		       struct frame_tree *tree, enum stack_frames_form form);
/* The label of something that is not a function, below the stacks or on top of them. */
u32 stack_frames_group(struct stack_frames *f, const char *name);
/* The name of a command as folded text has it below stacks: '#' in front and blanks, which mean something there, are '_'. */
void stack_frames_fold_root(struct buf *name);
/* Append the name of a frame that lies in this file (NULL: in none that is known). */
void stack_frames_name(const struct frame *frame, const struct dso *dso, struct buf *out);
/*
 * The node of the tree for an entry, whose root and top are labels of the tree; ID_NONE when memory
 * is out.
 */
u32 stack_frames_node(struct stack_frames *f, const struct stack_weight *w);
/*
 * Add the weights of all entries to the tree's counts, or to those of the other
 * recording. Their roots and tops are labels of the tree. frame_tree_finish() is up to the caller.
 */
int stack_frames_add(struct stack_frames *f, const struct stack_weights *w, bool old,
		     struct err *err);
void stack_frames_free(struct stack_frames *f);

#endif
