/* SPDX-License-Identifier: GPL-2.0 */
/*
 * image_plt.h - names for the stubs of the procedure linkage table.
 *
 * No symbol table has them. A stub jumps through a slot of the global offset table, and the
 * relocation of that slot names the function: "NAME@plt".
 *
 * Source: psABI of x86-64, "Procedure Linkage Table"; elf(5), Rela.
 */
#ifndef IMAGE_IMAGE_PLT_H
#define IMAGE_IMAGE_PLT_H

#include "util/base/symtab.h"
#include "util/image/image_dynsym.h"

/* Add the stubs, by file offset; `dynamic`: the strings of .dynsym. False when memory is out. */
bool image_plt_add(const struct image *img, struct symtab *st, enum symtab_view view,
		   struct image_names dynamic);

#endif
