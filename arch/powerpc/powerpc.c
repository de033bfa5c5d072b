// SPDX-License-Identifier: GPL-2.0
#include "arch/arch.h"

#include <elf.h>

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

static const char *const call_names[] = {
	"r0",  "r1",  "r2",  "r3",  "r4",  "r5",  "r6",  "r7",  "r8",  "r9",  "r10",
	"r11", "r12", "r13", "r14", "r15", "r16", "r17", "r18", "r19", "r20", "r21",
	"r22", "r23", "r24", "r25", "r26", "r27", "r28", "r29", "r30", "r31",
};
static const u8 call_arguments[] = {3, 4, 5, 6, 7, 8, 9, 10};

/* struct user_pt_regs */
static const struct arch_call call = {
	.names = call_names,
	.nr_registers = 32,
	.ip = 256,
	.arguments = call_arguments,
	.nr_arguments = ARRAY_SIZE(call_arguments),
	.result = 3,
	.sp = 1,
	.stack = 96,
	.hides_result = true,
	.floats_take_words = true,
};

/* MSR_SF (arch/powerpc/include/asm/reg.h) */
static const struct arch_syscall system_call = {
	.number = "regs->gpr[0]",
	.arguments = {"regs->orig_gpr3", "regs->gpr[4]", "regs->gpr[5]", "regs->gpr[6]",
		      "regs->gpr[7]", "regs->gpr[8]"},
	.foreign = "!(regs->msr>>63)",
};

const struct arch arch_ppc64le = {
	.name = "ppc64le",
	.aliases = aliases,
	.regs = regs,
	.nr_regs = ARRAY_SIZE(regs),
	.user_regs = 0x7fffffffff,
	.interrupt_frames = interrupt_frames,
	.signal_frames = signal_frames,
	.call = &call,
	.syscall = &system_call,
};

/* perf's numbers of what is not r0 to r31, and the places of these here */
enum { NIP = 32, LINK = 36 };
enum { INDEX_NIP = 32, INDEX_LINK };

static const u8 perf[] = {
	0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,  16,
	17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, NIP, LINK,
};

/* What the kernel's trampolines have their return address in, and the link register */
static const struct arch_dwarf_number others[] = {{67, INDEX_NIP}, {65, INDEX_LINK}, {0, 0}};

/* The vdso has unwind information for its trampolines. */
static const struct arch_sigreturn sigreturns[] = {
	{NULL, 0, 0, NULL, NULL},
};

static bool is_call(u32 insn)
{
	/* bl, bla; bcl; bcctrl, bclrl, bctarl */
	return (insn & 0xfc000001) == 0x48000001 || (insn & 0xfc000001) == 0x40000001 ||
	       (insn & 0xfc00ffff) == 0x4c000421 || (insn & 0xfc00ffff) == 0x4c000021 ||
	       (insn & 0xfc00ffff) == 0x4c000461;
}

/* Both byte orders have one table; the other order's bytes are hardly ever a call. */
static bool after_call(const u8 *code, u32 len)
{
	u32 insn;

	if (len < 4)
		return false;
	code += len - 4;
	insn = code[0] | (u32)code[1] << 8 | (u32)code[2] << 16 | (u32)code[3] << 24;
	return is_call(insn) || is_call(__builtin_bswap32(insn));
}

const struct arch_unwind arch_unwind_ppc64 = {
	.name = "ppc64",
	.elf_machine = EM_PPC64,
	.word = 8,
	.nr = ARRAY_SIZE(perf),
	.others = others,
	.sp = 1,
	.fp = 31,
	.ra = INDEX_LINK,
	.link = true,
	.pc = NIP,
	.save_words = 4,
	.save_ra = 2,
	.back_chain = true,
	.perf = perf,
	.user_mask = ~0ull,
	.sigreturns = sigreturns,
	.after_call = after_call,
};
