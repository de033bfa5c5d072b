/* SPDX-License-Identifier: GPL-2.0 */
/*
 * unwind_bytes.h - the bytes of an image, read when they are first asked for.
 *
 * The file is never mapped: one that is cut short while it is read gives NULL, not SIGBUS. Chunks
 * are read with pread(2) into address space that is reserved for all of it, so bytes stay where
 * they are until unwind_bytes_free(). Only the first 4 GiB of a file are read.
 */
#ifndef UNWIND_UNWIND_BYTES_H
#define UNWIND_UNWIND_BYTES_H

#include "util/image/image.h"

#define UNWIND_BYTES_CHUNK 16384

struct unwind_bytes {
	const u8 *mem;
	u64 size;
	u64 *have; /* a bit for each chunk that was read; NULL: the image is in memory */
	int fd;    /* the image's */
};

/* `img` stays the caller's and must outlive. An image that cannot be read is one of 0 bytes. */
int unwind_bytes_init(struct unwind_bytes *b, const struct image *img, struct err *err);
void unwind_bytes_free(struct unwind_bytes *b);

/* Read what is missing of [offset, offset + len), which lies within `size`. */
bool unwind_bytes_read(struct unwind_bytes *b, u64 offset, u64 len);

/* The bytes [offset, offset + len) of the file, or NULL. */
static inline const u8 *unwind_bytes_at(struct unwind_bytes *b, u64 offset, u64 len)
{
	if (offset > b->size || len > b->size - offset)
		return NULL;
	if (b->have && !unwind_bytes_read(b, offset, len))
		return NULL;
	return b->mem + offset;
}

#endif
