/* SPDX-License-Identifier: GPL-2.0 */
/*
 * debug_function.h - a function of the DWARF and what was inlined into it.
 *
 * The tree below the function is read when an address in it is first asked for. Names are looked up
 * at first sight. Trees that are deeper than any compiler makes them are cut.
 *
 * Source: DWARF 5, sections 3.3.5 to 3.3.8.
 */
#ifndef DEBUGINFO_DEBUG_FUNCTION_H
#define DEBUGINFO_DEBUG_FUNCTION_H

#include <elfutils/libdw.h>

#include "util/base/vec.h"
#include "util/debuginfo/debuginfo.h"
#include "util/debuginfo/die_walk.h"
#include "util/debuginfo/range_index.h"

#define DEBUG_DEPTH_MAX 256 /* of blocks and inlined functions in one another */

/* A function, or one that was inlined. */
struct debug_entry {
	Dwarf_Die die;
	const char *name; /* after debug_entry_name(); NULL: it has none */
	bool named, called;
	/* inlined functions: */
	u32 parent;       /* the entry that it was inlined into, ID_NONE: the function */
	u32 line, column; /* of the call; after debug_entry_call() */
	u64 file;         /* number in the unit's table of files */
};

struct debug_function {
	struct debug_entry self;
	bool read;                       /* the tree below */
	VEC(struct debug_entry) inlined; /* outer ones before inner ones */
	struct range_index index;        /* of these */
};

/* The linkage name where there is one, else the plain name, else NULL; none that is longer than SYM_NAME_MAX. */
const char *debug_entry_name(struct debug_entry *e);
/* An attribute that is a string, or NULL. */
const char *debug_entry_string(Dwarf_Die *die, unsigned int name);
/* Where it was called: sets line, column and file, 0 where that is not told. */
void debug_entry_call(struct debug_entry *e);

/* The innermost inlined function at an address; ID_NONE: none, or memory is out. `unit`: its own. */
u32 debug_function_find(struct debug_function *f, const struct die_unit *unit, u64 addr);
void debug_function_free(struct debug_function *f);

/*
 * Add the addresses of an entry. Those of code that the linker left out begin at 0 and are no
 * addresses. *any: there was one. False when memory is out.
 */
bool debug_entry_ranges(Dwarf_Die *die, struct range_index *x, u32 item, bool *any);

#endif
