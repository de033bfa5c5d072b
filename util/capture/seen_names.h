/* SPDX-License-Identifier: GPL-2.0 */
/*
 * seen_names.h - how much of the names of functions and files a recording keeps.
 *
 * Whoever runs a program that is recorded chooses its names. Readers refuse what unpacks to far more
 * than the file has bytes, so that long names without end would make the recording of all others
 * unreadable: each is cut at SYM_NAME_MAX, and at SEEN_NAME_SHORT when there were many of them.
 */
#ifndef CAPTURE_SEEN_NAMES_H
#define CAPTURE_SEEN_NAMES_H

#include "util/base/sym.h"

#define SEEN_NAME_SHORT 256
#define SEEN_NAMES_LONG (16u << 20) /* bytes of all longer names of a file */

/* Zero-initialised, it is ready. */
struct seen_names {
	u64 long_bytes; /* of names longer than SEEN_NAME_SHORT, in this file */
	u32 cut;        /* names that were cut */
};

/* How many bytes of a name to keep. */
size_t seen_names_length(const struct seen_names *n, const char *name);

/* A name of which `len` bytes were kept went into the recording. */
void seen_names_add(struct seen_names *n, const char *name, size_t len);

#endif
