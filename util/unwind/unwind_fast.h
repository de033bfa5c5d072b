/* SPDX-License-Identifier: GPL-2.0 */
/*
 * unwind_fast.h - the engine that is used: one-word rules from a cache, and all registers for the few
 * samples that need them.
 */
#ifndef UNWIND_UNWIND_FAST_H
#define UNWIND_UNWIND_FAST_H

#include "util/unwind/unwind.h"

struct unwind_fast;

/* `o` must outlive it. */
struct unwind_fast *unwind_fast_new(const struct unwind_options *o, struct err *err);
void unwind_fast_free(struct unwind_fast *e);
u32 unwind_fast_chain(struct unwind_fast *e, const struct process_model *m, const struct thread *t,
		      const struct unwind_input *in, u64 *chain, u32 max);

#endif
