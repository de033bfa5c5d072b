/* SPDX-License-Identifier: GPL-2.0 */
/*
 * columns_out.h - write arrays of integers, and bytes, as columns_ints.h has them.
 *
 * An array is coded in the way that looks shortest for what is in it, and says which.
 */
#ifndef FILE_COLUMNS_OUT_H
#define FILE_COLUMNS_OUT_H

#include "util/file/columns_ints.h"
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

#endif
