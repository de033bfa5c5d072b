/* SPDX-License-Identifier: GPL-2.0 */
/*
 * block_time_index.h - how far the order of records has come after a block of our file, from the
 * headers of the blocks that follow it.
 *
 * The order in a block's header is what its writer knew: the time at which the previous round began
 * (docs/FORMAT.md). With that alone, all blocks of a round wait for the next round. Where the file
 * is seekable, the oldest times of the following blocks are known at once, and nothing has to wait.
 *
 * Zero-initialised, it is empty and ready.
 */
#ifndef FILE_BLOCK_TIME_INDEX_H
#define FILE_BLOCK_TIME_INDEX_H

#include "util/base/vec.h"
#include "util/file/blocks.h"

struct block_time_index_block {
	u64 at, time_min;
	u64 order; /* no later block holds a record older than this */
};

struct block_time_index {
	VEC(struct block_time_index_block) blocks; /* of DATA, in the order of the file */
	u32 pos;                                   /* the one asked for last */
	bool at_end;                               /* no more are known behind them */
	bool whole;                                /* there are none: the file ends there */
};

/*
 * The order of a whole DATA block: its own or a later time. Blocks are asked for in the order of
 * the file; bytes that are no block end what can be known.
 */
u64 block_time_index_get(struct block_time_index *o, const struct stream *in,
			 const struct blocks_item *it);
void block_time_index_free(struct block_time_index *o);

#endif
