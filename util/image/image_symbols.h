/* SPDX-License-Identifier: GPL-2.0 */
/*
 * image_symbols.h - the functions of an ELF image as a symtab of file offsets.
 *
 * The key is what a mapping shows: ip - map.start + map.pgoff. Taken are the functions of .symtab
 * and of .dynsym (by PT_DYNAMIC if there are no section headers), labels in code where no function is (_start), and the stubs of the procedure
 * linkage table as "NAME@plt". Names are as in the file: mangled.
 *
 * View SYMTAB_PERF takes what perf 6.1 takes: objects too, labels in sections whose name has
 * "text" or "data" in it, and one stub after the other for the entries of .rela.plt.
 *
 * Source: gABI chapter 4 (Symbol Table); psABI of x86-64 (Procedure Linkage Table).
 */
#ifndef IMAGE_IMAGE_SYMBOLS_H
#define IMAGE_IMAGE_SYMBOLS_H

#include "util/base/symtab.h"
#include "util/image/image.h"

/*
 * Fill and finish the empty `st`; an image without symbols gives an empty one. `debug` is the
 * image's separate debug file (debug_file.h), whose .symtab then stands for the image's, or NULL.
 */
int image_symbols_load(const struct image *img, const struct image *debug, struct symtab *st,
		       enum symtab_view view, struct err *err);

#endif
