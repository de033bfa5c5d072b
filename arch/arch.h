/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch.h - what differs between machines, as constant tables.
 *
 * All of them are always compiled in: a recording of any machine is read on any machine.
 *
 * Sources: arch/ARCH/include/uapi/asm/perf_regs.h; the kernel's entry code for the names of
 * interrupt frames; the psABI documents.
 */
#ifndef ARCH_ARCH_H
#define ARCH_ARCH_H

#include "util/base/types.h"

struct arch {
	const char *name;           /* as uname -m has it, the first of its kind */
	const char *const *aliases; /* further uname -m names, NULL-ended */
	const char *const *regs; /* perf register number -> name as perf prints it, may hold NULL */
	u32 nr_regs;
	u64 user_regs; /* mask: what the kernel gives of a user's registers, without segments */
	/*
	 * Mask: the register that alone has the return address of a function without a frame, where
	 * the kernel's chains of frame pointers leave that out; 0: they do not.
	 */
	u64 link_reg;
	/*
	 * Symbols of the frame that an interrupt or exception leaves on the kernel stack, by their
	 * beginning: the address above such a frame is where the CPU stood, not a return address.
	 */
	const char *const *interrupt_frames;
	/* Where a signal handler returns to; the same holds for the frame above. */
	const char *const *signal_frames;
};

/* The table for a uname -m name; NULL if there is none. */
const struct arch *arch_find(const char *machine);

/* Is `symbol` the frame of an interrupt or a signal? */
bool arch_is_interrupt_frame(const struct arch *a, const char *symbol);
bool arch_is_signal_frame(const struct arch *a, const char *symbol);

extern const struct arch arch_x86_64, arch_arm64, arch_riscv64, arch_s390x, arch_ppc64le;

#endif
