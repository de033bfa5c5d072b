/* SPDX-License-Identifier: GPL-2.0 */
/*
 * unwind_debug_frame.h - the section .debug_frame of an image or of its separate debug file: what
 * code has that was compiled without asynchronous unwind tables, and what Go makes.
 *
 * It is read as a whole, decompressed if need be, and indexed at the first search.
 */
#ifndef UNWIND_UNWIND_DEBUG_FRAME_H
#define UNWIND_UNWIND_DEBUG_FRAME_H

#include "util/image/image.h"
#include "util/unwind/cfi_find.h"

struct unwind_debug_frame;

/* NULL: there is none. */
struct unwind_debug_frame *unwind_debug_frame_open(const struct image *img);
void unwind_debug_frame_close(struct unwind_debug_frame *d);

/* What to search in; NULL for NULL. */
struct cfi_find *unwind_debug_frame_find(struct unwind_debug_frame *d);

#endif
