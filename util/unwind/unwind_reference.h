/* SPDX-License-Identifier: GPL-2.0 */
/*
 * unwind_reference.h - other engines, to compare ours with: --unwinder.
 */
#ifndef UNWIND_UNWIND_REFERENCE_H
#define UNWIND_UNWIND_REFERENCE_H

#include "util/unwind/unwind.h"

/*
 * A reference engine: every frame by libdw's reading of its CFI, with all
 * registers, without a cache and without guesses.
 */
struct unwind_libdw;

/* As unwind.h has it; `o` must outlive it. */
struct unwind_libdw *unwind_libdw_new(const struct unwind_options *o, struct err *err);
void unwind_libdw_free(struct unwind_libdw *e);
u32 unwind_libdw_chain(struct unwind_libdw *e, const struct process_model *m,
		       const struct thread *t, const struct unwind_input *in, u64 *chain, u32 max);

/*
 * A reference engine: libunwind's remote unwinding over the recorded registers
 * and stack, as perf uses it, without its guesses where there is no unwind information.
 *
 * x86-64 alone, and only code that .eh_frame_hdr has a table for.
 *
 * Source: libunwind(3), unw_create_addr_space(3); the LSB on .eh_frame_hdr.
 */
struct unwind_libunwind;

/* As unwind.h has it; `o` must outlive it. */
struct unwind_libunwind *unwind_libunwind_new(const struct unwind_options *o, struct err *err);
void unwind_libunwind_free(struct unwind_libunwind *e);
u32 unwind_libunwind_chain(struct unwind_libunwind *e, const struct process_model *m,
			   const struct thread *t, const struct unwind_input *in, u64 *chain,
			   u32 max);

#endif
