// SPDX-License-Identifier: GPL-2.0
#include "util/probe/probe_count.h"

#include "util/probe/probe_internal.h"
#include <errno.h>

/* In the stack, below what the readers of fields use: where the hash is. What comes first is the number, then the key. */
#define HASH_AT     (PROBE_READ_STACK - 8)
#define STACK_BYTES ((u32)(512 + HASH_AT))

#define KEY_MAX 512u /* of a hash, on older kernels */

#define HEAD   ((s32)sizeof(struct probe_count_spill))
#define NUMBER ((s32)sizeof(struct probe_count_number))

/* --- the key --- */

static u32 give_place(struct probe_count *c, u32 id, u32 size)
{
	u32 at = c->key_size;

	if (!(c->ids & id))
		return ID_NONE;
	c->key_size += size;
	return at;
}

bool probe_count_plan(struct probe_count *c)
{
	u32 end;

	c->key_size = 0;
	c->comm_at = give_place(c, PROBE_COUNT_COMM, PROBE_COMM_SIZE);
	c->cgroup_at = give_place(c, PROBE_COUNT_CGROUP, sizeof(u64));
	c->pid_at = give_place(c, PROBE_COUNT_PID, sizeof(u32));
	c->tid_at = give_place(c, PROBE_COUNT_TID, sizeof(u32));
	c->cpu_at = give_place(c, PROBE_COUNT_CPU, sizeof(u32));
	if (!probe_part_init(&c->part, c->probe, c->keys, c->key_size))
		return false;
	end = c->part.end;
	/* without keys there is one all the same */
	if (c->part.fields.fields.nr || !c->key_size)
		c->key_size = ALIGN_UP(end, sizeof(u32));
	c->sum.has_number = c->of != ID_NONE;
	c->sum.is_signed = c->sum.has_number && c->probe->fields.v[c->of].is_signed;
	c->spill_size = ALIGN_UP(c->key_size, 8) + (u32)(HEAD + NUMBER);
	return c->key_size <= KEY_MAX;
}

void probe_count_free(struct probe_count *c)
{
	probe_part_free(&c->part);
}

/* --- the program --- */

static s32 number_at(const struct probe_count *c)
{
	return (s32)ALIGN_UP(c->key_size, 8);
}

/* What is written where only the program knows it: older kernels allow that in the stack not at all. */
static bool has_long_text(const struct probe *p)
{
	bool has = false;
	u32 i;

	for (i = 0; i < p->fields.nr; i++)
		has |= probe_is_long_text(&p->fields.v[i]);
	return has;
}

/* A key is made in the stack, or if it is large in a record of the CPU, which others may be making who had the CPU before. */
static bool is_in_stack(const struct probe_count *c)
{
	return c->spill_size <= STACK_BYTES && !has_long_text(&c->part.fields);
}

/* R_RECORD = where the key is made. */
static void place_key(struct bpf_code *code, const struct probe_count *c,
		      const struct probe_program *how, u32 lost, u32 end)
{
	if (is_in_stack(c)) {
		bpf_code_move(code, R_RECORD, R10);
		bpf_code_alu_number(code, BPF_ADD, R_RECORD, HASH_AT - (s32)c->spill_size + HEAD);
		return;
	}
	if (how->preempted) {
		probe_claim_record(code, c->probe, how, lost, end);
	} else {
		probe_find_first(code, PROBE_MAP_RECORD, end);
		bpf_code_move(code, R_RECORD, R0);
		bpf_code_alu_number(code, BPF_ADD, R_RECORD, (s32)PROBE_RECORD_AT);
	}
	bpf_code_alu_number(code, BPF_ADD, R_RECORD, HEAD);
}

/* R8 = pid and tid */
static void put_ids(struct bpf_code *code, const struct probe_count *c)
{
	if (c->pid_at != ID_NONE) {
		bpf_code_move(code, R0, R8);
		bpf_code_alu_number(code, BPF_RSH, R0, 32);
		bpf_code_store(code, 4, R_RECORD, (s32)c->pid_at, R0);
	}
	if (c->tid_at != ID_NONE)
		bpf_code_store(code, 4, R_RECORD, (s32)c->tid_at, R8);
	if (c->comm_at != ID_NONE)
		probe_put_comm(code, c->comm_at);
	if (c->cgroup_at != ID_NONE) {
		bpf_code_call(code, BPF_FUNC_get_current_cgroup_id);
		bpf_code_store(code, 8, R_RECORD, (s32)c->cgroup_at, R0);
	}
	if (c->cpu_at != ID_NONE) {
		bpf_code_call(code, BPF_FUNC_get_smp_processor_id);
		bpf_code_store(code, 4, R_RECORD, (s32)c->cpu_at, R0);
	}
}

static void put_key(struct bpf_code *code, const struct probe_count *c, const struct btf *b)
{
	put_ids(code, c);
	if (c->key_size > c->part.unread_at)
		probe_part_code(&c->part, b, c->key_size, code);
}

static void put_number(struct bpf_code *code, const struct probe_count *c)
{
	struct expr_code x = probe_expr(code, c->probe, bpf_code_label(code));
	u32 next = bpf_code_label(code);
	const s32 at = number_at(c);

	if (c->of == ID_NONE)
		return;
	probe_number(&x, &c->probe->fields.v[c->of]);
	bpf_code_store(code, 8, R_RECORD, at + 8, R0);
	bpf_code_store_number(code, 8, R_RECORD, at, 1);
	if (bpf_code_is_used(code, x.unread)) {
		bpf_code_jump(code, BPF_JA, R0, 0, next);
		bpf_code_here(code, x.unread);
		bpf_code_store_number(code, 8, R_RECORD, at, 0);
		bpf_code_store_number(code, 8, R_RECORD, at + 8, 0);
	}
	bpf_code_here(code, next);
}

static void add_hit(const struct probe_sum_place *place, const struct probe_count *c, u32 spill,
		    u32 end)
{
	struct bpf_code *code = place->code;
	u32 lacks;

	if (!c->sum.has_number) {
		probe_sum_hit(place);
		return;
	}
	lacks = bpf_code_label(code);
	bpf_code_load(code, 8, R3, R_RECORD, number_at(c));
	bpf_code_jump(code, BPF_JEQ, R3, 0, lacks);
	bpf_code_load(code, 8, R1, R_RECORD, number_at(c) + 8);
	probe_sum_ends(place, spill);
	probe_sum_hit(place);
	probe_sum_number(place);
	bpf_code_jump(code, BPF_JA, R0, 0, end);
	bpf_code_here(code, lacks);
	probe_sum_hit(place);
}

/* What could not be given to the ring is counted as lost, unless the ring was full: that the kernel counts. */
static void put_spill(struct bpf_code *code, const struct probe_count *c, u32 end)
{
	/* what the way to the map does not need */
	bpf_code_store_number(code, 8, R_RECORD, -HEAD, 0);
	bpf_code_number(code, R0, c->probe->id);
	bpf_code_store(code, 2, R_RECORD, -HEAD, R0);
	if (c->key_size % 8)
		bpf_code_store_number(code, 4, R_RECORD, (s32)c->key_size, 0);
	if (c->of == ID_NONE) {
		bpf_code_store_number(code, 8, R_RECORD, number_at(c), 0);
		bpf_code_store_number(code, 8, R_RECORD, number_at(c) + 8, 0);
	}
	bpf_code_move(code, R1, R6);
	bpf_code_map(code, R2, PROBE_MAP_RINGS);
	bpf_code_number(code, R3, BPF_F_CURRENT_CPU);
	bpf_code_move(code, R4, R_RECORD);
	bpf_code_alu_number(code, BPF_ADD, R4, -HEAD);
	bpf_code_number(code, R5, c->spill_size);
	bpf_code_call(code, BPF_FUNC_perf_event_output);
	bpf_code_extend(code, R0, 4, true);
	bpf_code_jump(code, BPF_JEQ, R0, 0, end);
	bpf_code_jump(code, BPF_JEQ, R0, -ENOSPC, end);
	probe_find_first(code, PROBE_MAP_RECORD, end);
	bpf_code_number(code, R2, 1);
	probe_add_to(code, 0, true);
}

int probe_count_code(const struct probe_count *c, const struct btf *b,
		     const struct probe_program *how, struct bpf_code *code, struct err *err)
{
	const struct probe_sum_place place = {.sum = &c->sum,
					      .code = code,
					      .outer = PROBE_COUNT_MAP_OUTER,
					      .zeros = PROBE_COUNT_MAP_ZEROS,
					      .hash_at = HASH_AT,
					      .preempted = how->preempted};
	const bool claims = how->preempted && !is_in_stack(c);
	u32 end, spill, lost, made;

	*code = (struct bpf_code){0};
	end = bpf_code_label(code);
	spill = bpf_code_label(code);
	lost = bpf_code_label(code);
	made = claims ? bpf_code_label(code) : end;
	bpf_code_move(code, R6, R1);
	probe_choose_hit(code, c->probe, end);
	probe_test_code(code, c->probe, NULL, c->tests, c->nr_tests, end);
	probe_choose_cpu(code, how, end);
	if (c->ids & (PROBE_COUNT_COMM | PROBE_COUNT_PID | PROBE_COUNT_TID) || how->by_thread ||
	    how->nr_selves)
		probe_choose_thread(code, how, end);
	probe_sum_find_hash(&place, end);
	place_key(code, c, how, lost, end);
	put_key(code, c, b);
	put_number(code, c);
	probe_sum_find_value(&place, spill);
	add_hit(&place, c, spill, made);
	bpf_code_jump(code, BPF_JA, R0, 0, made);
	bpf_code_here(code, spill);
	put_spill(code, c, made);
	if (claims) {
		bpf_code_here(code, made);
		probe_leave_record(code, -HEAD);
		bpf_code_jump(code, BPF_JA, R0, 0, end);
		bpf_code_here(code, lost);
		probe_count_lost(code);
	}
	return probe_end(code, end, c->probe, "keys", err);
}
