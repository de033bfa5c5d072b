/* SPDX-License-Identifier: GPL-2.0 */
/*
 * disassembler.h - machine code as text, one instruction at a time.
 *
 *	disassembler_open(&d, &code, err) -> disassembler_next() ... -> disassembler_close()
 *
 * Bytes that are no instruction come as one of the kind INSN_DATA, of as many bytes as instructions of the machine are
 * aligned to, or as one has whose length is known, so reading always goes on. capstone does the decoding; it is known in disassembler.c alone. What is built
 * without it opens nothing: -ENOSYS.
 */
#ifndef DISASSEMBLE_DISASSEMBLER_H
#define DISASSEMBLE_DISASSEMBLER_H

#include "util/base/err.h"
#include "util/base/types.h"

struct disassembler;

/* What the bytes are. */
struct disassembler_code {
	u16 machine;     /* EM_* of elf.h */
	bool bits64;     /* ELFCLASS64 */
	bool big_endian; /* ELFDATA2MSB */
	bool thumb;      /* of EM_ARM: instructions of two and four bytes */
	bool intel;      /* of x86: "mov rax, rbx" instead of "movq %rbx, %rax" */
};

enum insn_kind {
	INSN_OTHER,
	INSN_JUMP, /* conditional or not */
	INSN_CALL,
	INSN_RETURN,
	INSN_DATA,
};

#define INSN_MNEMONIC_MAX 32
#define INSN_OPERANDS_MAX 160

struct insn {
	enum insn_kind kind;
	u32 size;        /* bytes, never 0 */
	bool has_target; /* of a jump or a call that says where it goes, */
	u64 target;      /* and where; the operands then end with it, and lack it here */
	bool has_data;   /* an operand is at an address relative to the instruction's, */
	u64 data;        /* this one */
	char mnemonic[INSN_MNEMONIC_MAX];
	char operands[INSN_OPERANDS_MAX]; /* "": none */
};

/* -ENOSYS: what decodes instructions is not here, or it is built without. With a hint. */
int disassembler_check(struct err *err);

/* The same; -ENOTSUP: it does not know this machine. */
int disassembler_open(struct disassembler **out, const struct disassembler_code *code,
		      struct err *err);
void disassembler_close(struct disassembler *d);

/* The instruction at `addr`, whose bytes and those behind it are there; len > 0. */
void disassembler_next(struct disassembler *d, const u8 *bytes, size_t len, u64 addr,
		       struct insn *out);

#endif
