/* SPDX-License-Identifier: GPL-2.0 */
/*
 * debug_places.h - where the code of a line of source is, as its line table says.
 *
 *	debug_places_find() -> v, in order of address -> debug_places_free(), before debug_source_close()
 *
 * A function has a line once, at the first instruction of it at which a statement begins; so has each place that the function was
 * inlined into. "First" is from the beginning of the function on: what the compiler moved away in front of it comes last. Of copies
 * that the optimiser made of the statement each is a place, where the compiler marks them: GCC does.
 *
 * Source: DWARF 5, sections 3.3.8 and 6.2.
 */
#ifndef DEBUGINFO_DEBUG_PLACES_H
#define DEBUGINFO_DEBUG_PLACES_H

#include "util/base/arena.h"
#include "util/base/buf.h"
#include "util/base/vec.h"
#include "util/debuginfo/debuginfo.h"

#define DEBUG_PLACES_MAX 512u /* of a line */

struct debug_place {
	u64 vaddr;
	const char *
		name; /* of the function that the code is in, whatever was inlined; NULL: unknown */
	/* that function, and the one that the line is of; NULL: unknown */
	struct debug_entry *outer, *entry;
};

/* A statement of the file. */
struct debug_statement {
	u64 vaddr;
	u32 line;
	u32 file : 19, column : 12; /* file: number in `files` */
	u32 marked : 1;             /* copies of it are, too */
};

struct debug_places {
	struct arena arena;
	u32 line;
	VEC(struct debug_place) v;
	VEC(const char *) files; /* that are meant: paths without "." and ".." */
	u32 file;                /* the one with the line */
	VEC(struct debug_statement) statements;
};

/*
 * `file`: its path, or the end of it: "source.c", "src/source.c". -ENODATA: nothing is known of lines; -ENOENT: there is no such file, or
 * no code of that line; -ENOTUNIQ: several files are meant; -E2BIG; -ENOMEM. The message is for who typed it.
 */
int debug_places_find(struct debug_places *p, struct debug_source *s, const char *file, u32 line,
		      struct err *err);
void debug_places_free(struct debug_places *p);

/* Do several lines of the files begin at the address? All but the last have no code of their own. */
bool debug_places_share(const struct debug_places *p, u64 vaddr);

struct debug_line {
	u32 line;
	u64 vaddr;
};

struct debug_lines {
	VEC(struct debug_line) v;
};

/* All lines of the function, or of the place it was inlined into, that a place is in: where each is, in order. -ENOMEM. */
int debug_places_lines(const struct debug_places *p, struct debug_source *s,
		       const struct debug_place *of, struct debug_lines *out);
/* "12, 14-16", of the lines for which `is` has a bit set; runs are of lines that have code. */
void debug_lines_text(const struct debug_lines *l, const bool *is, struct buf *out);

#endif
