/* SPDX-License-Identifier: GPL-2.0 */
/*
 * seen_fetch.h - what samples stand at in an image whose names or lines are not on this machine,
 * until the recording is over and a server can be asked for its debug file.
 *
 * The image stays open: its file may be gone by then.
 */
#ifndef CAPTURE_SEEN_FETCH_H
#define CAPTURE_SEEN_FETCH_H

#include "util/base/hash.h"
#include "util/base/symtab.h"
#include "util/base/vec.h"
#include "util/image/debug_file.h"

/* Zero-initialised, it wants nothing. */
struct seen_fetch {
	bool wanted;         /* a debug file; then `image` is ours */
	bool symbols, lines; /* what of it */
	struct image image;
	struct hmap met;  /* in `offsets` */
	VEC(u64) offsets; /* in the image's file */
};

/* The image, which is taken over, lacks these. */
void seen_fetch_want(struct seen_fetch *f, const struct image *image, bool symbols, bool lines);

/* A sample stands at this byte of the file. False when memory is out. */
bool seen_fetch_add(struct seen_fetch *f, u64 offset);

/* Put the symbols of the debug file in the place of those that the image has. False: there are none. */
bool seen_fetch_symbols(const struct seen_fetch *f, const char *path,
			const struct debug_file_options *o, struct symtab *symtab);

/* The image, from now on the caller's. */
const struct image *seen_fetch_take(struct seen_fetch *f);

void seen_fetch_free(struct seen_fetch *f);

#endif
