/* SPDX-License-Identifier: GPL-2.0 */
/*
 * image_unpack.h - images with compressed sections: how large they claim to be, and those that are
 * compressed with zstd, which elfutils before 0.189 does not read (zlib it does).
 *
 * Source: gABI chapter 4, "Section Compression".
 */
#ifndef IMAGE_IMAGE_UNPACK_H
#define IMAGE_IMAGE_UNPACK_H

#include "util/image/image.h"

/*
 * A compressed stream of a few bytes can claim gigabytes. Compilers and recorders get to a ratio of three to ten, so what claims
 * more than this was made to fill memory, and is refused before it is unpacked.
 */
#define IMAGE_UNPACK_FREE  (4u << 20) /* bytes that cost nobody anything */
#define IMAGE_UNPACK_RATIO 24u

/* The most that `packed` bytes may become. */
static inline u64 image_unpack_limit(u64 packed)
{
	return packed > (UINT64_MAX - IMAGE_UNPACK_FREE) / IMAGE_UNPACK_RATIO
		       ? UINT64_MAX
		       : IMAGE_UNPACK_FREE + packed * IMAGE_UNPACK_RATIO;
}

/*
 * 0, or -EFBIG if the image's compressed sections claim more bytes than its size allows
 * (image_unpack_limit()). To be asked before libelf or libdw decompress any of them: they believe the
 * claims.
 */
int image_unpack_check(const struct image *img, struct err *err);

/* Are some of its sections compressed with zstd? */
bool image_unpack_needed(const struct image *img);

/* A copy in memory, with these sections unpacked after all others. */
int image_unpack(const struct image *img, struct image *out, struct err *err);

#endif
