/* SPDX-License-Identifier: GPL-2.0 */
/*
 * range_index.h - ranges of addresses that lie in one another, and the innermost at an address.
 *
 * Zero-initialised it is empty and ready: range_index_add() in any order, range_index_finish()
 * once, then range_index_find() with a binary search. An item may have several ranges; of ranges
 * that begin together, the one with the higher item is the inner one. Ranges that overlap without
 * one lying in the other give the one that began last.
 */
#ifndef DEBUGINFO_RANGE_INDEX_H
#define DEBUGINFO_RANGE_INDEX_H

#include "util/base/types.h"
#include "util/base/vec.h"

struct range {
	u64 low, high; /* [low, high) */
	u32 item;      /* the caller's number */
};

/* From `start` to the next piece it is this item; ID_NONE: a gap. */
struct range_piece {
	u64 start;
	u32 item;
};

struct range_index {
	VEC(struct range) ranges; /* until they are cut into pieces */
	VEC(struct range_piece) pieces;
};

/* Both are false when memory is out. An empty range is none. */
bool range_index_add(struct range_index *x, u64 low, u64 high, u32 item);
bool range_index_finish(struct range_index *x);

/* The innermost item at an address, or ID_NONE. */
u32 range_index_find(const struct range_index *x, u64 addr);

void range_index_free(struct range_index *x);

#endif
