/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compress.h - zstd frames, one for each call: for the payloads of blocks and for columns.
 *
 * A zero-initialised decompressor is ready. Contexts are reused; one owner each.
 */
#ifndef FILE_COMPRESS_H
#define FILE_COMPRESS_H

#include "util/base/buf.h"
#include "util/base/err.h"

struct compressor {
	void *zstd; /* ZSTD_CCtx */
	int level;  /* 0: the caller stores bytes as they are */
};

struct decompressor {
	void *zstd; /* ZSTD_DCtx */
};

int compress_init(struct compressor *c, int level, struct err *err);
/* Append one frame that holds `len` bytes. */
int compress_frame(struct compressor *c, const void *p, size_t len, struct buf *out,
		   struct err *err);
void compress_free(struct compressor *c);

/* Append the `raw_size` bytes that the frame holds; -EBADMSG if it holds another number. */
int decompressor_frame(struct decompressor *d, const void *p, size_t len, size_t raw_size,
		       struct buf *out);
void decompressor_free(struct decompressor *d);

#endif
