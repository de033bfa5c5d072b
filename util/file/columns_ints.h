/* SPDX-License-Identifier: GPL-2.0 */
/*
 * columns_ints.h - what all of a DATA payload is made of: arrays of integers, and bytes, coded
 * (docs/FORMAT.md, "Arrays").
 *
 * An array is coded in the way that looks shortest for what is in it, and says which. Its length
 * is not in it: the reader knows it. Reading is safe on any bytes: the cursor's `bad` tells.
 */
#ifndef FILE_COLUMNS_INTS_H
#define FILE_COLUMNS_INTS_H

#include "util/base/cur.h"
#include "util/file/columns_table.h"
#include "util/file/compress.h"

/*
 * Of an array, for each COLUMNS_RUN of its integers: are they all the same? Then only the first
 * of them stands there.
 */
#define COLUMNS_RUN 128u
struct columns_runs {
	u8 *v;
	u32 nr, cap;
};

struct columns_out {
	struct buf *to; /* what is written goes to its end */
	struct compressor zstd;
	struct columns_table table;
	u64 *scratch[4]; /* arrays; the first is the caller's */
	u8 *planes;
	size_t cap; /* integers that each of them holds */
	struct buf frame, extra;
	bool failed; /* sticky: memory ran out */
};

void columns_out_free(struct columns_out *o);
/* Make room for arrays of n integers; false: memory is out. */
bool columns_out_room(struct columns_out *o, size_t n);

void columns_put_varint(struct buf *b, u64 v);
/* `n` bytes, which the reader knows the number of. */
void columns_put_stream(struct columns_out *o, const void *p, size_t n);
/* An array. `v` may be o->scratch[0]. */
void columns_put_ints(struct columns_out *o, const u64 *v, size_t n);
/* The same in runs (struct columns_runs). What is missing may be put into `v`. */
void columns_put_runs(struct columns_out *o, u64 *v, size_t n, const u8 *alike);
void columns_put_u32s(struct columns_out *o, const u32 *v, size_t n);
/* An array of addresses of code, none of which comes twice. `v` is none of o->scratch. */
void columns_put_addresses(struct columns_out *o, const u64 *v, size_t n);

struct columns_in {
	struct decompressor zstd;
	struct buf plane; /* a decompressed stream */
	u64 *scratch[2];
	size_t cap;
	bool nomem; /* sticky: memory ran out, which makes the cursor bad, too */
};

void columns_in_free(struct columns_in *in);

u64 columns_get_varint(struct cur *c);
/* `n` bytes: in place or decompressed, valid until the next call; NULL, and c->bad. */
const u8 *columns_get_stream(struct columns_in *in, struct cur *c, size_t n);
/* An array of n integers; false, and c->bad. */
bool columns_get_ints(struct columns_in *in, struct cur *c, u64 *v, size_t n);
/* Does an array begin here whose integers are all the same? Then it may be read as one of one. */
bool columns_get_constant(struct cur *c);
bool columns_get_u32s(struct columns_in *in, struct cur *c, u32 *v, size_t n);

/* Memory for n integers in in->scratch[0]. */
bool columns_in_room(struct columns_in *in, size_t n);

static inline u64 columns_zigzag(u64 v)
{
	return v << 1 ^ (u64)((s64)v >> 63);
}

static inline u64 columns_unzigzag(u64 v)
{
	return v >> 1 ^ (0 - (v & 1));
}

#endif
