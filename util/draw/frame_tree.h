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
 * child was asked for and has no name. Names are byte strings, kept by the tree, not escaped.
 */
#ifndef DRAW_FRAME_TREE_H
#define DRAW_FRAME_TREE_H

#include "util/base/err.h"
#include "util/base/hash.h"
#include "util/base/vec.h"

struct frame_node {
	u32 name;    /* in names; ID_NONE for the root */
	u32 parent;  /* always a lower id; ID_NONE for the root */
	u32 child;   /* the first, or ID_NONE; after frame_tree_finish(), as is sibling */
	u32 sibling; /* the next child of parent, in the byte order of their names */
	u64 self;    /* counts whose innermost frame this is */
	u64 total;   /* self and all below; after frame_tree_finish() */
};

struct frame_tree {
	struct strtab names;
	VEC(struct frame_node) nodes;
	struct hmap children; /* (parent, name) -> node */
	u64 total;            /* of all counts */
};

/* The id of a name, made if new; ID_NONE when memory is out. */
u32 frame_tree_name(struct frame_tree *t, const char *s, size_t len);

/*
 * The child of `parent` with this name, made if new; ID_NONE when memory is out. ID_NONE as the
 * parent or the name is passed on, so a whole stack needs one test.
 */
u32 frame_tree_child(struct frame_tree *t, u32 parent, u32 name);

/* Count a stack that ends at `node`. -EOVERFLOW past 2^64 - 1; -ENOMEM for ID_NONE. */
int frame_tree_add(struct frame_tree *t, u32 node, u64 count, struct err *err);

/* Sum the totals and link the children in order. May be called again after more was added. */
int frame_tree_finish(struct frame_tree *t, struct err *err);

static inline const struct frame_node *frame_tree_node(const struct frame_tree *t, u32 id)
{
	return id < t->nodes.nr ? &t->nodes.v[id] : NULL;
}

/* The name of a node; *len bytes, NUL-terminated. "" for the root. */
const char *frame_tree_node_name(const struct frame_tree *t, u32 id, size_t *len);

void frame_tree_free(struct frame_tree *t);

#endif
