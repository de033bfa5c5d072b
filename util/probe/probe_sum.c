// SPDX-License-Identifier: GPL-2.0
#include "util/probe/probe_sum.h"

#include <stddef.h>

#include "util/probe/probe_internal.h"

#define VALUE(member) ((s32)offsetof(struct probe_sum_value, member))

u32 probe_sum_buckets(const struct probe_sum *s)
{
	if (!s->has_number || !s->has_buckets)
		return 0;
	return s->is_signed ? 129 : 65;
}

u32 probe_sum_size(const struct probe_sum *s)
{
	if (!s->has_number)
		return sizeof(u64);
	return (u32)(sizeof(struct probe_sum_value) + probe_sum_buckets(s) * sizeof(u64));
}

/* As a u64 that is in the same order, and back. */
static u64 ordered(const struct probe_sum *s, u64 number)
{
	return s->is_signed ? number ^ 1ull << 63 : number;
}

u64 probe_sum_least(const struct probe_sum *s, const struct probe_sum_value *v)
{
	return ordered(s, ~v->below);
}

u64 probe_sum_most(const struct probe_sum *s, const struct probe_sum_value *v)
{
	return ordered(s, v->above);
}

/* --- the program --- */

/* Others may take the CPU between load and store: a few times one after the other, at most. */
#define TRIES 4u

void probe_sum_find_hash(const struct probe_sum_place *p, u32 end)
{
	probe_find_first(p->code, p->outer, end);
	bpf_code_store(p->code, 8, R10, p->hash_at, R0);
}

/* R1, R2 = the hash, the key */
static void put_arguments(const struct probe_sum_place *p)
{
	struct bpf_code *code = p->code;

	bpf_code_load(code, 8, R1, R10, p->hash_at);
	bpf_code_move(code, R2, R_RECORD);
	if (p->key_at)
		bpf_code_alu_number(code, BPF_ADD, R2, p->key_at);
}

void probe_sum_find_value(const struct probe_sum_place *p, u32 no_room)
{
	struct bpf_code *code = p->code;
	const u32 found = bpf_code_label(code);

	put_arguments(p);
	bpf_code_call(code, BPF_FUNC_map_lookup_elem);
	bpf_code_jump(code, BPF_JNE, R0, 0, found);
	probe_find_first(code, p->zeros, no_room);
	put_arguments(p);
	bpf_code_move(code, R3, R0);
	/* another CPU may have been here since */
	bpf_code_number(code, R4, BPF_NOEXIST);
	bpf_code_call(code, BPF_FUNC_map_update_elem);
	put_arguments(p);
	bpf_code_call(code, BPF_FUNC_map_lookup_elem);
	bpf_code_jump(code, BPF_JEQ, R0, 0, no_room);
	bpf_code_here(code, found);
}

/* R3 = the u64 at R0 + `at`, which is R1 more now */
static void add_first(const struct probe_sum_place *p, s32 at)
{
	struct bpf_code *code = p->code;

	if (p->preempted) {
		bpf_code_move(code, R3, R1);
		bpf_code_emit(code, BPF_STX | BPF_ATOMIC | BPF_DW, R0, R3, (s16)at,
			      BPF_ADD | BPF_FETCH);
		bpf_code_alu(code, BPF_ADD, R3, R1);
		return;
	}
	bpf_code_load(code, 8, R3, R0, at);
	bpf_code_alu(code, BPF_ADD, R3, R1);
	bpf_code_store(code, 8, R0, at, R3);
}

/* The sum, of 128 bits, += R1: the carry is that of the addition, whoever adds meanwhile. */
static void add_sum(const struct probe_sum_place *p)
{
	struct bpf_code *code = p->code;
	const u32 whole = bpf_code_label(code), same = bpf_code_label(code);

	add_first(p, VALUE(sum_low));
	bpf_code_number(code, R2, 0);
	if (p->sum->is_signed) {
		bpf_code_move(code, R2, R1);
		bpf_code_alu_number(code, BPF_ARSH, R2, 63);
	}
	bpf_code_jump_reg(code, BPF_JGE, R3, R1, whole);
	bpf_code_alu_number(code, BPF_ADD, R2, 1);
	bpf_code_here(code, whole);
	bpf_code_jump(code, BPF_JEQ, R2, 0, same);
	probe_add_to(p->code, VALUE(sum_high), p->preempted);
	bpf_code_here(code, same);
}

/* The u64 at R0 + `at` is R4 at least. */
static void raise_to(const struct probe_sum_place *p, s32 at, u32 busy)
{
	struct bpf_code *code = p->code;
	const u32 done = bpf_code_label(code);
	u32 i;

	if (!p->preempted) {
		bpf_code_load(code, 8, R3, R0, at);
		bpf_code_jump_reg(code, BPF_JGE, R3, R4, done);
		bpf_code_store(code, 8, R0, at, R4);
		bpf_code_here(code, done);
		return;
	}
	/* what is there is compared with R0, and put into it */
	bpf_code_move(code, R2, R0);
	bpf_code_load(code, 8, R0, R2, at);
	for (i = 0; i < TRIES; i++) {
		bpf_code_jump_reg(code, BPF_JGE, R0, R4, done);
		bpf_code_move(code, R3, R0);
		bpf_code_emit(code, BPF_STX | BPF_ATOMIC | BPF_DW, R2, R4, (s16)at, BPF_CMPXCHG);
		bpf_code_jump_reg(code, BPF_JEQ, R0, R3, done);
	}
	bpf_code_jump(code, BPF_JA, R0, 0, busy);
	bpf_code_here(code, done);
	bpf_code_move(code, R0, R2);
}

void probe_sum_ends(const struct probe_sum_place *p, u32 busy)
{
	struct bpf_code *code = p->code;

	bpf_code_move(code, R4, R1);
	if (p->sum->is_signed) {
		bpf_code_number(code, R3, 1ull << 63);
		bpf_code_alu(code, BPF_XOR, R4, R3);
	}
	raise_to(p, VALUE(above), busy);
	bpf_code_alu_number(code, BPF_XOR, R4, -1);
	raise_to(p, VALUE(below), busy);
}

/* R3 = how many binary digits the number R1 has, which is lost. */
static void count_digits(struct bpf_code *code)
{
	s32 step;
	u32 next;

	bpf_code_number(code, R3, 0);
	for (step = 32; step; step /= 2) {
		next = bpf_code_label(code);
		bpf_code_move(code, R4, R1);
		bpf_code_alu_number(code, BPF_RSH, R4, step);
		bpf_code_jump(code, BPF_JEQ, R4, 0, next);
		bpf_code_move(code, R1, R4);
		bpf_code_alu_number(code, BPF_ADD, R3, step);
		bpf_code_here(code, next);
	}
	/* 1, or of 0 none */
	bpf_code_alu_number(code, BPF_AND, R1, 1);
	bpf_code_alu(code, BPF_ADD, R3, R1);
}

static void add_bucket(const struct probe_sum_place *p)
{
	struct bpf_code *code = p->code;
	const bool is_signed = p->sum->is_signed;
	u32 positive = bpf_code_label(code), known = bpf_code_label(code);

	if (is_signed) {
		bpf_code_number(code, R5, 0);
		bpf_code_jump(code, BPF_JSGE, R1, 0, positive);
		bpf_code_emit(code, BPF_ALU64 | BPF_NEG, R1, 0, 0, 0);
		bpf_code_number(code, R5, 1);
		bpf_code_here(code, positive);
	}
	count_digits(code);
	if (is_signed) {
		/* older verifiers know no bounds of what is negated */
		bpf_code_number(code, R4, 64);
		bpf_code_jump(code, BPF_JEQ, R5, 0, known);
		bpf_code_alu(code, BPF_SUB, R4, R3);
		bpf_code_number(code, R3, 0);
		bpf_code_here(code, known);
		bpf_code_alu(code, BPF_ADD, R3, R4);
	}
	bpf_code_alu_number(code, BPF_LSH, R3, 3);
	bpf_code_alu(code, BPF_ADD, R0, R3);
	bpf_code_number(code, R2, 1);
	probe_add_to(p->code, VALUE(buckets), p->preempted);
}

void probe_sum_hit(const struct probe_sum_place *p)
{
	bpf_code_number(p->code, R2, 1);
	probe_add_to(p->code, VALUE(nr), p->preempted);
}

void probe_sum_number(const struct probe_sum_place *p)
{
	bpf_code_number(p->code, R2, 1);
	probe_add_to(p->code, VALUE(with), p->preempted);
	add_sum(p);
	if (p->sum->has_buckets)
		add_bucket(p);
}
