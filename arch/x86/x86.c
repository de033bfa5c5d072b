// SPDX-License-Identifier: GPL-2.0
#include "arch/arch.h"

static const char *const aliases[] = {"i386", "i486", "i586", "i686", NULL};

static const char *const regs[] = {
	"AX", "BX", "CX", "DX", "SI", "DI", "BP",  "SP",  "IP",  "FLAGS", "CS",  "SS",
	"DS", "ES", "FS", "GS", "R8", "R9", "R10", "R11", "R12", "R13",   "R14", "R15",
};

static const char *const interrupt_frames[] = {
	"asm_exc_",    "asm_sysvec_", "asm_common_interrupt", "asm_spurious_interrupt",
	"asm_load_gs", "nmi_restore", "end_repeat_nmi",       "common_interrupt_return",
	NULL,
};

static const char *const signal_frames[] = {
	"__restore_rt", "__restore", "__kernel_rt_sigreturn", "__kernel_sigreturn", NULL,
};

const struct arch arch_x86_64 = {
	.name = "x86_64",
	.aliases = aliases,
	.regs = regs,
	.nr_regs = ARRAY_SIZE(regs),
	.user_regs = 0xff0fff,
	.interrupt_frames = interrupt_frames,
	.signal_frames = signal_frames,
};
