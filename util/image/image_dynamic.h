/* SPDX-License-Identifier: GPL-2.0 */
/*
 * image_dynamic.h - the dynamic symbols of an image as its loader finds them: by PT_DYNAMIC, where
 * there are no section headers.
 *
 * How many symbols there are, only the hash tables tell.
 *
 * Source: gABI chapter 5 (Dynamic Section, Hash Table); for DT_GNU_HASH, binutils' bfd/elflink.c.
 */
#ifndef IMAGE_IMAGE_DYNAMIC_H
#define IMAGE_IMAGE_DYNAMIC_H

#include "util/image/image.h"

struct image_dynamic {
	Elf_Data *symbols; /* libelf's, for gelf_getsym() */
	size_t nr;
	const char *names; /* libelf's */
	size_t names_len;
};

/* False: there are none. */
bool image_dynamic_find(const struct image *img, struct image_dynamic *d);

#endif
