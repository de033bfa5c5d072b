/* SPDX-License-Identifier: GPL-2.0 */
/*
 * image_symbols.h - the symbols of an ELF image.
 *
 * image_symbols_load() makes a symtab of file offsets, as a mapping shows them: ip - map.start + map.pgoff. It takes the
 * functions of .symtab and .dynsym (by PT_DYNAMIC if there are no section headers), labels in code outside any function
 * (_start), and the stubs of the procedure linkage table as "NAME@plt"; of a stripped program of Go, the functions that it
 * names itself (.gopclntab). Names are as in the file: mangled.
 *
 * View SYMTAB_PERF takes what perf 6.1 takes: objects too, labels in sections whose name has
 * "text" or "data" in it, and one stub after the other for the entries of .rela.plt.
 *
 * Source: gABI chapter 4 (Symbol Table); psABI of x86-64 (Procedure Linkage Table).
 */
#ifndef IMAGE_IMAGE_SYMBOLS_H
#define IMAGE_IMAGE_SYMBOLS_H

#include "util/base/buf.h"
#include "util/base/hash.h"
#include "util/base/symtab.h"
#include "util/image/image.h"

/*
 * Fill and finish the empty `st`; an image without symbols gives an empty one. `debug` is the
 * image's separate debug file (debug_file.h), whose .symtab then replaces the image's, or NULL. -EIO: something cannot be read,
 * which err says of its file; `st` has all else, and is finished.
 */
int image_symbols_load(const struct image *img, const struct image *debug, struct symtab *st,
		       enum symtab_view view, struct err *err);

/*
 * Where the function of that (mangled) name in .symtab or .dynsym begins: its virtual address. A global function goes before
 * local ones of its name. If it has an entry for calls inside of its image, that is its beginning, since all callers pass
 * it (ELFv2 ABI of ppc64 3.4.1, local entry points). `debug`: the image's separate debug file, whose .symtab is
 * searched too, or NULL. -ENOENT: there is none; -ENOTUNIQ: several local ones, at *vaddr the first; -ENOTSUP: an indirect
 * one (STT_GNU_IFUNC), at *vaddr the code that chooses the function to be called, once; -EIO: some symbols cannot be read.
 */
int image_function_find(const struct image *img, const struct image *debug, const char *name,
			u64 *vaddr);

/*
 * Fill and finish the empty `st` with the data of an image, by virtual address. `debug`: its separate debug file, or NULL.
 * -ENOMEM; -EIO as image_symbols_load().
 */
int image_objects_load(const struct image *img, const struct image *debug, struct symtab *st,
		       struct err *err);

/*
 * Of a 32-bit ARM image: does a symbol say of the function at a virtual address that it is in Thumb code? `debug`: the image's
 * separate debug file, or NULL.
 */
bool image_is_thumb(const struct image *img, const struct image *debug, u64 vaddr);

/* The bytes of the file at which indirect functions begin become keys of `offsets`. -ENOMEM; -EIO: some symbols cannot be read. */
int image_indirect_functions(const struct image *img, const struct image *debug,
			     struct hmap *offsets);

/*
 * Append the symbols of a kernel's image (vmlinux) as /proc/kallsyms would have them: lines "ADDRESS TYPE NAME" of all code, in
 * the order of the image's symbol table; addresses are those that the kernel was linked for. -ENODATA: the image has no symbol table.
 */
int image_kallsyms(const struct image *img, struct buf *out, struct err *err);

#endif
