// SPDX-License-Identifier: GPL-2.0
#include "arch/arch.h"

static const char *const aliases[] = {"riscv", NULL};

static const char *const regs[] = {
	"pc", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
	"a1", "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
	"s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
};

static const char *const interrupt_frames[] = {
	"ret_from_exception",
	"handle_exception",
	"do_irq",
	NULL,
};

static const char *const signal_frames[] = {"__vdso_rt_sigreturn", NULL};

const struct arch arch_riscv64 = {
	.name = "riscv64",
	.aliases = aliases,
	.regs = regs,
	.nr_regs = ARRAY_SIZE(regs),
	.user_regs = 0xffffffff,
	.interrupt_frames = interrupt_frames,
	.signal_frames = signal_frames,
};
