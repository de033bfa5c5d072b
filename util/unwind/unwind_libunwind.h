/* SPDX-License-Identifier: GPL-2.0 */
/*
 * unwind_libunwind.h - a reference engine: libunwind's remote unwinding over the recorded registers
 * and stack, as perf uses it, without its guesses where there is no unwind information.
 *
 * x86-64 alone, and only code that .eh_frame_hdr has a table for.
 *
 * Source: libunwind(3), unw_create_addr_space(3); the LSB on .eh_frame_hdr.
 */
#ifndef UNWIND_UNWIND_LIBUNWIND_H
#define UNWIND_UNWIND_LIBUNWIND_H

#include "util/unwind/unwind.h"

struct unwind_libunwind;

/* As unwind.h has it; `o` must outlive it. */
struct unwind_libunwind *unwind_libunwind_new(const struct unwind_options *o, struct err *err);
void unwind_libunwind_free(struct unwind_libunwind *e);
u32 unwind_libunwind_chain(struct unwind_libunwind *e, const struct process_model *m,
			   const struct thread *t, const struct unwind_input *in, u64 *chain,
			   u32 max);

#endif
