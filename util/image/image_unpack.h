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
 * 0, or -EFBIG if the image's compressed sections claim more bytes than its size allows
 * (unpack_limit.h). To be asked before libelf or libdw decompress any of them: they believe the
 * claims.
 */
int image_unpack_check(const struct image *img, struct err *err);

/* Has it sections that are compressed with zstd? */
bool image_unpack_needed(const struct image *img);

/* A copy in memory, where these sections stand behind all others as they were before. */
int image_unpack(const struct image *img, struct image *out, struct err *err);

#endif
