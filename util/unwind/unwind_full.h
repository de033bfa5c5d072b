/* SPDX-License-Identifier: GPL-2.0 */
/*
 * unwind_full.h - a chain by all registers: for samples with a frame that one word does not
 * describe, such as a signal's or one of a realigned stack.
 */
#ifndef UNWIND_UNWIND_FULL_H
#define UNWIND_UNWIND_FULL_H

#include "util/unwind/unwind_lookup.h"

/* From the first frame on, which `f` is; *w is as new. Why the chain ended. */
enum chain_end unwind_full(struct unwind_lookup *k, struct unwind_walk *w, struct unwind_frame *f);

#endif
