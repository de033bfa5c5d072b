/* SPDX-License-Identifier: GPL-2.0 */
/*
 * columns_blobs.h - byte strings of a section of a DATA payload, each once: names, mappings.
 */
#ifndef FILE_COLUMNS_BLOBS_H
#define FILE_COLUMNS_BLOBS_H

#include "util/base/vec.h"
#include "util/file/columns_in.h"
#include "util/file/columns_out.h"

struct columns_blob {
	u32 at, len; /* in the bytes of all of them */
};

struct columns_blobs {
	struct columns_table known; /* hash -> blob; for adding */
	VEC(struct columns_blob) blobs;
	struct buf bytes;
	bool failed; /* sticky: memory ran out */
};

void columns_blobs_clear(struct columns_blobs *b);
void columns_blobs_free(struct columns_blobs *b);

/* The number of a string. */
u32 columns_blobs_add(struct columns_blobs *b, const void *p, u32 len);
void columns_blobs_put(struct columns_blobs *b, struct columns_out *o);

/* Read them all; false, and c->bad. */
bool columns_blobs_get(struct columns_blobs *b, struct columns_in *in, struct cur *c);

#endif
