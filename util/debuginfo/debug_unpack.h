/* SPDX-License-Identifier: GPL-2.0 */
/*
 * debug_unpack.h - a unit of a .dwp file as libdw reads it.
 *
 * libdw knows no packages. It is given what it knows, made of the unit: a .dwo file in memory, and a
 * skeleton that names this file and has the real skeleton's addresses.
 *
 * Source: DWARF 5, sections 3.1.2 and 7.3.2; GNU's DebugFission for DWARF 4.
 */
#ifndef DEBUGINFO_DEBUG_UNPACK_H
#define DEBUGINFO_DEBUG_UNPACK_H

#include <elfutils/libdw.h>
#include <libelf.h>

#include "util/base/buf.h"
#include "util/base/types.h"
#include "util/image/image.h"

/* ---- the sections of DWARF that we read ourselves: bytes of one file ---- */

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

/* ---- a .dwp file: the .dwo files of a program, put together, with an index by dwo_id ---- */

/*
 * The sections are foreign bytes: what lies outside of them is not there.
 *
 * Source: DWARF 5, section 7.3.5; for version 2 of the index, GNU's DebugFissionDWP.
 */

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

/* ---- a unit of a .dwp file as libdw reads it ---- */

/* Zero-initialised, it is empty. */
struct debug_unpacked {
	Dwarf *dwarf; /* of the skeleton */
	Elf *elf;
	struct buf bytes;
};

/*
 * The split unit of a skeleton, which `out` keeps. False: the package has it not, or it cannot be
 * read; debug_unpacked_free() in any case.
 */
bool debug_unpack(struct debug_unpacked *out, const struct debug_package *p, Dwarf_Die *skeleton,
		  Dwarf_Die *split);
void debug_unpacked_free(struct debug_unpacked *u);

#endif
