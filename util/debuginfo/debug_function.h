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

#include "util/base/cur.h"
#include "util/base/types.h"
#include "util/base/vec.h"
#include "util/debuginfo/debug_unpack.h"
#include "util/debuginfo/debuginfo.h"

/* ---- ranges of addresses that lie in one another, and the innermost at an address ---- */

/*
 * Zero-initialised it is empty and ready: range_index_add() in any order, range_index_finish()
 * once, then range_index_find() with a binary search. An item may have several ranges; of ranges
 * that begin together, the one with the higher item is the inner one. Ranges that overlap without
 * one lying in the other give the one that began last.
 */

struct range {
	u64 low, high; /* [low, high) */
	u32 item;      /* the caller's number */
};

/* From `start` to the next piece it is this item; ID_NONE: a gap. */
struct range_piece {
	u64 start;
	u32 item;
};

struct range_index {
	VEC(struct range) ranges; /* until they are cut into pieces */
	VEC(struct range_piece) pieces;
};

/* Both are false when memory is out. An empty range is none. */
bool range_index_add(struct range_index *x, u64 low, u64 high, u32 item);
bool range_index_finish(struct range_index *x);

/* The innermost item at an address, or ID_NONE. */
u32 range_index_find(const struct range_index *x, u64 addr);

void range_index_free(struct range_index *x);

/* ---- goes through the entries (DIEs) of a unit in their order ---- */

/*
 * It reads tags and places only; the contents of an entry are libdw's business. Where most entries are
 * passed over this is many times faster than libdw, which looks each abbreviation up under a lock
 * and goes through the same entries again for each level of the tree.
 *
 * The sections are foreign bytes: a walk ends where they make no sense.
 *
 * Source: DWARF 5, sections 7.5.1 to 7.5.6; DWARF 2 to 4 likewise; GNU's forms for split DWARF and dwz.
 */

/* What entries with the same code have in common. */
struct die_abbrev {
	u64 code;
	u32 tag;
	bool children;
	bool code_range; /* it has addresses: DW_AT_low_pc or DW_AT_ranges */
	bool fixed;      /* its size is the same in all */
	u32 size;        /* then; without the code */
	u32 first, nr;   /* forms */
};

/* Zero-initialised, it is empty. */
struct die_unit {
	struct debug_bytes info;
	u64 end; /* in the section */
	u16 version;
	u8 address_size, offset_size;
	bool swap;
	VEC(struct die_abbrev) abbrevs; /* sorted by code */
	VEC(u16) forms;
};

/*
 * Read the header at an offset and its abbreviations; the sections must outlive. -EBADMSG, -ENOMEM.
 */
int die_unit_read(struct die_unit *u, const struct debug_sections *s, u64 offset);
void die_unit_free(struct die_unit *u);

struct die {
	u64 offset; /* in the section */
	u32 tag, depth;
	bool code_range;
};

struct die_walk {
	const struct die_unit *unit;
	struct cur at;
	u32 depth;
};

/* From the entry at `offset`, of depth 0, through all that is below it. */
void die_walk_begin(struct die_walk *w, const struct die_unit *u, u64 offset);
bool die_walk_next(struct die_walk *w, struct die *out);

/* ---- a function of the DWARF and what was inlined into it ---- */

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
/* Where it was called: sets line, column and file, 0 if unknown. */
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
