/* SPDX-License-Identifier: GPL-2.0 */
/*
 * debug_sections.h - the sections of DWARF that we read ourselves: bytes of one file.
 */
#ifndef DEBUGINFO_DEBUG_SECTIONS_H
#define DEBUGINFO_DEBUG_SECTIONS_H

#include <libelf.h>

#include "util/base/types.h"
#include "util/image/image.h"

/* p NULL: it is not there. */
struct debug_bytes {
	const u8 *p;
	size_t len;
};

struct debug_sections {
	struct debug_bytes info, abbrev, line, line_str, str;
	bool swap; /* of the other byte order than this machine's */
};

/* One section by its name, if it is there and not compressed. They live as long as the image. */
struct debug_bytes debug_sections_bytes(const struct image *img, const char *name);

/* Of a file that libdw has open, which has decompressed them. They live as long as `elf`. */
void debug_sections_get(struct debug_sections *s, Elf *elf);

#endif
