/* SPDX-License-Identifier: GPL-2.0 */
/*
 * unwind_guess.h - the caller where there is no unwind information: code of a JIT, hand-written
 * assembly, a file that is gone.
 *
 * Tried in this order: what a call has just left (on top of the stack, or in the link register), in
 * the first frame only; the frame record that the frame pointer points to; the first address on the
 * stack that lies behind a call.
 */
#ifndef UNWIND_UNWIND_GUESS_H
#define UNWIND_UNWIND_GUESS_H

#include "util/unwind/unwind_lookup.h"

/*
 * *f becomes the caller's frame. False: there is none to be found; *end, which says why there is no
 * unwind information, then says why the chain ends. An address that unwind information has led to
 * where nothing is mapped is taken back: hand-written assembly pushes without saying so, and the
 * return address lies a little above.
 */
bool unwind_guess(struct unwind_lookup *k, struct unwind_walk *w, struct unwind_frame *f,
		  enum chain_end *end);

/* Likewise where it has led to what is no address at all, in the first frame, and to that CFA. */
bool unwind_guess_above(struct unwind_lookup *k, const struct unwind_walk *w,
			struct unwind_frame *f, u64 cfa);

#endif
