/* SPDX-License-Identifier: GPL-2.0 */
/*
 * die_walk.h - goes through the entries (DIEs) of a unit in the order in which they stand.
 *
 * It tells tags and places only; what an entry says is libdw's business. Where most entries are
 * passed over this is many times faster than libdw, which looks each abbreviation up under a lock
 * and goes through the same entries again for each level of the tree.
 *
 * The sections are foreign bytes: a walk ends where they make no sense.
 *
 * Source: DWARF 5, sections 7.5.1 to 7.5.6; DWARF 2 to 4 likewise; GNU's forms for split DWARF and dwz.
 */
#ifndef DEBUGINFO_DIE_WALK_H
#define DEBUGINFO_DIE_WALK_H

#include "util/base/cur.h"
#include "util/base/vec.h"
#include "util/debuginfo/debug_sections.h"

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

#endif
