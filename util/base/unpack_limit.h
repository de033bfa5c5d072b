/* SPDX-License-Identifier: GPL-2.0 */
/*
 * unpack_limit.h - how many bytes packed ones may become.
 *
 * A compressed stream of a few bytes can claim gigabytes. What compilers and recorders pack becomes
 * three to ten times as long, so that what claims more than this was made to fill memory, and is
 * refused before it is unpacked.
 */
#ifndef BASE_UNPACK_LIMIT_H
#define BASE_UNPACK_LIMIT_H

#include "util/base/types.h"

#define UNPACK_FREE  (4u << 20) /* bytes that cost nobody anything */
#define UNPACK_RATIO 24u

/* The most that `packed` bytes may become. */
static inline u64 unpack_limit(u64 packed)
{
	return packed > (UINT64_MAX - UNPACK_FREE) / UNPACK_RATIO
		       ? UINT64_MAX
		       : UNPACK_FREE + packed * UNPACK_RATIO;
}

#endif
