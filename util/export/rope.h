/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rope.h - text that is made out of order: kept compressed, put together, and read back in pieces.
 *
 * A file in columns is written only after the last sample, when there are far more columns than
 * a buffer is good for. Each column is a rope of its own; at the end they are joined.
 *
 *	buf_adds(&r->tail, "12,"); rope_settle(r);
 *	rope_join(&all, &r);
 *	while ((ret = rope_read(&all, out)) > 0) ...
 *
 * A zero-initialised rope is empty and ready. As with a buf, memory that ran out is told once, in
 * the end: by rope_read(), or by `failed`.
 */
#ifndef EXPORT_ROPE_H
#define EXPORT_ROPE_H

#include "util/base/buf.h"
#include "util/base/vec.h"

/* A tail is compressed when it has got so long. */
#define ROPE_PIECE (64u * 1024)

struct rope_piece {
	void *data; /* a zstd frame */
	u32 packed, len;
};

struct rope {
	struct buf tail; /* append here */
	VEC(struct rope_piece) pieces;
	u32 read; /* pieces that rope_read() has given */
	bool failed;
};

void rope_pack(struct rope *r);

/* After something was appended to the tail. */
static inline void rope_settle(struct rope *r)
{
	if (r->tail.len >= ROPE_PIECE)
		rope_pack(r);
}

/* The comma before an element of an array that is all the rope holds. */
static inline void rope_item(struct rope *r)
{
	if (r->tail.len || r->pieces.nr)
		buf_addc(&r->tail, ',');
}

/* Move all that `from` holds to the end of `to`. */
void rope_join(struct rope *to, struct rope *from);
/* Likewise, and `from` keeps it. */
void rope_copy(struct rope *to, const struct rope *from);

/* Append the next piece to out and forget it. 1: there may be more; 0: that was all; -ENOMEM. */
int rope_read(struct rope *r, struct buf *out);

void rope_free(struct rope *r);

#endif
