/* SPDX-License-Identifier: GPL-2.0 */
/*
 * order_ahead.h - how far the order of records has come behind a block of our file, as the headers of the blocks behind it
 * tell.
 *
 * The order that stands in a block is what its writer knew: the time at which the round before began
 * (docs/FORMAT.md). All blocks of a round wait for the next one then. Where the file can be read at
 * any place, the oldest times of the blocks to come are known at once, and nothing has to wait.
 *
 * Zero-initialised, it is empty and ready.
 */
#ifndef FILE_ORDER_AHEAD_H
#define FILE_ORDER_AHEAD_H

#include "util/base/vec.h"
#include "util/file/blocks.h"

struct order_ahead_block {
	u64 at, time_min;
	u64 order; /* no later block holds a record older than this */
};

struct order_ahead {
	VEC(struct order_ahead_block) blocks; /* of DATA, in the order of the file */
	u32 pos;                              /* the one asked for last */
	bool at_end;                          /* no more are known behind them */
	bool whole;                           /* there are none, as the end of the file tells */
};

/*
 * The order of a whole DATA block: its own or a later time. Blocks are asked for in the order of
 * the file; bytes that are no block end what can be known.
 */
u64 order_ahead_get(struct order_ahead *o, const struct stream *in, const struct blocks_item *it);
void order_ahead_free(struct order_ahead *o);

#endif
