/* SPDX-License-Identifier: GPL-2.0 */
/*
 * image_cover.h - where an image that has no symbols but those that it exports may have any: less than
 * image_symbols_load() tells, for a small part of its work and memory.
 *
 * Local functions lie in the gaps. Who asks for many of these needs no table to learn nothing from.
 */
#ifndef IMAGE_IMAGE_COVER_H
#define IMAGE_IMAGE_COVER_H

#include "util/image/image.h"

/* Zero-initialised, it covers everything. */
struct image_cover {
	u64 first;       /* byte of the file that is code */
	u32 size;        /* of all code */
	VEC(u64) ranges; /* with symbols: start and end behind `first` */
	u32 *pages;      /* index of ranges; NULL: nothing is known */
};

/* False: it cannot be told, or memory is out, and it covers everything. */
bool image_cover_make(struct image_cover *c, const struct image *img);
void image_cover_free(struct image_cover *c);

/* No symbol in the view SYMTAB_NESTED is at this byte of the file. */
bool image_cover_is_gap(const struct image_cover *c, u64 offset);

#endif
