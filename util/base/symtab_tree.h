/* SPDX-License-Identifier: GPL-2.0 */
/*
 * symtab_tree.h - which of overlapping symbols perf finds.
 *
 * perf keeps the symbols of an image in a red-black tree ordered by where they begin, and takes the
 * first one on the way down from the root that covers an address. As long as symbols do not overlap
 * that is the right one; where they do, it depends on the shape of the tree, and so on the
 * order in which symbols were put in and taken out. This tree has that shape.
 *
 * Nodes are named by the order in which they were put in, from 0. A zero-initialised tree is empty.
 *
 * Source: Cormen, Leiserson, Rivest, Stein, Introduction to Algorithms, 13.3 and 13.4; the kernel's
 * lib/rbtree.c is the same algorithm.
 */
#ifndef BASE_SYMTAB_TREE_H
#define BASE_SYMTAB_TREE_H

#include "util/base/types.h"
#include "util/base/vec.h"

struct symtab_node {
	u64 start, end; /* [start, end); the end is the owner's, and may change */
	u32 child[2];   /* node + 1, 0: none; left and right */
	u32 parent;     /* likewise */
	bool red;
};

struct symtab_tree {
	VEC(struct symtab_node) nodes;
	u32 root; /* node + 1 */
};

/* The new node; equals go behind equals. ID_NONE when memory is out. */
u32 symtab_tree_add(struct symtab_tree *t, u64 start);
/* The node keeps its number, and none gets it again. */
void symtab_tree_remove(struct symtab_tree *t, u32 node);
/* The first node on the way down that covers addr, or ID_NONE. */
u32 symtab_tree_find(const struct symtab_tree *t, u64 addr);
void symtab_tree_free(struct symtab_tree *t);

#endif
