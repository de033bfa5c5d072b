/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch.h - what differs between machines, as constant tables.
 *
 * All of them are always compiled in: a recording of any machine is read on any machine.
 *
 * Sources: arch/ARCH/include/uapi/asm/perf_regs.h; the kernel's entry code for the names of
 * interrupt frames; the psABI documents.
 */
#ifndef ARCH_ARCH_H
#define ARCH_ARCH_H

#include "util/base/types.h"

/*
 * Where the program of a probe finds the arguments of a function: in the registers that it is given, which BPF knows as
 * bpf_user_pt_regs_t (arch/ARCH/include/uapi/asm/ptrace.h), 8 bytes each. Registers go by their DWARF numbers.
 */
struct arch_call {
	const u16 *registers;     /* where they are, in bytes; NULL: in order, from the first on */
	const char *const *names; /* of each, divided by blanks, as assemblers write them */
	bool narrower; /* such a name is of the lower half of what the one before it is of; else all are of the whole */
	u16 first, nr_registers;
	u16 ip;              /* likewise the instruction pointer, in bytes */
	const u8 *arguments; /* of integers and pointers, in order */
	u32 nr_arguments;
	u8 result, sp;
	u8 cfa;   /* bytes to the CFA from where sp points at the first instruction */
	u8 stack; /* likewise to the arguments for which there is no register */
	bool is_big_endian;
	/* structs of more than two words are pointers to them, or lie on the stack; neither: it is not known how any is passed */
	bool by_reference, on_stack;
	bool hides_result;      /* a result in memory: its address is the first argument */
	bool floats_take_words; /* also a floating-point number leaves out a register of these */
};

/*
 * Where a system call's number and arguments are: expressions (util/probe/expr.h) over regs, the kernel's struct pt_regs, and curtask.
 * Source: arch/ARCH/include/asm/syscall.h.
 */
#define ARCH_SYSCALL_ARGUMENTS 6
struct arch_syscall {
	const char *number; /* where the call ends */
	const char *arguments[ARCH_SYSCALL_ARGUMENTS];
	const char
		*foreign; /* is it a 32-bit program's, by numbers of its own? NULL: it never is */
};

struct arch {
	const char *name;           /* as uname -m has it, the first of its kind */
	const char *const *aliases; /* further uname -m names, NULL-ended */
	const char *const *regs; /* perf register number -> name as perf prints it, may hold NULL */
	u32 nr_regs;
	u64 user_regs; /* mask: what the kernel gives of a user's registers, without segments */
	/*
	 * Mask: the register that alone has the return address of a function without a frame, where
	 * the kernel's chains of frame pointers leave that out; 0: they do not.
	 */
	u64 link_reg;
	/*
	 * Symbols of the frame that an interrupt or exception leaves on the kernel stack, by their
	 * beginning: the address above such a frame is where the CPU was, not a return address.
	 */
	const char *const *interrupt_frames;
	/* Where a signal handler returns to; the same holds for the frame above. */
	const char *const *signal_frames;
	const struct arch_call *call; /* of 64-bit programs */
	const struct arch_syscall *syscall;
	/*
	 * What an instruction is that it is known of that uprobes are refused there, for messages; NULL: nothing is known against it. NULL
	 * instead of the function: none are known.
	 */
	const char *(*no_probe)(const u8 *code, u32 len, bool is_64_bit);
};

/* Bytes of an instruction that no_probe() looks at, at most. */
#define ARCH_NO_PROBE 15

/* Where a register is that the program of a probe is given; false: it is not. */
bool arch_call_register(const struct arch_call *c, u64 dwarf, u32 *at);

/* The DWARF number of a register by one of its names, and of how many bytes that is; false: there is none. */
bool arch_call_named(const struct arch_call *c, const char *name, size_t len, u32 *dwarf,
		     u32 *size);

/* The table for a uname -m name; NULL if there is none. */
const struct arch *arch_find(const char *machine);

/* Is `symbol` the frame of an interrupt or a signal? */
bool arch_is_interrupt_frame(const struct arch *a, const char *symbol);
bool arch_is_signal_frame(const struct arch *a, const char *symbol);

extern const struct arch arch_x86_64, arch_arm64, arch_riscv64, arch_s390x, arch_ppc64le;

/*
 * What an unwinder has to know of a machine.
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

/*
 * The system calls of a machine: number <-> name, as constant tables.
 *
 * Names are those of <asm/unistd.h> and of the manual (fstat, umount2). Numbers are those of 64-bit
 * programs: what a 32-bit program calls on a 64-bit kernel goes by other numbers, and its
 * tracepoints do not say that.
 *
 * Source: <asm/unistd_64.h> and <asm-generic/unistd.h> up to Linux 6.18.
 */

struct arch_syscalls {
	const char *const *
		names; /* by number, NULL: not used; up to 423 (arch_syscalls_name() knows the rest) */
	u32 nr;
	/* the kernel's names of its own for a few, which tracepoints have, and these; ended by NULL; or NULL */
	const struct arch_syscall_name {
		const char *tracepoint, *name;
	} * renamed;
};

#define ARCH_SYSCALLS_END 1024 /* no machine has a number from here on */

/* The table for a uname -m name; NULL: there is none. */
const struct arch_syscalls *arch_syscalls_find(const char *machine);
/* NULL: not a number of this machine, or of a newer kernel. */
const char *arch_syscalls_name(const struct arch_syscalls *t, u64 nr);
/* ID_NONE if there is none. */
u32 arch_syscalls_number(const struct arch_syscalls *t, const char *name);

/*
 * The name of the call whose tracepoint is sys_enter_NAME: the kernel has names of its own for a few
 * (newfstat, umount). All others are returned as they are.
 */
const char *arch_syscalls_of_tracepoint(const char *name);
/* The number of the call whose tracepoint is sys_enter_NAME on that machine; ID_NONE if there is none. */
u32 arch_syscalls_of(const struct arch_syscalls *t, const char *name);

extern const struct arch_syscalls arch_syscalls_x86_64, arch_syscalls_generic, arch_syscalls_s390,
	arch_syscalls_powerpc;

#endif
