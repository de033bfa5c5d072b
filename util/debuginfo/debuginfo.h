/* SPDX-License-Identifier: GPL-2.0 */
/*
 * debuginfo.h - which functions were inlined at an address of an image, in which lines, as its
 * DWARF says.
 *
 *	debuginfo_open() -> debuginfo_find() for each distinct address, sorted if possible -> debuginfo_why() -> _close()
 *
 * Functions are indexed when an address in their compilation unit is first asked for, and inlined
 * ones when one in their function is. Nothing is read before. One owner, no locks.
 *
 * Source: DWARF 5, sections 2.17, 3.3, 6.1, 6.2. libdw does the decoding, but for lines.
 */
#ifndef DEBUGINFO_DEBUGINFO_H
#define DEBUGINFO_DEBUGINFO_H

#include "util/base/err.h"
#include "util/image/debug_file.h"
#include "util/image/image.h"

struct debug_entry;
struct debuginfo;

/* All are the caller's and must outlive. */
struct debuginfo_images {
	const struct image *image;
	const struct image *debug; /* the separate file with the debug sections; NULL: the image */
	const struct image *alt;   /* what dwz took out of them; NULL: nothing, or not there */
	const struct image *package; /* the .dwp file of split units; NULL: there is none */
	const char *folder; /* where the file with the debug sections is; NULL: not known */
};

struct debug_frame {
	const char *function; /* linkage name where it has one; NULL: unknown */
	const char *file;     /* as the line table has it, with its folder; NULL: unknown */
	u32 line;             /* 0: unknown */
	/* the place of that function in DWARF, until debuginfo_close(); NULL: nowhere */
	struct debug_entry *entry;
	u64 vaddr; /* that was asked for */
};

/* -ENODATA: there is no DWARF; -EBADMSG and others: it cannot be read. */
int debuginfo_open(struct debuginfo **out, const struct debuginfo_images *images, struct err *err);
void debuginfo_close(struct debuginfo *d);

/*
 * The frames at a virtual address of the image: innermost inlined function first, the function that
 * was called last. How many, at most `max`; 0: nothing is known; -ENOMEM. Strings live as long as `d`.
 */
int debuginfo_find(struct debuginfo *d, u64 vaddr, struct debug_frame *out, u32 max);

/*
 * Why answers so far may lack something that a whole file and enough memory would have given: a negative errno of the first such
 * thing, and a message that does not name the file. 0: nothing was missing.
 */
int debuginfo_why(const struct debuginfo *d, struct err *err);

/* Has the function a linkage name, or is it of a language without such? */
bool debug_entry_is_linkage(struct debug_entry *e);
/* The address that it is called at; 0: unknown. */
u64 debug_entry_begin(struct debug_entry *e);

/*
 * The debug information of an image with all its files: the image itself or its separate debug file, what dwz took out
 * of that, and a .dwp file beside either. They stay open.
 */
struct debug_source {
	struct image image, debug, alt, package;
	bool has_debug, has_alt, has_package;
	struct debuginfo *info; /* NULL: there is none */
	char *name;             /* the file with the debug sections; NULL: not known */
};

/*
 * Find what belongs to an open image, which is the source's from now on. `path`: its own, below the
 * root of `o`; NULL: not known. -ENODATA: there is no debug information; else why all of it, what dwz took out of
 * it, or its package, cannot be had. debug_source_close() it, whatever came of it.
 */
int debug_source_open(struct debug_source *s, const struct image *image, const char *path,
		      const struct debug_file_options *o, struct err *err);
void debug_source_close(struct debug_source *s);

/* The frames at a byte of the image's file, as debuginfo_find(). */
int debug_source_find(struct debug_source *s, u64 offset, struct debug_frame *out, u32 max);
/* As debuginfo_why(), but the message names the file. What debug_source_open() said is not repeated. */
int debug_source_why(const struct debug_source *s, struct err *err);

#endif
