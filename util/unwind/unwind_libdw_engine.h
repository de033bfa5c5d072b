/* SPDX-License-Identifier: GPL-2.0 */
/*
 * unwind_libdw_engine.h - a reference engine: every frame by libdw's reading of its CFI, with all
 * registers, without a cache and without guesses.
 */
#ifndef UNWIND_UNWIND_LIBDW_ENGINE_H
#define UNWIND_UNWIND_LIBDW_ENGINE_H

#include "util/unwind/unwind.h"

struct unwind_libdw;

/* As unwind.h has it; `o` must outlive it. */
struct unwind_libdw *unwind_libdw_new(const struct unwind_options *o, struct err *err);
void unwind_libdw_free(struct unwind_libdw *e);
u32 unwind_libdw_chain(struct unwind_libdw *e, const struct process_model *m,
		       const struct thread *t, const struct unwind_input *in, u64 *chain, u32 max);

#endif
