/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wrap.h - text in lines that fit: broken at blanks, the next lines indented.
 */
#ifndef CLI_WRAP_H
#define CLI_WRAP_H

#include "util/base/buf.h"

/* The widest lines that are printed anywhere. */
#define WRAP_WIDTH 100

/* What is printed on `fd` may be so wide: as its terminal is, and no wider than that; SIZE_MAX if it is none. */
size_t wrap_width(int fd);

/*
 * Append the words of `text`, the first at `column`, where the line stands, and those of further lines at
 * `indent`; a word alone may pass `width`. Ends with a newline.
 */
void wrap_put(struct buf *out, const char *text, size_t column, size_t indent, size_t width);

#endif
