/* SPDX-License-Identifier: GPL-2.0 */
/*
 * image_debug.h - the separate file in which distributions keep what strip(1) took away.
 *
 * Source: the GDB manual, "Debugging Information in Separate Files", build-id method.
 */
#ifndef IMAGE_IMAGE_DEBUG_H
#define IMAGE_IMAGE_DEBUG_H

#include "util/image/image.h"

/*
 * Open the one of a stripped image, below the folder `symfs` (NULL: /). False: it needs none, or
 * there is none of the same build-id. image_close() it.
 */
bool image_debug_open(const struct image *img, const char *symfs, struct image *debug);

#endif
