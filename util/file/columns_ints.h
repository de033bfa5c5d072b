/* SPDX-License-Identifier: GPL-2.0 */
/*
 * columns_ints.h - what all of a DATA payload is made of: arrays of integers, and bytes, coded
 * (docs/FORMAT.md, "Arrays"). columns_out.h writes them, columns_in.h reads them.
 *
 * The length of an array is not in it: the reader knows it.
 */
#ifndef FILE_COLUMNS_INTS_H
#define FILE_COLUMNS_INTS_H

#include <stdlib.h>

#include "util/base/types.h"

/* How an array is coded: the low half of its first byte. The high half: planes, for ..._PLANES. */
enum {
	COLUMNS_ARRAY_PLANES, /* byte by byte, less the least; what is too large stands apart */
	COLUMNS_ARRAY_DELTA,  /* differences to the one before, as an array */
	COLUMNS_ARRAY_DICT,   /* the different values, and which of them each is, as arrays */
	COLUMNS_ARRAY_REGION, /* high halves; low ones as differences to the last of the same */
	COLUMNS_ARRAY_SPLIT,  /* low bits and high ones, as arrays */
};

enum { COLUMNS_STREAM_RAW, COLUMNS_STREAM_CONST, COLUMNS_STREAM_ZSTD };

/* Values of a dictionary, high halves: no more than so many. */
#define COLUMNS_DICT_MAX    65536
#define COLUMNS_REGIONS_MAX 256

/*
 * Make room for n integers in each of `nr` arrays, which have room for *cap. False: memory is out,
 * and *cap 0.
 */
static inline bool columns_ints_room(u64 **arrays, u32 nr, size_t *cap, size_t n)
{
	size_t need = n + n / 4 < 1024 ? 1024 : n + n / 4;
	u64 *to;
	u32 i;

	if (n <= *cap)
		return true;
	*cap = 0;
	for (i = 0; i < nr; i++) {
		to = realloc(arrays[i], need * sizeof(*to));
		if (!to)
			return false;
		arrays[i] = to;
	}
	*cap = need;
	return true;
}

static inline u64 columns_zigzag(u64 v)
{
	return v << 1 ^ (u64)((s64)v >> 63);
}

static inline u64 columns_unzigzag(u64 v)
{
	return v >> 1 ^ (0 - (v & 1));
}

#endif
