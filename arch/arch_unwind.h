/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch_unwind.h - what an unwinder has to know of a machine, as constant tables.
 *
 * Registers go by their DWARF numbers here, but for a few whose numbers are large (`others`); perf's
 * numbers are those of PERF_SAMPLE_REGS_USER. A 32-bit process has a table of its own.
 *
 * On most machines the canonical frame address (CFA) is the caller's stack pointer, and a function
 * saves registers below it. On s390x it lies 160 bytes above, and on powerpc the link register is
 * saved above it: in both the caller reserves room for that at its stack pointer (save_words).
 *
 * Sources: the psABI of each machine (DWARF register numbers, the end of the frame chain);
 * arch/ARCH/include/uapi/asm/perf_regs.h and sigcontext.h.
 */
#ifndef ARCH_ARCH_UNWIND_H
#define ARCH_ARCH_UNWIND_H

#include "arch/arch.h"

/* Registers of any machine's table at most. */
#define ARCH_UNWIND_REGS 34
/* Not a DWARF register that is known here; not a register that perf records. */
#define ARCH_UNWIND_NONE 0xff
/* Bytes before a return address that after_call() looks at, at most. */
#define ARCH_UNWIND_CALL 8

/*
 * The code that a signal handler returns to, for where no unwind information covers it. The registers
 * of what was interrupted lie in a block of words on the stack.
 */
struct arch_sigreturn {
	const char *code;
	u8 len;
	u8 block_len;
	const char *block; /* where the block lies: a DWARF expression */
	const u8 *slots;   /* DWARF register -> its word in the block */
};

/* A register with a DWARF number of 64 or so, and its number here. */
struct arch_dwarf_number {
	u8 dwarf, reg;
};

struct arch_unwind {
	const char *name;
	u16 elf_machine; /* EM_* */
	u8 word;         /* bytes of an address */
	u8 nr;           /* registers 0 .. nr - 1 */
	/* The last registers, in order, where their numbers are not DWARF's; ended by dwarf 0; or NULL */
	const struct arch_dwarf_number *others;
	u8 sp, fp, ra; /* numbers here; ra: the column of the return address */
	bool link;     /* a call leaves the return address in register ra, not on the stack */
	u8 pc;         /* perf's number of the instruction pointer */
	s8 fp_word;    /* the frame record, in words from where fp points: the caller's fp */
	s8 ra_word;    /* likewise the return address */
	s8 record_top; /* likewise its end, which is the caller's sp; all three 0: no such record */
	u8 cfa_words;  /* from the caller's stack pointer to the CFA */
	u8 save_words; /* of a frame, at its stack pointer, that the functions it calls save in */
	s8 save_ra;    /* the word of these that has their return address; -1: it lies below */
	bool back_chain; /* every frame begins with the address of the one above, the last with 0 */
	const u8 *perf;  /* DWARF number -> perf's */
	u64 user_mask;   /* of the bits of a return address that are address */
	const struct arch_sigreturn *sigreturns; /* ended by code NULL */
	/* Do the `len` bytes that end at an address end with a call instruction? */
	bool (*after_call)(const u8 *code, u32 len);
};

/* The table for processes of PERF_SAMPLE_REGS_ABI_*; NULL: there is none. */
const struct arch_unwind *arch_unwind_find(const struct arch *a, u64 abi);

/* The number here of a DWARF register, ARCH_UNWIND_NONE: not one of these; and the way back. */
u32 arch_unwind_register(const struct arch_unwind *a, u64 dwarf);
u32 arch_unwind_dwarf(const struct arch_unwind *a, u32 reg);

extern const struct arch_unwind arch_unwind_x86_64, arch_unwind_i386, arch_unwind_arm64,
	arch_unwind_riscv64, arch_unwind_s390x, arch_unwind_ppc64;

#endif
