/* SPDX-License-Identifier: GPL-2.0 */
/*
 * radix.h - sorts keys of 64 bits by some of their bits.
 *
 * Stable: what has the same bits stays in order. A key may so carry in its lowest bits where it comes from, if keys
 * are made in that order, without those being looked at.
 *
 * Source: Knuth, The Art of Computer Programming 3, 5.2.5.
 */
#ifndef BASE_RADIX_H
#define BASE_RADIX_H

#include "util/base/types.h"

/*
 * Sort by bits [low, high), low < high <= 64. `spare` has room for as many; the result is in one of the two, which
 * is returned.
 */
u64 *radix_sort(u64 *keys, u64 *spare, u32 nr, unsigned int low, unsigned int high);

/*
 * The numbers of keys, in the order of these as a whole, to `order`. The keys stay; `spare` has room for twice as
 * many.
 */
void radix_order(const u64 *keys, u64 *spare, u32 nr, u32 *order);

#endif
