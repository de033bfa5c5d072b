/* SPDX-License-Identifier: GPL-2.0 */
/*
 * frame_tree.h - many stacks merged by their common beginnings, with counts: what a flame graph
 * draws and a call tree prints.
 *
 *     u32 n = 0;                                       (the root)
 *     for each frame, outermost first:
 *             n = frame_tree_child(t, n, frame_tree_name(t, s, len));
 *     frame_tree_add(t, n, count);
 *     ...
 *     frame_tree_finish(t);                            (then read the nodes)
 *
 * A zero-initialised tree is empty and ready. Node 0 is the root, which exists once the first
 * child was asked for and has no label. Names are byte strings, kept by the tree, not escaped.
 */
#ifndef DRAW_FRAME_TREE_H
#define DRAW_FRAME_TREE_H

#include "util/base/err.h"
#include "util/base/hash.h"
#include "util/base/vec.h"

/* What kind of thing a frame is. */
enum frame_class {
	FRAME_CLASS_PLAIN, /* unknown */
	FRAME_CLASS_USER,
	FRAME_CLASS_KERNEL,
	FRAME_CLASS_INLINED, /* a function that was inlined into the one below */
	FRAME_CLASS_MADE,    /* code made while it ran: JIT */
	FRAME_CLASS_GROUP,   /* no function: a command, a CPU, a value of a field */
	FRAME_CLASS_MISSING, /* what should be there and is not known: a stack's cut-off part */
};

/* Frames are the same where their labels are. */
struct frame_label {
	u32 name; /* in names */
	u32 file; /* in names: of the function's file; ID_NONE: unknown */
	enum frame_class class;
};

struct frame_node {
	u32 label;  /* ID_NONE for the root */
	u32 parent; /* always a lower id; ID_NONE for the root */
	u32 child;  /* the first, or ID_NONE; after frame_tree_finish(), as is sibling */
	u32 sibling; /* the next child of parent, in the byte order of their names, then their files' */
	u64 self;  /* counts whose innermost frame this is */
	u64 total; /* self and all below; after frame_tree_finish() */
};

/* What the same frames had in another recording; of a tree where frame_tree_add_old() was called. */
struct frame_old {
	u64 self, total;
};

struct frame_tree {
	struct strtab names;
	VEC(struct frame_label) labels;
	struct hmap label_ids; /* name, file and class -> label */
	VEC(struct frame_node) nodes;
	VEC(struct frame_old)
	old; /* by node, empty if nothing was added; after frame_tree_finish() one for each */
	struct hmap children; /* (parent, label) -> node */
	u64 total;            /* of all counts */
	u64 old_total;
	/* a frame "[unknown]" on another is that one: many in a row say no more than one. The owner's, before the first */
	bool folds_unknown;
};

/* The id of a label, made if new; ID_NONE when memory is out. file: NULL if unknown. */
u32 frame_tree_label(struct frame_tree *t, enum frame_class class, const char *name, size_t len,
		     const char *file);
/* That of a frame of which nothing but the name is known. */
u32 frame_tree_name(struct frame_tree *t, const char *s, size_t len);

/*
 * The child of `parent` with this label (or itself: folds_unknown), made if new; ID_NONE when memory is out. ID_NONE as the
 * parent or the label is passed on, so a whole stack needs one test.
 */
u32 frame_tree_child(struct frame_tree *t, u32 parent, u32 label);

/* Count a stack that ends at `node`. -EOVERFLOW past 2^64 - 1; -ENOMEM for ID_NONE. */
int frame_tree_add(struct frame_tree *t, u32 node, u64 count, struct err *err);
/* Likewise among the counts of the other recording. */
int frame_tree_add_old(struct frame_tree *t, u32 node, u64 count, struct err *err);

/* Sum the totals and link the children in order. May be called again after more was added. */
int frame_tree_finish(struct frame_tree *t, struct err *err);

static inline const struct frame_node *frame_tree_node(const struct frame_tree *t, u32 id)
{
	return id < t->nodes.nr ? &t->nodes.v[id] : NULL;
}

/* NULL for the root. */
static inline const struct frame_label *frame_tree_node_label(const struct frame_tree *t, u32 id)
{
	u32 label = id < t->nodes.nr ? t->nodes.v[id].label : ID_NONE;

	return label < t->labels.nr ? &t->labels.v[label] : NULL;
}

/* The name of a node; *len bytes, NUL-terminated. "" for the root. */
const char *frame_tree_node_name(const struct frame_tree *t, u32 id, size_t *len);

void frame_tree_free(struct frame_tree *t);

#endif
