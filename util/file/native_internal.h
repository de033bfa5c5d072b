/* SPDX-License-Identifier: GPL-2.0 */
/* native_internal.h - what the pages of native.h share. */
#ifndef FILE_NATIVE_INTERNAL_H
#define FILE_NATIVE_INTERNAL_H

#include "util/base/vec.h"
#include "util/file/blocks.h"
#include "util/file/data_block.h"

/*
 * native_read_ahead.c: blocks on their way from the file to who reads them, decoded by threads meanwhile.
 *
 *	native_read_ahead_push() ->  [ 7 waits | 6 waits | 5 in work | 4 in work | 3 done ]  -> native_read_ahead_pop()
 *
 * What is popped is what was pushed, in that order. With no thread, pop decodes. The caller, one
 * thread, pushes while native_read_ahead_room() says so.
 */

struct read_ahead_block {
	struct blocks_item item;  /* the payload is here, and stays until the next pop */
	struct data_block data;   /* of a whole DATA block */
	struct columns_want want; /* how it was decoded */
};

struct read_ahead;

/* `threads` 0: none. Fewer run if no more can be started. NULL: out of memory. */
struct read_ahead *native_read_ahead_new(u32 threads);
/* Room for another, at least for one when empty. */
bool native_read_ahead_room(const struct read_ahead *a);
/*
 * Take a copy of a block; `want` is how to decode it, `bytes` memory to do so, which is taken over
 * and may be empty. False: out of memory.
 */
bool native_read_ahead_push(struct read_ahead *a, const struct blocks_item *it,
			    const struct columns_want *want, struct buf bytes);
/*
 * The oldest, when it is ready; NULL: there is none. It is valid until the next pop; data.bytes may
 * be taken out of it.
 */
struct read_ahead_block *native_read_ahead_pop(struct read_ahead *a);
/* Decode the block that was popped last once more, otherwise. */
void native_read_ahead_again(struct read_ahead *a, struct read_ahead_block *b,
			     const struct columns_want *want);
void native_read_ahead_free(struct read_ahead *a);

/*
 * native_time_index.c: how far the order of records has come after a block of our file, from the
 * headers of the blocks that follow it.
 *
 * The order in a block's header is what its writer knew: the time at which the previous round began
 * (docs/FORMAT.md). With that alone, all blocks of a round wait for the next round. Where the file
 * is seekable, the oldest times of the following blocks are known at once, and nothing has to wait.
 *
 * Zero-initialised, it is empty and ready.
 */

struct native_time_index_block {
	u64 at, time_min;
	u64 order; /* no later block holds a record older than this */
};

struct native_time_index {
	VEC(struct native_time_index_block) blocks; /* of DATA, in the order of the file */
	u32 pos;                                    /* the one asked for last */
	bool at_end;                                /* no more are known behind them */
	bool whole;                                 /* there are none: the file ends there */
};

/*
 * The order of a whole DATA block: its own or a later time. Blocks are asked for in the order of
 * the file; bytes that are no block end what can be known.
 */
u64 native_time_index_get(struct native_time_index *o, const struct blocks *of,
			  const struct blocks_item *it);
void native_time_index_free(struct native_time_index *o);

#endif
