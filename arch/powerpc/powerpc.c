// SPDX-License-Identifier: GPL-2.0
#include "arch/arch.h"

static const char *const aliases[] = {"ppc64", "ppc", "powerpc", NULL};

static const char *const regs[] = {
	"r0",    "r1",   "r2",    "r3",   "r4",      "r5",    "r6",    "r7",    "r8",    "r9",
	"r10",   "r11",  "r12",   "r13",  "r14",     "r15",   "r16",   "r17",   "r18",   "r19",
	"r20",   "r21",  "r22",   "r23",  "r24",     "r25",   "r26",   "r27",   "r28",   "r29",
	"r30",   "r31",  "nip",   "msr",  "orig_r3", "ctr",   "link",  "xer",   "ccr",   "softe",
	"trap",  "dar",  "dsisr", "sier", "mmcra",   "mmcr0", "mmcr1", "mmcr2", "mmcr3", "sier2",
	"sier3", "pmc1", "pmc2",  "pmc3", "pmc4",    "pmc5",  "pmc6",  "sdar",  "siar",
};

static const char *const interrupt_frames[] = {
	"data_access_",        "instruction_access_",
	"hardware_interrupt_", "decrementer_",
	"program_check_",      "alignment_",
	"doorbell_super_",     "performance_monitor_",
	"system_reset_",       "machine_check_",
	"soft_nmi_",           "data_storage_",
	"emulation_assist_",   NULL,
};

static const char *const signal_frames[] = {"__kernel_sigtramp_rt64", NULL};

const struct arch arch_ppc64le = {
	.name = "ppc64le",
	.aliases = aliases,
	.regs = regs,
	.nr_regs = ARRAY_SIZE(regs),
	.user_regs = 0x7fffffffff,
	.interrupt_frames = interrupt_frames,
	.signal_frames = signal_frames,
};
