/* SPDX-License-Identifier: GPL-2.0 */
/*
 * columns_section.h - what a writer has gathered, as a section of a DATA payload (docs/FORMAT.md).
 */
#ifndef FILE_COLUMNS_SECTION_H
#define FILE_COLUMNS_SECTION_H

#include "util/file/columns_write.h"

/* Write it; nothing if there were no records. w->failed, o->failed: memory ran out. */
void columns_section_put(struct columns_writer *w, struct columns_out *o);

#endif
