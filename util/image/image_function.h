/* SPDX-License-Identifier: GPL-2.0 */
/*
 * image_function.h - a function of an ELF image by its name: where it begins.
 *
 * Looked for in .symtab and .dynsym, names as in the file: mangled. A global function goes before local
 * ones of its name. Where a function has an entry for calls inside of its image, that is its beginning,
 * since all callers pass it.
 *
 * Source: gABI chapter 4 (Symbol Table); ELFv2 ABI of ppc64 3.4.1 (local entry points).
 */
#ifndef IMAGE_IMAGE_FUNCTION_H
#define IMAGE_IMAGE_FUNCTION_H

#include "util/image/image.h"

/*
 * The virtual address of the function. `debug`: the image's separate debug file, whose .symtab is
 * searched too, or NULL. -ENOENT: there is none; -ENOTUNIQ: several local ones, at *vaddr the first.
 */
int image_function_find(const struct image *img, const struct image *debug, const char *name,
			u64 *vaddr);

#endif
