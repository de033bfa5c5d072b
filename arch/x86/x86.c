// SPDX-License-Identifier: GPL-2.0
#include "arch/arch.h"

#include <elf.h>

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

/* struct pt_regs: r15 r14 r13 r12 bp bx r11 r10 r9 r8 ax cx dx si di ... sp */
static const u16 call_registers[] = {
	80, 96, 88, 40, 104, 112, 32, 152, 72, 64, 56, 48, 24, 16, 8, 0,
};
static const char *const call_names[] = {
	"rax eax ax al",      "rdx edx dx dl",      "rcx ecx cx cl",      "rbx ebx bx bl",
	"rsi esi si sil",     "rdi edi di dil",     "rbp ebp bp bpl",     "rsp esp sp spl",
	"r8 r8d r8w r8b",     "r9 r9d r9w r9b",     "r10 r10d r10w r10b", "r11 r11d r11w r11b",
	"r12 r12d r12w r12b", "r13 r13d r13w r13b", "r14 r14d r14w r14b", "r15 r15d r15w r15b",
};
static const u8 call_arguments[] = {5, 4, 1, 2, 8, 9};

static const struct arch_call call = {
	.registers = call_registers,
	.names = call_names,
	.narrower = true,
	.nr_registers = ARRAY_SIZE(call_registers),
	.ip = 128,
	.arguments = call_arguments,
	.nr_arguments = ARRAY_SIZE(call_arguments),
	.result = 0,
	.sp = 7,
	.cfa = 8,
	.stack = 8,
	.on_stack = true,
	.hides_result = true,
};

/*
 * Opcodes of one byte that the kernel refuses in 64-bit programs, a bit each (good_insns_64 in arch/x86/kernel/uprobes.c, the same from 4.1
 * to 6.18). It looks there also for the opcode behind a VEX or EVEX prefix, which means another instruction: ef is out, or vpxor.
 */
static const u16 bad_opcodes[16] = {
	0x40c0, 0xc0c0, 0x8080, 0x8080, 0,      0,      0xf003, 0,
	0x0004, 0x0400, 0,      0,      0xf000, 0x0070, 0xf4f0, 0x0c12,
};

/* Where the opcode is in an instruction, from behind its prefixes on; `len`: not known. */
static u32 opcode_at(const u8 *code, u32 i, u32 len)
{
	if (i < len && code[i] == 0xc5) /* VEX, EVEX */
		return MIN(i + 2, len);
	if (i < len && code[i] == 0xc4)
		return MIN(i + 3, len);
	if (i < len && code[i] == 0x62)
		return MIN(i + 4, len);
	if (i < len && (code[i] & 0xf0) == 0x40) /* REX */
		i++;
	/* REX2, which older kernels do not know; XOP, likewise */
	return i < len && code[i] != 0xd5 && code[i] != 0x8f ? i : len;
}

static const char *no_opcode(const u8 *code, u32 i, u32 len)
{
	const u32 at = opcode_at(code, i, len);

	if (at == len || !(bad_opcodes[code[at] >> 4] >> (code[at] & 15) & 1))
		return NULL;
	return at > i + 1 ? "this instruction of AVX" : "this instruction";
}

/* With a lock or a segment before it, unless it does nothing (is_prefix_bad()), or by its opcode. */
static const char *no_probe(const u8 *code, u32 len, bool is_64_bit)
{
	bool bad = false;
	u32 i;

	for (i = 0; i < len; i++) {
		switch (code[i]) {
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0xf0:
			bad = true;
			continue;
		case 0x64:
		case 0x65:
		case 0x66:
		case 0x67:
		case 0xf2:
		case 0xf3:
			continue;
		}
		break;
	}
	if (bad)
		return i + 1 < len && code[i] == 0x0f && code[i + 1] == 0x1f
			       ? NULL
			       : "an instruction with a lock or a segment prefix";
	return is_64_bit ? no_opcode(code, i, len) : NULL;
}

/* The lower half is the number. TS_COMPAT (arch/x86/include/asm/thread_info.h) */
static const struct arch_syscall system_call = {
	.number = "(int)regs->orig_ax",
	.arguments = {"regs->di", "regs->si", "regs->dx", "regs->r10", "regs->r8", "regs->r9"},
	.foreign = "curtask->thread_info.status&2",
};

const struct arch arch_x86_64 = {
	.name = "x86_64",
	.aliases = aliases,
	.regs = regs,
	.nr_regs = ARRAY_SIZE(regs),
	.user_regs = 0xff0fff,
	.interrupt_frames = interrupt_frames,
	.signal_frames = signal_frames,
	.call = &call,
	.syscall = &system_call,
	.no_probe = no_probe,
};

/* perf's numbers, the same for both ABIs: AX BX CX DX SI DI BP SP IP FLAGS ... R8 = 16 */
enum { AX, BX, CX, DX, SI, DI, BP, SP, IP, R8 = 16 };

static const u8 perf_64[] = {
	AX,     DX,     CX,     BX,     SI,     DI,     BP,     SP, R8,
	R8 + 1, R8 + 2, R8 + 3, R8 + 4, R8 + 5, R8 + 6, R8 + 7, IP,
};
static const u8 perf_32[] = {AX, CX, DX, BX, SP, BP, SI, DI, IP};

/* Words of struct sigcontext. 64: r8-r15 di si bp bx dx ax cx sp ip; 32: gs fs es ds di si bp sp */
static const u8 sigcontext_64[] = {13, 12, 14, 11, 9, 8, 10, 15, 0, 1, 2, 3, 4, 5, 6, 7, 16};
static const u8 sigcontext_32[] = {11, 10, 9, 8, 7, 6, 5, 4, 14};

static const struct arch_sigreturn sigreturns_64[] = {
	/* mov $15,%rax; syscall. The stack pointer is at the ucontext: breg7 40 */
	{"\x48\xc7\xc0\x0f\0\0\0\x0f\x05", 9, 2, "\x77\x28", sigcontext_64},
	/* mov $15,%eax; syscall */
	{"\xb8\x0f\0\0\0\x0f\x05", 7, 2, "\x77\x28", sigcontext_64},
	{NULL, 0, 0, NULL, NULL},
};

static const struct arch_sigreturn sigreturns_32[] = {
	/* mov $173,%eax; int $0x80. The third word points to the ucontext: breg4 8, deref, +20 */
	{"\xb8\xad\0\0\0\xcd\x80", 7, 5, "\x74\x08\x06\x23\x14", sigcontext_32},
	/* pop %eax; mov $119,%eax; int $0x80. The second word begins the sigcontext: breg4 4 */
	{"\x58\xb8\x77\0\0\0\xcd\x80", 8, 2, "\x74\x04", sigcontext_32},
	{NULL, 0, 0, NULL, NULL},
};

/*
 * An indirect call is ff /2: opcode, ModRM, perhaps SIB and a displacement, before them perhaps
 * prefixes, which do not matter. `n` is how many bytes from ff on.
 */
static bool is_indirect_call(const u8 *code, u32 n)
{
	u8 modrm = code[1], mod = modrm >> 6, rm = modrm & 7;
	u32 want = 2;

	if (code[0] != 0xff || (modrm & 0x38) != 0x10)
		return false;
	if (mod != 3 && rm == 4) {
		want++;
		if (n < 3)
			return false;
		if (mod == 0 && (code[2] & 7) == 5)
			want += 4;
	}
	if (mod == 1)
		want += 1;
	else if (mod == 2 || (mod == 0 && rm == 5))
		want += 4;
	return n == want;
}

static bool after_call(const u8 *code, u32 len)
{
	u32 n;

	if (len >= 5 && code[len - 5] == 0xe8)
		return true;
	for (n = 2; n <= 7 && n <= len; n++)
		if (is_indirect_call(code + len - n, n))
			return true;
	return false;
}

const struct arch_unwind arch_unwind_x86_64 = {
	.name = "x86-64",
	.elf_machine = EM_X86_64,
	.word = 8,
	.nr = ARRAY_SIZE(perf_64),
	.sp = 7,
	.fp = 6,
	.ra = 16,
	.pc = IP,
	.fp_word = 0,
	.ra_word = 1,
	.record_top = 2,
	.save_ra = -1,
	.perf = perf_64,
	.user_mask = ~0ull,
	.sigreturns = sigreturns_64,
	.after_call = after_call,
};

const struct arch_unwind arch_unwind_i386 = {
	.name = "i386",
	.elf_machine = EM_386,
	.word = 4,
	.nr = ARRAY_SIZE(perf_32),
	.sp = 4,
	.fp = 5,
	.ra = 8,
	.pc = IP,
	.fp_word = 0,
	.ra_word = 1,
	.record_top = 2,
	.save_ra = -1,
	.perf = perf_32,
	.user_mask = 0xffffffff,
	.sigreturns = sigreturns_32,
	.after_call = after_call,
};
