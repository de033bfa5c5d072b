/* SPDX-License-Identifier: GPL-2.0 */
/*
 * columns_in.h - read arrays of integers, and bytes, as columns_ints.h has them.
 *
 * Reading is safe on any bytes: the cursor's `bad` tells.
 */
#ifndef FILE_COLUMNS_IN_H
#define FILE_COLUMNS_IN_H

#include "util/base/cur.h"
#include "util/file/columns_ints.h"
#include "util/file/compress.h"

struct columns_in {
	struct decompressor zstd;
	struct buf plane; /* a decompressed stream */
	u64 *scratch[2];
	size_t cap;
	bool nomem; /* sticky: memory ran out, which makes the cursor bad, too */
};

void columns_in_free(struct columns_in *in);
/* Memory for n integers in each of in->scratch. */
bool columns_in_room(struct columns_in *in, size_t n);

u64 columns_get_varint(struct cur *c);
/* `n` bytes: in place or decompressed, valid until the next call; NULL, and c->bad. */
const u8 *columns_get_stream(struct columns_in *in, struct cur *c, size_t n);
/* An array of n integers; false, and c->bad. */
bool columns_get_ints(struct columns_in *in, struct cur *c, u64 *v, size_t n);
/* Does an array begin here whose integers are all the same? Then it may be read as one of one. */
bool columns_get_constant(struct cur *c);
bool columns_get_u32s(struct columns_in *in, struct cur *c, u32 *v, size_t n);

#endif
