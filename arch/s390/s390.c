// SPDX-License-Identifier: GPL-2.0
#include "arch/arch.h"

#include <elf.h>

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

static const char *const call_names[] = {
	"r0", "r1", "r2",  "r3",  "r4",  "r5",  "r6",  "r7",
	"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
};
static const u8 call_arguments[] = {2, 3, 4, 5, 6};

/* user_pt_regs: a word, the PSW, r0 to r15 */
static const struct arch_call call = {
	.first = 24,
	.names = call_names,
	.nr_registers = 16,
	.ip = 16,
	.arguments = call_arguments,
	.nr_arguments = ARRAY_SIZE(call_arguments),
	.result = 2,
	.sp = 15,
	.cfa = 160,
	.stack = 160,
	.is_big_endian = true,
	.hides_result = true,
};

/* PSW_MASK_EA (arch/s390/include/uapi/asm/ptrace.h) */
static const struct arch_syscall system_call = {
	.number = "(regs->int_code&0xffff)",
	.arguments = {"regs->orig_gpr2", "regs->gprs[3]", "regs->gprs[4]", "regs->gprs[5]",
		      "regs->gprs[6]", "regs->gprs[7]"},
	.foreign = "!(regs->psw.mask&0x100000000)",
};

const struct arch arch_s390x = {
	.name = "s390x",
	.aliases = aliases,
	.regs = regs,
	.nr_regs = ARRAY_SIZE(regs),
	.user_regs = 0x3ffffffff,
	.interrupt_frames = interrupt_frames,
	.signal_frames = signal_frames,
	.call = &call,
	.syscall = &system_call,
};

/* perf's numbers */
enum { FP0 = 16, MASK = 32, PC };

/*
 * Leaf functions keep registers in floating point registers, whose order is not that of their names.
 * The numbers 32 and 33, which are of control registers, mean the PSW: no unwind information has
 * either.
 */
static const u8 perf[] = {
	0,        1,       2,        3,        4,        5,       6,       7,        8,
	9,        10,      11,       12,       13,       14,      15,      FP0,      FP0 + 2,
	FP0 + 4,  FP0 + 6, FP0 + 1,  FP0 + 3,  FP0 + 5,  FP0 + 7, FP0 + 8, FP0 + 10, FP0 + 12,
	FP0 + 14, FP0 + 9, FP0 + 11, FP0 + 13, FP0 + 15, MASK,    PC,
};

/* struct _sigregs: PSW, 16 registers, 16 of 32 bits, control, 16 of floating point */
enum { GPR = 2, FPR = 27 };
static const u8 sigregs[] = {
	GPR,      GPR + 1,  GPR + 2,  GPR + 3,  GPR + 4,  GPR + 5,  GPR + 6,  GPR + 7,  GPR + 8,
	GPR + 9,  GPR + 10, GPR + 11, GPR + 12, GPR + 13, GPR + 14, GPR + 15, FPR,      FPR + 2,
	FPR + 4,  FPR + 6,  FPR + 1,  FPR + 3,  FPR + 5,  FPR + 7,  FPR + 8,  FPR + 10, FPR + 12,
	FPR + 14, FPR + 9,  FPR + 11, FPR + 13, FPR + 15, 0,        1,
};

static const struct arch_sigreturn sigreturns[] = {
	/* svc 173. The save area, the old trampoline, siginfo, 40 bytes of the ucontext: breg15 336 */
	{"\x0a\xad", 2, 3, "\x7f\xd0\x02", sigregs},
	/* svc 119. The save area, the signal mask, a pointer to the block: breg15 168, deref */
	{"\x0a\x77", 2, 4, "\x7f\xa8\x01\x06", sigregs},
	{NULL, 0, 0, NULL, NULL},
};

/* bras, brasl, basr to a register */
static bool after_call(const u8 *code, u32 len)
{
	if (len >= 6 && code[len - 6] == 0xc0 && (code[len - 5] & 0x0f) == 5)
		return true;
	if (len >= 4 && code[len - 4] == 0xa7 && (code[len - 3] & 0x0f) == 5)
		return true;
	return len >= 2 && code[len - 2] == 0x0d && (code[len - 1] & 0x0f);
}

const struct arch_unwind arch_unwind_s390x = {
	.name = "s390x",
	.elf_machine = EM_S390,
	.word = 8,
	.nr = ARRAY_SIZE(perf),
	.sp = 15,
	.fp = 11,
	.ra = 14,
	.link = true,
	.pc = PC,
	.cfa_words = 20,
	.save_words = 20,
	.save_ra = 14,
	.perf = perf,
	.user_mask = ~0ull,
	.sigreturns = sigreturns,
	.after_call = after_call,
};
