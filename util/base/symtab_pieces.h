/* SPDX-License-Identifier: GPL-2.0 */
/*
 * symtab_pieces.h - the address space cut where symbols begin and end, so that each piece has one symbol
 * or none, and which piece an address is in, found by buckets in a few nanoseconds.
 *
 * A zero-initialised struct has no pieces: nothing is found. Symbols are told by their index.
 */
#ifndef BASE_SYMTAB_PIECES_H
#define BASE_SYMTAB_PIECES_H

#include "util/base/sym.h"
#include "util/base/symtab_tree.h"
#include "util/base/vec.h"

enum symtab_view {
	/*
	 * The innermost symbol, which is the one that begins last. A label inside a function is
	 * no symbol of its own. The best of aliases is, in this order: preferred, no marker, with
	 * a size, not weak, global, with fewer leading underscores, with the longer name.
	 */
	SYMTAB_NESTED,
	/* The symbol that was added last: of two that overlap, the older code is gone (JIT). */
	SYMTAB_NEWEST,
	/* What perf 6.1 finds, whose tree assumes that symbols do not overlap (symtab_tree.h). */
	SYMTAB_PERF,
};

/* From `start` to the next piece there is one symbol: an index, or ID_NONE for a gap. */
struct symtab_piece {
	u64 start;
	u32 sym;
};

struct symtab_pieces {
	VEC(struct symtab_piece) cuts; /* in order of address */
	u32 *buckets;                  /* the piece at the first address of each bucket */
	u32 nr_buckets;
	u8 shift; /* log2 of a bucket's size */
};

/*
 * Of `nr` symbols, one at least, in order of address; to be called once. `order` of a symbol tells which of
 * two was added last. 0 or -ENOMEM.
 */
int symtab_pieces_cut(struct symtab_pieces *p, const struct sym *syms, u32 nr,
		      enum symtab_view view);
/* The same, as a search in perf's tree finds them; `order` of a symbol is its node, which gets its end. */
int symtab_pieces_search(struct symtab_pieces *p, const struct sym *syms, u32 nr,
			 struct symtab_tree *tree);

/* The index of the symbol at addr, or ID_NONE. */
u32 symtab_pieces_find(const struct symtab_pieces *p, u64 addr);

void symtab_pieces_free(struct symtab_pieces *p);

#endif
