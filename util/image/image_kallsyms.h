/* SPDX-License-Identifier: GPL-2.0 */
/*
 * image_kallsyms.h - the symbols of a kernel's image (vmlinux), as /proc/kallsyms would have them.
 *
 * Lines "ADDRESS TYPE NAME" of all code, in the order of the image's symbol table; addresses are those
 * that the kernel was linked for.
 */
#ifndef IMAGE_IMAGE_KALLSYMS_H
#define IMAGE_IMAGE_KALLSYMS_H

#include "util/base/buf.h"
#include "util/image/image.h"

/* Append to `out`. -ENODATA: the image has no symbol table. */
int image_kallsyms(const struct image *img, struct buf *out, struct err *err);

#endif
