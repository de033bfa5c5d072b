/* SPDX-License-Identifier: GPL-2.0 */
/*
 * debug_unit.h - a compilation unit of the DWARF: its functions by address, its lines.
 *
 * A unit of split DWARF has its functions in a file of its own and its lines here.
 *
 * Source: DWARF 5, sections 3.1, 6.2 and 7.3.2.
 */
#ifndef DEBUGINFO_DEBUG_UNIT_H
#define DEBUGINFO_DEBUG_UNIT_H

#include "util/debuginfo/debug_function.h"
#include "util/debuginfo/debug_unpack.h"
#include "util/debuginfo/line_table.h"

struct debug_unit {
	Dwarf_Die die;
	Dwarf_Die tree;          /* the unit with the functions, after debug_unit_read() */
	struct die_unit entries; /* of that */
	VEC(struct debug_function) functions;
	struct range_index index; /* of functions */
	struct line_table lines;
	struct line_table *files;       /* of a split unit, where it has its own; else NULL */
	struct debug_unpacked unpacked; /* of a split unit in a package */
	bool read;
};

/* Where split units are. */
struct debug_unit_places {
	const char *folder;                  /* of the file with the unit, NULL: not known */
	const struct debug_package *package; /* NULL: there is none */
};

/* Read functions and lines, once. `s`: the sections of the file that the unit is in. */
void debug_unit_read(struct debug_unit *u, const struct debug_sections *s,
		     const struct debug_unit_places *places);

/* The function at an address of a unit that was read, or NULL. */
struct debug_function *debug_unit_find(struct debug_unit *u, u64 addr);

/* A file by the number that the unit's entries give it; NULL: it is not told. */
const char *debug_unit_file(struct debug_unit *u, u64 file);

void debug_unit_free(struct debug_unit *u);

#endif
