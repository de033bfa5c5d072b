/* SPDX-License-Identifier: GPL-2.0 */
/*
 * debug_unpack.h - a unit of a .dwp file (debug_package.h) as libdw reads it.
 *
 * libdw knows no packages. It is given what it knows, made of the unit: a .dwo file in memory, and a
 * skeleton that names this file and has the real skeleton's addresses.
 *
 * Source: DWARF 5, sections 3.1.2 and 7.3.2; GNU's DebugFission for DWARF 4.
 */
#ifndef DEBUGINFO_DEBUG_UNPACK_H
#define DEBUGINFO_DEBUG_UNPACK_H

#include <elfutils/libdw.h>

#include "util/base/buf.h"
#include "util/debuginfo/debug_package.h"

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
