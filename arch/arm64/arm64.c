// SPDX-License-Identifier: GPL-2.0
#include "arch/arch.h"

static const char *const aliases[] = {"arm64", "aarch64_be", NULL};

static const char *const regs[] = {
	"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",  "x10",
	"x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
	"x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "lr",  "sp",  "pc",
};

static const char *const interrupt_frames[] = {
	"el0t_", "el1h_", "el1t_", "el0_irq", "el1_irq", "el0_sync", "el1_sync", "el1_abort", NULL,
};

static const char *const signal_frames[] = {"__kernel_rt_sigreturn", NULL};

const struct arch arch_arm64 = {
	.name = "aarch64",
	.aliases = aliases,
	.regs = regs,
	.nr_regs = ARRAY_SIZE(regs),
	.user_regs = 0x1ffffffff,
	.link_reg = 1ull << 30,
	.interrupt_frames = interrupt_frames,
	.signal_frames = signal_frames,
};
