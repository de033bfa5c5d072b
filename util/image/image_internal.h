/* SPDX-License-Identifier: GPL-2.0 */
/*
 * image_internal.h - parts of image_symbols.c: symbols by PT_DYNAMIC, stubs of the linkage table, functions of Go.
 *
 * What cannot be read looks as if it were not there: all parts put the first such thing into a `why`.
 */
#ifndef IMAGE_IMAGE_INTERNAL_H
#define IMAGE_IMAGE_INTERNAL_H

#include "util/base/buf.h"
#include "util/base/symtab.h"
#include "util/image/image.h"

/* The bytes of a section, as elf_getdata(). NULL: there is none, or it cannot be read. */
Elf_Data *image_section_data(const struct image *img, Elf_Scn *scn, struct err *why);
/* Likewise bytes of the file that belong to that, or to no section (NULL). */
Elf_Data *image_chunk(const struct image *img, Elf_Scn *scn, u64 offset, u64 size, Elf_Type type,
		      struct err *why);
/* Something of it cannot be read. */
void image_cannot_read(const struct image *img, Elf_Scn *scn, const char *reason, struct err *why);

/*
 * Names of symbols by their numbers, as relocations have them.
 *
 * Imported symbols are few, and lie together at the beginning of the table. If the table has many more names, each is read
 * by itself.
 *
 * The strings of a table that has been read.
 */
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
	struct err *why;
	struct image_names names; /* all of them */
	struct buf name;          /* one of them, by itself */
};

/*
 * `nr` names of the symbols first..last of the table in a section. `dynamic`: the strings of .dynsym.
 */
void image_dynsym_init(struct image_dynsym *d, const struct image *img, u32 section, u32 first,
		       u32 last, u32 nr, struct image_names dynamic, struct err *why);
void image_dynsym_free(struct image_dynsym *d);

/* Valid until the next call; "" if there is none, or one longer than SYM_NAME_MAX. NULL: memory is out. */
const char *image_dynsym_name(struct image_dynsym *d, u32 number);

/* Names that the table keeps: a copy, which ends with a NUL. None is longer than SYM_NAME_MAX. NULL: memory is out. */
char *image_names_keep(struct symtab *st, const void *bytes, size_t len);

/* The functions of a program of Go, by the table that it has for itself (image_go.c). False: memory is out. */
bool image_go_add(const struct image *img, struct symtab *st, struct err *why);

/*
 * The dynamic symbols of an image as its loader finds them: by PT_DYNAMIC, where
 * there are no section headers.
 *
 * Only the hash tables say how many symbols there are.
 *
 * Source: gABI chapter 5 (Dynamic Section, Hash Table); for DT_GNU_HASH, binutils' bfd/elflink.c.
 */

struct image_dynamic {
	Elf_Data *symbols; /* libelf's, for gelf_getsym() */
	size_t nr;
	const char *names; /* libelf's */
	size_t names_len;
};

/* False: there are none. */
bool image_dynamic_find(const struct image *img, struct image_dynamic *d, struct err *why);

/*
 * Names for the stubs of the procedure linkage table.
 *
 * No symbol table has them. A stub jumps through a slot of the global offset table, and the
 * relocation of that slot names the function: "NAME@plt".
 *
 * Source: psABI of x86-64, "Procedure Linkage Table"; elf(5), Rela.
 *
 * Add the stubs, by file offset; `dynamic`: the strings of .dynsym. False when memory is out.
 */
bool image_plt_add(const struct image *img, struct symtab *st, enum symtab_view view,
		   struct image_names dynamic, struct err *why);

#endif
