/* SPDX-License-Identifier: GPL-2.0 */
/*
 * line_table.h - the line program of a compilation unit: from addresses to file and line.
 *
 * The program is run once, into rows of plain numbers; names of files are put together when they
 * are asked for. The sections are foreign bytes: what is wrong in them ends the table there, and
 * its rows so far stay.
 *
 * Source: DWARF 5, section 6.2; DWARF 4, 3 and 2 likewise.
 */
#ifndef DEBUGINFO_LINE_TABLE_H
#define DEBUGINFO_LINE_TABLE_H

#include "util/base/arena.h"
#include "util/base/types.h"
#include "util/base/vec.h"
#include "util/debuginfo/debug_function.h"
#include "util/debuginfo/debug_unpack.h"

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
	u16 version;
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

/* The path of a file by the number that DWARF gives it; NULL: there is none, or it is longer than any path. */
const char *line_table_file(struct line_table *t, u64 file);

void line_table_free(struct line_table *t);

#endif
