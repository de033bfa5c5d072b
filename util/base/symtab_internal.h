/* SPDX-License-Identifier: GPL-2.0 */
/*
 * symtab_internal.h - the two indexes of a symbol table.
 */
#ifndef BASE_SYMTAB_INTERNAL_H
#define BASE_SYMTAB_INTERNAL_H

#include "util/base/symtab.h"

/*
 * symtab_pieces.c: which piece of the address space an address is in, found by buckets in a few nanoseconds. A zero-initialised
 * struct has no pieces: nothing is found.
 *
 * Of `nr` symbols, one at least, in order of address; to be called once. The symbol of greater `order` was
 * added later. 0 or -ENOMEM.
 */
int symtab_pieces_cut(struct symtab_pieces *p, const struct sym *syms, u32 nr,
		      enum symtab_view view);
/* The same, as a search in perf's tree finds them; `order` of a symbol is its node, which gets its end. */
int symtab_pieces_search(struct symtab_pieces *p, const struct sym *syms, u32 nr,
			 struct symtab_tree *tree);

void symtab_pieces_free(struct symtab_pieces *p);

/*
 * symtab_tree.c: which of overlapping symbols perf finds.
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
 *
 * The new node; equals go behind equals. ID_NONE when memory is out.
 */
u32 symtab_tree_add(struct symtab_tree *t, u64 start);
/* The node keeps its number, and none gets it again. */
void symtab_tree_remove(struct symtab_tree *t, u32 node);
/* The first node on the way down that covers addr, or ID_NONE. */
u32 symtab_tree_find(const struct symtab_tree *t, u64 addr);
void symtab_tree_free(struct symtab_tree *t);

#endif
