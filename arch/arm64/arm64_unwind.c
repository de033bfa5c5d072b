// SPDX-License-Identifier: GPL-2.0
#include <elf.h>

#include "arch/arch_unwind.h"

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
