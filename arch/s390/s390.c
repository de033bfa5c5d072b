// SPDX-License-Identifier: GPL-2.0
#include "arch/arch.h"

static const char *const aliases[] = {"s390", NULL};

static const char *const regs[] = {
	"R0",  "R1",  "R2",   "R3",   "R4",   "R5",   "R6",   "R7",   "R8",   "R9",  "R10", "R11",
	"R12", "R13", "R14",  "R15",  "FP0",  "FP1",  "FP2",  "FP3",  "FP4",  "FP5", "FP6", "FP7",
	"FP8", "FP9", "FP10", "FP11", "FP12", "FP13", "FP14", "FP15", "MASK", "PC",
};

static const char *const interrupt_frames[] = {
	"io_int_handler",   "ext_int_handler",     "pgm_check_handler",
	"mcck_int_handler", "restart_int_handler", NULL,
};

static const char *const signal_frames[] = {"__kernel_rt_sigreturn", "__kernel_sigreturn", NULL};

const struct arch arch_s390x = {
	.name = "s390x",
	.aliases = aliases,
	.regs = regs,
	.nr_regs = ARRAY_SIZE(regs),
	.user_regs = 0x3ffffffff,
	.interrupt_frames = interrupt_frames,
	.signal_frames = signal_frames,
};
