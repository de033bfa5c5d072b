/* SPDX-License-Identifier: GPL-2.0 */
/*
 * image_dynsym.h - names of symbols by their numbers, as relocations have them.
 *
 * Few of a large table are asked for, and they lie together: those that come from elsewhere stand at its
 * beginning. Where the names are many more than that, each is read by itself.
 */
#ifndef IMAGE_IMAGE_DYNSYM_H
#define IMAGE_IMAGE_DYNSYM_H

#include "util/base/buf.h"
#include "util/image/image.h"

/* The strings of a table that has been read. */
struct image_names {
	const char *s; /* NULL: it has not; else a NUL ends them */
	size_t len;
};

struct image_dynsym {
	const struct image *img;
	Elf_Data *symbols; /* first..last; NULL: there are none */
	u32 first;
	Elf_Scn *scn; /* of the strings */
	GElf_Shdr strings;
	struct image_names names; /* all of them */
	struct buf name;          /* one of them, by itself */
};

/*
 * `nr` names of the symbols first..last of the table in a section. `dynamic`: the strings of .dynsym.
 * They are image_dynsym_free()'s to end.
 */
void image_dynsym_init(struct image_dynsym *d, const struct image *img, u32 section, u32 first,
		       u32 last, u32 nr, struct image_names dynamic);
void image_dynsym_free(struct image_dynsym *d);

/* Good until the next; "" where there is none, or one longer than SYM_NAME_MAX. NULL: memory is out. */
const char *image_dynsym_name(struct image_dynsym *d, u32 number);

#endif
