/* SPDX-License-Identifier: GPL-2.0 */
/*
 * spool.h - text that is made out of order: kept compressed, put together, and read back in pieces.
 *
 * A file in columns is written only after the last sample, when there are far more columns than
 * a buffer is good for. Each column is a spool of its own; at the end they are joined.
 *
 *	buf_adds(&r->tail, "12,"); spool_settle(r);
 *	spool_join(&all, &r);
 *	while ((ret = spool_read(&all, out)) > 0) ...
 *
 * A zero-initialised spool is empty and ready. As with a buf, memory that ran out is reported once, in
 * the end: by spool_read(), or by `failed`.
 */
#ifndef EXPORT_SPOOL_H
#define EXPORT_SPOOL_H

#include "util/base/buf.h"
#include "util/base/err.h"
#include "util/base/vec.h"

/* A tail is compressed when it has got so long. */
#define SPOOL_PIECE (64u * 1024)

struct spool_piece {
	void *data; /* a zstd frame */
	u32 packed, len;
};

struct spool {
	struct buf tail; /* append here */
	VEC(struct spool_piece) pieces;
	u32 read; /* pieces that spool_read() has given */
	bool failed;
	bool ended; /* by spool_end() */
};

void spool_pack(struct spool *r);

/* After something was appended to the tail. */
static inline void spool_settle(struct spool *r)
{
	if (r->tail.len >= SPOOL_PIECE)
		spool_pack(r);
}

/* The comma before an element of an array that is all the spool holds. */
static inline void spool_item(struct spool *r)
{
	if (r->tail.len || r->pieces.nr)
		buf_addc(&r->tail, ',');
}

/* Move all that `from` holds to the end of `to`. */
void spool_join(struct spool *to, struct spool *from);
/* Likewise, and `from` keeps it. */
void spool_copy(struct spool *to, const struct spool *from);

/* Append the next piece to out and forget it. 1: there may be more; 0: that was all; -ENOMEM. */
int spool_read(struct spool *r, struct buf *out);

/* As a sink's `end`, of a file that put(of) writes into the spool when it is asked for first. False: memory ran out. */
int spool_end(struct spool *r, bool (*put)(void *of), void *of, struct buf *out, struct err *err);

void spool_free(struct spool *r);

#endif
