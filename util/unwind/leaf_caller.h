/* SPDX-License-Identifier: GPL-2.0 */
/*
 * leaf_caller.h - the caller of a function without a frame, for chains of frame pointers.
 *
 * Where a call leaves the return address in a register (arch.h, link_reg), a function that calls
 * nothing may keep it there. The frame pointer is its caller's then, and the kernel's chain goes
 * from the function to its caller's caller:
 *
 *	kernel   leaf           around  main
 *	link     leaf  through  around  main
 *
 * Whether the register has the caller at an address, the unwind information tells.
 */
#ifndef UNWIND_LEAF_CALLER_H
#define UNWIND_LEAF_CALLER_H

#include "util/unwind/unwind.h"

/*
 * What is missing from the sample's chain, and where: before chain[*at]. It is an address within the
 * call, as perf has it, not behind. 0: nothing is known to be missing.
 */
u64 leaf_caller(struct unwinder *u, const struct process_model *m, const struct thread *t,
		const struct sample *s, u32 *at);

#endif
