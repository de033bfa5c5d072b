/* SPDX-License-Identifier: GPL-2.0 */
/*
 * debug_package.h - a .dwp file: the .dwo files of a program, put together, with an index by dwo_id.
 *
 * The sections are foreign bytes: what lies outside of them is not there.
 *
 * Source: DWARF 5, section 7.3.5; for version 2 of the index, GNU's DebugFissionDWP.
 */
#ifndef DEBUGINFO_DEBUG_PACKAGE_H
#define DEBUGINFO_DEBUG_PACKAGE_H

#include "util/debuginfo/debug_sections.h"
#include "util/image/image.h"

/* Parts of a unit. */
enum debug_package_part {
	PACKAGE_INFO,
	PACKAGE_ABBREV,
	PACKAGE_LINE,
	PACKAGE_STR_OFFSETS,
	PACKAGE_RNGLISTS,
	PACKAGE_PARTS,
};

struct debug_package {
	struct debug_bytes sections[PACKAGE_PARTS];
	struct debug_bytes str; /* of all units */
	struct debug_bytes index;
	bool swap; /* of the other byte order than this machine's */
};

/* A unit: its share of each section. p NULL: none. */
struct debug_package_unit {
	struct debug_bytes parts[PACKAGE_PARTS];
};

/* How libdw calls the section of a part. */
const char *debug_package_section(enum debug_package_part part);

/* They live as long as the image. */
void debug_package_get(struct debug_package *p, const struct image *img);

/* False: there is no such unit, or its entry in the index is not sound. */
bool debug_package_find(const struct debug_package *p, u64 dwo_id, struct debug_package_unit *out);

#endif
