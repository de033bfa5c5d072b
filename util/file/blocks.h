/* SPDX-License-Identifier: GPL-2.0 */
/*
 * blocks.h - the blocks of a native file, one after the other, from a file or a pipe.
 *
 *	blocks_begin() -> blocks_next() for each: what readers and verify see
 *	blocks_fork() -> blocks_find() or blocks_hop(): those of a file that are still to come
 *
 * A bad block costs itself and nothing else: where a header or a payload is not what its hash says,
 * the next good header is looked for from just behind, at every byte, since what a dead recorder
 * left of a block in a pipe may be of any length.
 */
#ifndef FILE_BLOCKS_H
#define FILE_BLOCKS_H

#include "util/base/err.h"
#include "util/file/block.h"
#include "util/file/stream.h"

enum blocks_kind {
	BLOCKS_WHOLE, /* a block whose hashes are right */
	BLOCKS_BAD,   /* bytes passed over, or a block of another recording */
	BLOCKS_CUT,   /* the file ends in the middle of a block */
};

struct blocks_item {
	enum blocks_kind kind;
	u64 at, bytes; /* its position and size in the file */
	bool has_head; /* head is right: always when WHOLE, else when only the payload is bad */
	bool strange;  /* BAD: it is whole, and of another recording */
	bool padded;   /* the padding is zero, as far as the file goes */
	struct block head;
	const u8 *payload; /* WHOLE: head.stored_size bytes, until the next call */
};

struct blocks {
	struct stream in; /* the caller opens and closes it */
	u64 damaged;      /* bytes of the file header if it is damaged; it holds nothing needed */
	u64 wasted;       /* bytes hashed for nothing: payloads that were bad */
	u32 session;      /* of its blocks, */
	bool has_session; /* once that is known: if the file header is damaged, by the first block */
};

/* Begin with a stream positioned at the file header. -ENOTSUP: a newer format. */
int blocks_begin(struct blocks *b, const struct stream *in, struct err *err);
/* 1: *it is the next, 0: the end of the file, <0: -errno of a failed read. */
int blocks_next(struct blocks *b, struct blocks_item *it);
/* Another walk over a file, from `at` on. stream_free() its stream. */
struct blocks blocks_fork(const struct blocks *b, u64 at);
/*
 * The next block of a file by its header: the payload is neither read nor checked, but a block or the
 * end follows. False: blocks_next() must tell what is there.
 */
bool blocks_hop(struct blocks *b, struct blocks_item *it);
/* As blocks_next(), for whole blocks before END alone, and payloads only of types that `types` has as bits: others are NULL. */
int blocks_find(struct blocks *b, u32 types, struct blocks_item *it);
/* As stream_wait(), for the whole of the next block. */
bool blocks_wait(struct blocks *b);

#endif
