/* SPDX-License-Identifier: GPL-2.0 */
/*
 * read_ahead.h - blocks on their way from the file to who reads them, decoded by threads meanwhile.
 *
 *	read_ahead_push() ->  [ 7 waits | 6 waits | 5 in work | 4 in work | 3 done ]  -> read_ahead_pop()
 *
 * What is popped is what was pushed, in that order. With no thread, pop decodes. The caller, one
 * thread, pushes while read_ahead_room() says so.
 */
#ifndef FILE_READ_AHEAD_H
#define FILE_READ_AHEAD_H

#include "util/file/blocks.h"
#include "util/file/data_block.h"

struct read_ahead_block {
	struct blocks_item item;  /* the payload is here, and stays until the next pop */
	struct data_block data;   /* of a whole DATA block */
	struct columns_want want; /* how it was decoded */
};

struct read_ahead;

/* `threads` 0: none. Fewer run if no more can be started. NULL: out of memory. */
struct read_ahead *read_ahead_new(u32 threads);
/* Room for another, at least for one when empty. */
bool read_ahead_room(const struct read_ahead *a);
/*
 * Take a copy of a block; `want` is how to decode it, `bytes` memory to do so, which is taken over
 * and may be empty. False: out of memory.
 */
bool read_ahead_push(struct read_ahead *a, const struct blocks_item *it,
		     const struct columns_want *want, struct buf bytes);
/*
 * The oldest, when it is ready; NULL: there is none. It is valid until the next pop; data.bytes may
 * be taken out of it.
 */
struct read_ahead_block *read_ahead_pop(struct read_ahead *a);
/* Decode the block that was popped last once more, otherwise. */
void read_ahead_again(struct read_ahead *a, struct read_ahead_block *b,
		      const struct columns_want *want);
void read_ahead_free(struct read_ahead *a);

#endif
