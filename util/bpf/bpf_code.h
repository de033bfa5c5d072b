/* SPDX-License-Identifier: GPL-2.0 */
/*
 * bpf_code.h - BPF instructions, one after the other, with labels to jump to.
 *
 *	bpf_code_label() -> bpf_code_jump() to it -> bpf_code_here() -> bpf_program_load() (bpf_program.h)
 *
 * Registers are R0 (results) to R9, and R10, the end of 512 bytes of stack; calls keep R6 to R9. Maps are
 * named by the caller's numbers until the program is loaded. Memory that ran out, and a jump too far, is in
 * `failed`.
 *
 * Source: Documentation/bpf/standardization/instruction-set.rst, <linux/bpf.h>.
 */
#ifndef BPF_BPF_CODE_H
#define BPF_BPF_CODE_H

#include <linux/bpf.h>

#include "util/base/types.h"
#include "util/base/vec.h"

struct bpf_code_jump {
	u32 at, label;
};

struct bpf_code {
	VEC(struct bpf_insn) insns;
	VEC(struct bpf_code_jump) jumps;
	VEC(u32) labels; /* where each is, ID_NONE: nowhere yet */
	bool failed;
};

void bpf_code_emit(struct bpf_code *c, u8 code, u8 dst, u8 src, s16 off, s32 imm);

/* dst = src, dst = a number */
void bpf_code_move(struct bpf_code *c, u8 dst, u8 src);
void bpf_code_number(struct bpf_code *c, u8 dst, u64 v);
/* dst op= src, dst op= a number: BPF_ADD, ... of 64 bits */
void bpf_code_alu(struct bpf_code *c, u8 op, u8 dst, u8 src);
void bpf_code_alu_number(struct bpf_code *c, u8 op, u8 dst, s32 v);
/* Load 1, 2, 4 or 8 bytes from src + off, store them to dst + off. */
void bpf_code_load(struct bpf_code *c, u32 size, u8 dst, u8 src, s32 off);
void bpf_code_store(struct bpf_code *c, u32 size, u8 dst, s32 off, u8 src);
void bpf_code_store_number(struct bpf_code *c, u32 size, u8 dst, s32 off, s32 v);
/* Of `bytes` bytes, those of the number's sign on top. */
void bpf_code_extend(struct bpf_code *c, u8 reg, u32 bytes, bool is_signed);

void bpf_code_call(struct bpf_code *c, enum bpf_func_id helper);
/* dst = the map of that number */
void bpf_code_map(struct bpf_code *c, u8 dst, u32 map);

u32 bpf_code_label(struct bpf_code *c);
void bpf_code_here(struct bpf_code *c, u32 label);
/* Does anything jump there by now? */
bool bpf_code_is_used(const struct bpf_code *c, u32 label);
/* Jump if dst op the number: BPF_JEQ, ...; BPF_JA: always. */
void bpf_code_jump(struct bpf_code *c, u8 op, u8 dst, s32 v, u32 label);
void bpf_code_jump_reg(struct bpf_code *c, u8 op, u8 dst, u8 src, u32 label);
void bpf_code_exit(struct bpf_code *c);

/* Fill in the jumps. False: memory ran out, or a label is nowhere or too far away. */
bool bpf_code_end(struct bpf_code *c);
void bpf_code_free(struct bpf_code *c);

#endif
