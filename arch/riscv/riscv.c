// SPDX-License-Identifier: GPL-2.0
#include "arch/arch.h"

#include <elf.h>

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

static const char *const call_names[] = {
	"",         "ra x1",  "sp x2",   "gp x3",   "tp x4",  "t0 x5",  "t1 x6",  "t2 x7",
	"s0 x8 fp", "s1 x9",  "a0 x10",  "a1 x11",  "a2 x12", "a3 x13", "a4 x14", "a5 x15",
	"a6 x16",   "a7 x17", "s2 x18",  "s3 x19",  "s4 x20", "s5 x21", "s6 x22", "s7 x23",
	"s8 x24",   "s9 x25", "s10 x26", "s11 x27", "t3 x28", "t4 x29", "t5 x30", "t6 x31",
};
static const u8 call_arguments[] = {10, 11, 12, 13, 14, 15, 16, 17};

/* struct user_regs_struct, with pc in place of x0, which is always zero */
static const struct arch_call call = {
	.names = call_names,
	.nr_registers = 32,
	.arguments = call_arguments,
	.nr_arguments = ARRAY_SIZE(call_arguments),
	.result = 10,
	.sp = 2,
	.by_reference = true,
	.hides_result = true,
};

/* SR_UXL (arch/riscv/include/asm/csr.h) */
static const struct arch_syscall system_call = {
	.number = "regs->a7",
	.arguments = {"regs->orig_a0", "regs->a1", "regs->a2", "regs->a3", "regs->a4", "regs->a5"},
	.foreign = "(regs->status&0x300000000)==0x100000000",
};

const struct arch arch_riscv64 = {
	.name = "riscv64",
	.aliases = aliases,
	.regs = regs,
	.nr_regs = ARRAY_SIZE(regs),
	.user_regs = 0xffffffff,
	.interrupt_frames = interrupt_frames,
	.signal_frames = signal_frames,
	.call = &call,
	.syscall = &system_call,
};

/* x0, always zero, is not recorded: perf's 0 is pc. */
static const u8 perf[] = {
	ARCH_UNWIND_NONE,
	1,
	2,
	3,
	4,
	5,
	6,
	7,
	8,
	9,
	10,
	11,
	12,
	13,
	14,
	15,
	16,
	17,
	18,
	19,
	20,
	21,
	22,
	23,
	24,
	25,
	26,
	27,
	28,
	29,
	30,
	31,
};

/* struct sigcontext: pc, x1 .. x31; what is x0 here means pc */
static const u8 sigcontext[] = {
	0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
	16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
};

/* li a7, 139; ecall. siginfo (128 bytes), 176 bytes of the ucontext: breg2 304 */
static const struct arch_sigreturn sigreturns[] = {
	{"\x93\x08\xb0\x08\x73\0\0\0", 8, 3, "\x72\xb0\x02", sigcontext},
	{NULL, 0, 0, NULL, NULL},
};

/* jal and jalr that write ra, and the compressed c.jalr */
static bool after_call(const u8 *code, u32 len)
{
	u32 insn;

	if (len >= 4) {
		const u8 *p = code + len - 4;

		insn = p[0] | (u32)p[1] << 8 | (u32)p[2] << 16 | (u32)p[3] << 24;
		if ((insn & 0xfff) == 0x0ef || (insn & 0x7fff) == 0x00e7)
			return true;
	}
	if (len < 2)
		return false;
	code += len - 2;
	insn = code[0] | (u32)code[1] << 8;
	return (insn & 0xf07f) == 0x9002 && (insn & 0x0f80);
}

const struct arch_unwind arch_unwind_riscv64 = {
	.name = "riscv64",
	.elf_machine = EM_RISCV,
	.word = 8,
	.nr = ARRAY_SIZE(perf),
	.sp = 2,
	.fp = 8,
	.ra = 1,
	.link = true,
	.pc = 0,
	/* fp points behind the record */
	.fp_word = -2,
	.ra_word = -1,
	.record_top = 0,
	.save_ra = -1,
	.perf = perf,
	.user_mask = ~0ull,
	.sigreturns = sigreturns,
	.after_call = after_call,
};
