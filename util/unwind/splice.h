/* SPDX-License-Identifier: GPL-2.0 */
/*
 * splice.h - one user call chain of two: the one that was unwound from a copy of the stack, and
 * the one that the kernel made by following frame pointers.
 *
 *	unwound  a b c d END_CUT          exact, as far as the copy reaches
 *	kernel   a   c d e f              misses callers of what keeps no frame pointer
 *	both     a b c d e f
 *
 * The kernel's is a part of the truth while its addresses come in the unwound chain in turn. It
 * continues the chain where that ends early, and replaces addresses that were guessed
 * (CHAIN_GUESSED), as long as the two agreed until just before.
 *
 * A chain that goes on to the end of the kernel's has no CHAIN_END: why the kernel stopped is not
 * known.
 */
#ifndef UNWIND_SPLICE_H
#define UNWIND_SPLICE_H

#include "util/record/chain.h"

/*
 * unwound[0..nr) as unwind_chain() gives it; frames[0..nr_frames): addresses only, leaf first.
 * Fills out[], at most `max` words, and returns how many. out is neither of the two.
 */
u32 splice_chains(const u64 *unwound, u32 nr, const u64 *frames, u32 nr_frames, u64 *out, u32 max);

#endif
