// SPDX-License-Identifier: GPL-2.0
#include "util/bpf/bpf_code.h"

void bpf_code_emit(struct bpf_code *c, u8 code, u8 dst, u8 src, s16 off, s32 imm)
{
	struct bpf_insn *i = vec_push(&c->insns);

	if (i)
		*i = (struct bpf_insn){
			.code = code, .dst_reg = dst, .src_reg = src, .off = off, .imm = imm};
	else
		c->failed = true;
}

void bpf_code_move(struct bpf_code *c, u8 dst, u8 src)
{
	bpf_code_alu(c, BPF_MOV, dst, src);
}

void bpf_code_number(struct bpf_code *c, u8 dst, u64 v)
{
	if (v == (u64)(s64)(s32)v) {
		bpf_code_alu_number(c, BPF_MOV, dst, (s32)v);
		return;
	}
	bpf_code_emit(c, BPF_LD | BPF_IMM | BPF_DW, dst, 0, 0, (s32)v);
	bpf_code_emit(c, 0, 0, 0, 0, (s32)(v >> 32));
}

void bpf_code_alu(struct bpf_code *c, u8 op, u8 dst, u8 src)
{
	bpf_code_emit(c, BPF_ALU64 | op | BPF_X, dst, src, 0, 0);
}

void bpf_code_alu_number(struct bpf_code *c, u8 op, u8 dst, s32 v)
{
	bpf_code_emit(c, BPF_ALU64 | op | BPF_K, dst, 0, 0, v);
}

static u8 width(u32 size)
{
	return size == 1 ? BPF_B : size == 2 ? BPF_H : size == 4 ? BPF_W : BPF_DW;
}

void bpf_code_load(struct bpf_code *c, u32 size, u8 dst, u8 src, s32 off)
{
	bpf_code_emit(c, BPF_LDX | BPF_MEM | width(size), dst, src, (s16)off, 0);
}

void bpf_code_store(struct bpf_code *c, u32 size, u8 dst, s32 off, u8 src)
{
	bpf_code_emit(c, BPF_STX | BPF_MEM | width(size), dst, src, (s16)off, 0);
}

void bpf_code_store_number(struct bpf_code *c, u32 size, u8 dst, s32 off, s32 v)
{
	bpf_code_emit(c, BPF_ST | BPF_MEM | width(size), dst, 0, (s16)off, v);
}

void bpf_code_extend(struct bpf_code *c, u8 reg, u32 bytes, bool is_signed)
{
	s32 shift = (s32)(64 - 8 * bytes);

	if (bytes >= 8)
		return;
	bpf_code_alu_number(c, BPF_LSH, reg, shift);
	bpf_code_alu_number(c, is_signed ? BPF_ARSH : BPF_RSH, reg, shift);
}

void bpf_code_call(struct bpf_code *c, enum bpf_func_id helper)
{
	bpf_code_emit(c, BPF_JMP | BPF_CALL, 0, 0, 0, (s32)helper);
}

void bpf_code_map(struct bpf_code *c, u8 dst, u32 map)
{
	bpf_code_emit(c, BPF_LD | BPF_IMM | BPF_DW, dst, BPF_PSEUDO_MAP_FD, 0, (s32)map);
	bpf_code_emit(c, 0, 0, 0, 0, 0);
}

u32 bpf_code_label(struct bpf_code *c)
{
	u32 *at = vec_push(&c->labels);

	if (at)
		*at = ID_NONE;
	else
		c->failed = true;
	return c->labels.nr - 1;
}

void bpf_code_here(struct bpf_code *c, u32 label)
{
	if (label < c->labels.nr)
		c->labels.v[label] = c->insns.nr;
}

bool bpf_code_is_used(const struct bpf_code *c, u32 label)
{
	u32 i;

	for (i = 0; i < c->jumps.nr; i++)
		if (c->jumps.v[i].label == label)
			return true;
	return false;
}

static void note_jump(struct bpf_code *c, u32 label)
{
	struct bpf_code_jump *j = vec_push(&c->jumps);

	if (j)
		*j = (struct bpf_code_jump){c->insns.nr, label};
	else
		c->failed = true;
}

void bpf_code_jump(struct bpf_code *c, u8 op, u8 dst, s32 v, u32 label)
{
	note_jump(c, label);
	bpf_code_emit(c, BPF_JMP | op | BPF_K, dst, 0, 0, v);
}

void bpf_code_jump_reg(struct bpf_code *c, u8 op, u8 dst, u8 src, u32 label)
{
	note_jump(c, label);
	bpf_code_emit(c, BPF_JMP | op | BPF_X, dst, src, 0, 0);
}

void bpf_code_exit(struct bpf_code *c)
{
	bpf_code_emit(c, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

bool bpf_code_end(struct bpf_code *c)
{
	const struct bpf_code_jump *j;
	u32 i, to;
	s64 off;

	for (i = 0; i < c->jumps.nr && !c->failed; i++) {
		j = &c->jumps.v[i];
		to = c->labels.v[j->label];
		off = (s64)to - j->at - 1;
		c->failed |= to == ID_NONE || off != (s16)off;
		c->insns.v[j->at].off = (s16)off;
	}
	c->jumps.nr = 0;
	return !c->failed;
}

void bpf_code_free(struct bpf_code *c)
{
	vec_free(&c->insns);
	vec_free(&c->jumps);
	vec_free(&c->labels);
}
