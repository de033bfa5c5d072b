/* SPDX-License-Identifier: GPL-2.0 */
/*
 * seen_lines.h - the inlined functions and lines of the addresses of one DSO that a recording has
 * samples at, and the FRAMES blocks that say so (docs/FORMAT.md).
 *
 * The DSO's file and its debug file stay open while the recording goes on.
 */
#ifndef CAPTURE_SEEN_LINES_H
#define CAPTURE_SEEN_LINES_H

#include "util/base/hash.h"
#include "util/capture/seen_names.h"
#include "util/debuginfo/debug_source.h"
#include "util/file/writer.h"

/* Zero-initialised, it is empty and ready. */
struct seen_lines {
	bool open;
	struct debug_source source;
	struct hmap known;     /* addresses in `entries`, or without lines */
	struct strtab strings; /* functions and files */
	struct buf entries;    /* as in a FRAMES block, but with numbers of `strings`, plus one */
	size_t written;        /* bytes of them that are in the file */
};

/* Open the debug information of an image, which is taken over, once. `path`, `o`: debug_file.h */
void seen_lines_open(struct seen_lines *l, const struct image *image, const char *path,
		     const struct debug_file_options *o);

/* A sample stands at this byte of the DSO's file. False when memory is out. */
bool seen_lines_add(struct seen_lines *l, struct seen_names *names, u64 offset);

/* Write what the file does not have yet, in blocks that begin with this DSO head. */
int seen_lines_write(struct seen_lines *l, const struct buf *head, struct writer *w,
		     struct err *err);

/* The file has none of it; with `all`, nothing was seen either. */
void seen_lines_unwritten(struct seen_lines *l, bool all);

void seen_lines_free(struct seen_lines *l);

#endif
