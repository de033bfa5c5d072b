/* SPDX-License-Identifier: GPL-2.0 */
/*
 * debug_source.h - the debug information of an image with all the files that it is in: the image
 * itself or its separate debug file, what dwz took out of that, and a .dwp file beside either. They stay open.
 */
#ifndef DEBUGINFO_DEBUG_SOURCE_H
#define DEBUGINFO_DEBUG_SOURCE_H

#include "util/debuginfo/debuginfo.h"
#include "util/image/debug_file.h"

struct debug_source {
	struct image image, debug, alt, package;
	bool has_debug, has_alt, has_package;
	struct debuginfo *info; /* NULL: there is none */
};

/*
 * Find what belongs to an open image, which is the source's from now on. `path`: its own, below the
 * root of `o`; NULL: not known. debug_source_close() it, even where there was nothing.
 */
void debug_source_open(struct debug_source *s, const struct image *image, const char *path,
		       const struct debug_file_options *o);
void debug_source_close(struct debug_source *s);

/* The frames at a byte of the image's file, as debuginfo_find(). */
u32 debug_source_find(struct debug_source *s, u64 offset, struct debug_frame *out, u32 max);

#endif
