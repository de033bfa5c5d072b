/* SPDX-License-Identifier: GPL-2.0 */
/*
 * debug_data.h - the small symbol table that distributions leave in stripped images.
 *
 * The section .gnu_debugdata is an ELF image of its own, compressed with xz, whose .symtab has the
 * functions that .dynsym does not have.
 *
 * Source: the GDB manual, "MiniDebugInfo".
 */
#ifndef IMAGE_DEBUG_DATA_H
#define IMAGE_DEBUG_DATA_H

#include "util/image/image.h"

/* -ENODATA: there is none. image_close() it after success. */
int debug_data_open(const struct image *img, struct image *data, struct err *err);

#endif
