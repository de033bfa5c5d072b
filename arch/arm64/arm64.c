// SPDX-License-Identifier: GPL-2.0
#include "arch/arch.h"

#include <elf.h>

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

static const char *const call_names[] = {
	"x0 w0",   "x1 w1",   "x2 w2",   "x3 w3",   "x4 w4",   "x5 w5",   "x6 w6",   "x7 w7",
	"x8 w8",   "x9 w9",   "x10 w10", "x11 w11", "x12 w12", "x13 w13", "x14 w14", "x15 w15",
	"x16 w16", "x17 w17", "x18 w18", "x19 w19", "x20 w20", "x21 w21", "x22 w22", "x23 w23",
	"x24 w24", "x25 w25", "x26 w26", "x27 w27", "x28 w28", "x29 w29", "x30 w30", "sp wsp",
};
static const u8 call_arguments[] = {0, 1, 2, 3, 4, 5, 6, 7};

/* struct user_pt_regs */
static const struct arch_call call = {
	.names = call_names,
	.narrower = true,
	.nr_registers = 32,
	.ip = 256,
	.arguments = call_arguments,
	.nr_arguments = ARRAY_SIZE(call_arguments),
	.result = 0,
	.sp = 31,
	.by_reference = true,
};

/* PSR_MODE32_BIT (arch/arm64/include/uapi/asm/ptrace.h) */
static const struct arch_syscall system_call = {
	.number = "regs->syscallno",
	.arguments = {"regs->orig_x0", "regs->regs[1]", "regs->regs[2]", "regs->regs[3]",
		      "regs->regs[4]", "regs->regs[5]"},
	.foreign = "regs->pstate&16",
};

const struct arch arch_arm64 = {
	.name = "aarch64",
	.aliases = aliases,
	.regs = regs,
	.nr_regs = ARRAY_SIZE(regs),
	.user_regs = 0x1ffffffff,
	.link_reg = 1ull << 30,
	.interrupt_frames = interrupt_frames,
	.signal_frames = signal_frames,
	.call = &call,
	.syscall = &system_call,
};

static const u8 perf[] = {
	0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
	17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32,
};

/* struct sigcontext: fault_address, regs[31], sp, pc */
static const u8 sigcontext[] = {
	1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17,
	18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33,
};

/* mov x8, #139; svc #0. siginfo (128 bytes), 176 bytes of the ucontext: breg31 304 */
static const struct arch_sigreturn sigreturns[] = {
	{"\x68\x11\x80\xd2\x01\0\0\xd4", 8, 3, "\x8f\xb0\x02", sigcontext},
	{NULL, 0, 0, NULL, NULL},
};

/* bl, blr, and blr with pointer authentication */
static bool after_call(const u8 *code, u32 len)
{
	u32 insn;

	if (len < 4)
		return false;
	code += len - 4;
	insn = code[0] | (u32)code[1] << 8 | (u32)code[2] << 16 | (u32)code[3] << 24;
	return (insn & 0xfc000000) == 0x94000000 || (insn & 0xfffffc1f) == 0xd63f0000 ||
	       (insn & 0xfefff800) == 0xd63f0800;
}

const struct arch_unwind arch_unwind_arm64 = {
	.name = "arm64",
	.elf_machine = EM_AARCH64,
	.word = 8,
	.nr = ARRAY_SIZE(perf),
	.sp = 31,
	.fp = 29,
	.ra = 30,
	.link = true,
	.pc = 32,
	.fp_word = 0,
	.ra_word = 1,
	.record_top = 2,
	.save_ra = -1,
	.perf = perf,
	/* 48 bits of address at most: what lies above may be a signature (pointer authentication) */
	.user_mask = (1ull << 48) - 1,
	.sigreturns = sigreturns,
	.after_call = after_call,
};
