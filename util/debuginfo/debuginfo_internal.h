/* SPDX-License-Identifier: GPL-2.0 */
/* debuginfo_internal.h - what the pages of debuginfo.h share. */
#ifndef DEBUGINFO_DEBUGINFO_INTERNAL_H
#define DEBUGINFO_DEBUGINFO_INTERNAL_H

#include <elfutils/libdw.h>
#include <libelf.h>

#include "util/base/arena.h"
#include "util/base/buf.h"
#include "util/base/cur.h"
#include "util/base/types.h"
#include "util/base/vec.h"
#include "util/debuginfo/debug_types.h"
#include "util/debuginfo/debuginfo.h"
#include "util/image/image.h"

/*
 * debuginfo_package.c: a unit of a .dwp file as libdw reads it.
 *
 * libdw knows no packages. It is given what it knows, made of the unit: a .dwo file in memory, and a
 * skeleton that names this file and has the real skeleton's addresses.
 *
 * Source: DWARF 5, sections 3.1.2 and 7.3.2; GNU's DebugFission for DWARF 4.
 */

/*
 * debug_types_parameters.c: where a parameter is at the beginning `vaddr` of its function.
 *
 * The sign of a constant of one to eight bytes is that of its form: who writes negative ones takes DW_FORM_sdata.
 */
struct debug_location debug_parameter_find(Dwarf_Die *function, Dwarf_Die *die, u64 vaddr);
bool debug_entry_constant(Dwarf_Attribute *attr, s64 *v);

/*
 * debug_types_align.c: how a type is aligned where it is passed to a function, in bytes; 0: it is not known, or there are vectors in
 * it, for which calls have rules of their own.
 */
u32 debug_types_align(Dwarf_Die type);

/* debuginfo_die.c: attributes of an entry, or of the one that it is an instance of (DW_AT_abstract_origin, DW_AT_specification). */
const char *debuginfo_die_name(Dwarf_Die *die);
bool debuginfo_die_number(Dwarf_Die *die, unsigned int name, u64 *v);
/* Of the entry itself. */
bool debuginfo_die_flag(Dwarf_Die *die, unsigned int name);
/* In bytes; 0: it has none. */
u32 debuginfo_die_size(Dwarf_Die *die);
/* NULL: it has none. */
Dwarf_Die *debuginfo_die_type(Dwarf_Die *die, Dwarf_Die *type);
/* What a type is behind typedefs and qualifiers; false: nothing. */
bool debuginfo_die_resolve(Dwarf_Die *die);
bool debuginfo_die_is_struct(Dwarf_Die *die);

/* ---- the sections of DWARF that we read ourselves: bytes of one file ---- */

/* p NULL: it is not there. */
struct debug_bytes {
	const u8 *p;
	size_t len;
};

struct debug_sections {
	struct debug_bytes info, abbrev, line, line_str, str;
	u64 ranges; /* bytes of lists of ranges */
	bool swap;  /* of the other byte order than this machine's */
};

/*
 * Can all that we and libdw read of a file be read? To be asked before libdw gets it, which passes over what it cannot read.
 * 0, -EIO.
 */
int debug_sections_check(const struct image *img, struct err *err);
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

/* They live as long as the image. -EIO: some of them cannot be read, and look as if they were not there. */
int debug_package_get(struct debug_package *p, const struct image *img, struct err *err);

/* -ENODATA: there is no such unit; -EBADMSG: the index, or its entry in it, is not sound. */
int debug_package_find(const struct debug_package *p, u64 dwo_id, struct debug_package_unit *out);

/* ---- a unit of a .dwp file as libdw reads it ---- */

/* Zero-initialised, it is empty. */
struct debug_unpacked {
	Dwarf *dwarf; /* of the skeleton */
	Elf *elf;
	struct buf bytes;
};

/*
 * The split unit of a skeleton, which `out` keeps. -ENODATA: the package has it not; -EBADMSG, -ENOMEM and others: it cannot be
 * had; debug_unpacked_free() in any case.
 */
int debug_package_unpack(struct debug_unpacked *out, const struct debug_package *p,
			 Dwarf_Die *skeleton, Dwarf_Die *split);
void debug_unpacked_free(struct debug_unpacked *u);

/*
 * debuginfo_function.c: a function of the DWARF and what was inlined into it.
 *
 * The tree below the function is read when an address in it is first asked for. Names are looked up
 * at first sight. Trees that are deeper than any compiler makes them are cut.
 *
 * Source: DWARF 5, sections 3.3.5 to 3.3.8.
 */

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
 * The sections are foreign bytes: a walk ends where they make no sense, and is `damaged`.
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
	bool damaged;
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
	bool damaged; /* it has a name that cannot be read */
	bool begun;
	u64 begin; /* after debug_entry_begin() */
	/* inlined functions: */
	u32 parent; /* the entry that it was inlined into, ID_NONE: the function */
	u32 line;   /* of the call; after debug_entry_call() */
	u64 file;   /* number in the unit's table of files */
};

struct debug_function {
	struct debug_entry self;
	bool read;                       /* the tree below */
	int why;                         /* it is not complete: -ENOMEM, -EBADMSG */
	VEC(struct debug_entry) inlined; /* outer ones before inner ones */
	struct range_index index;        /* of these */
};

/* The linkage name where there is one, else the plain name, else NULL; none that is longer than SYM_NAME_MAX. */
const char *debug_entry_name(struct debug_entry *e);
/* An attribute that is a string, or NULL. */
const char *debug_entry_string(Dwarf_Die *die, unsigned int name);
/* Likewise a number; 0: it has none. */
u64 debug_entry_number(Dwarf_Die *die, unsigned int name);
/* Where it was called: sets line and file, 0 if unknown. */
void debug_entry_call(struct debug_entry *e);

/*
 * The innermost inlined function at an address; ID_NONE: none, or that is not known (`why`). `unit`: its own; `left` as in
 * debug_entry_ranges().
 */
u32 debug_function_find(struct debug_function *f, const struct die_unit *unit, u64 addr, u64 *left);
void debug_function_free(struct debug_function *f);

/*
 * Add the addresses of an entry. Those of code that the linker left out begin at 0 and are no
 * addresses. *any: there was one. -EBADMSG, -ENOMEM.
 *
 * Any number of entries may name the same list of ranges: *left, which debug_entry_ranges_of() sections gives, is how many may
 * still be taken from lists; beyond that is damage.
 */
int debug_entry_ranges(Dwarf_Die *die, struct range_index *x, u32 item, bool *any, u64 *left);
u64 debug_entry_ranges_of(const struct debug_sections *s);

/*
 * debuginfo_lines.c: the line program of a compilation unit: from addresses to file and line.
 *
 * The program is run once, into rows of plain numbers; names of files are put together when they
 * are asked for. The sections are foreign bytes: what is wrong in them ends the table there, and
 * its rows so far stay.
 *
 * Source: DWARF 5, section 6.2; DWARF 4, 3 and 2 likewise.
 */

struct line_row {
	u64 addr;
	u32 line;
	u32 file : 20, column : 12; /* file: as line_table_file() takes it */
};

struct line_file {
	const char *name; /* in a section, NUL-terminated */
	const char *path; /* NULL: not put together yet */
	u64 dir;
};

struct line_table {
	struct arena arena;
	const char *comp_dir; /* the caller's; NULL: unknown */
	bool names_only;      /* the caller's: read no rows ... */
	bool statements; /* ... or those alone at which a statement begins, also several at an address */
	bool marks; /* then: the compiler says once of each statement, and of each copy of it, where it begins */
	bool damaged;   /* rows or files are missing */
	bool no_memory; /* line_table_file() had none */
	VEC(const char *) dirs;
	VEC(struct line_file) files; /* from 0 in DWARF 5, else from 1 */
	VEC(struct line_row) rows;   /* of all sequences, one behind the other */
	VEC(struct line_sequence) sequences;
	struct range_index index; /* of sequences */
};

/* Rows in order of address, of bytes that lie together. */
struct line_sequence {
	u32 first, nr;
};

/*
 * Read the table at `offset` of the line section into the zero-initialised `t`, whose files are
 * relative to `comp_dir`. -EBADMSG: there is none that can be read; -ENOMEM.
 */
int line_table_read(struct line_table *t, const struct debug_sections *s, u64 offset,
		    const char *comp_dir);

/* The row of the instruction at an address, or NULL. */
const struct line_row *line_table_find(const struct line_table *t, u64 addr);

/* The path of a file by the number that DWARF gives it; NULL: there is none, it is longer than any path, or no_memory. */
const char *line_table_file(struct line_table *t, u64 file);

void line_table_free(struct line_table *t);

/* ---- the units of an image ---- */

/*
 * Read the line table of unit number `nr` into the zero-initialised `t`, in which the caller has said what is wanted: 1; 0: it has
 * none; -ENOENT: there are no more units; -ENOMEM.
 */
int debuginfo_unit_lines(struct debuginfo *d, u32 nr, struct line_table *t);
/* Where the function of a frame is declared: the file, as the line table has it, and the line; NULL: unknown. */
const char *debuginfo_declared(struct debuginfo *d, const struct debug_frame *f, u32 *line);

#endif
