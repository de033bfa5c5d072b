// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "util/probe/probe_internal.h"
#include "util/probe/probe_part.h"

#define KEY PROBE_KEY

/* Before the record. */
#define LOST_AT (-(s32)PROBE_RECORD_AT)
#define BUSY_AT (LOST_AT + 8)

#define RECORDS 4u /* of threads that wait for the CPU in the middle of one */

#define NOT_NOW (-16) /* -EBUSY: too many programs one inside the other */

void probe_copy(struct expr_code *x, u8 to, s32 at, u32 size)
{
	bpf_code_move(x->code, R3, R0);
	bpf_code_number(x->code, R2, size);
	bpf_code_move(x->code, R1, to);
	bpf_code_alu_number(x->code, BPF_ADD, R1, at);
	expr_code_copy(x);
}

void probe_clear(struct bpf_code *c, u32 offset, u32 size)
{
	u32 step;

	for (; size; offset += step, size -= step) {
		step = !(offset % 8) && size >= 8   ? 8
		       : !(offset % 4) && size >= 4 ? 4
		       : !(offset % 2) && size >= 2 ? 2
						    : 1;
		bpf_code_store_number(c, step, R_RECORD, (s32)offset, 0);
	}
}

void probe_unread(struct bpf_code *c, const struct probe *p, u32 field)
{
	const struct probe_field *f = &p->fields.v[field];

	bpf_code_number(c, R0, 1ull << field);
	bpf_code_alu(c, BPF_OR, R_UNREAD, R0);
	probe_clear(c, f->offset, f->size);
}

void probe_look_up(struct bpf_code *c, u32 map)
{
	bpf_code_map(c, R1, map);
	bpf_code_move(c, R2, R10);
	bpf_code_alu_number(c, BPF_ADD, R2, KEY);
	bpf_code_call(c, BPF_FUNC_map_lookup_elem);
}

void probe_find_first(struct bpf_code *c, u32 map, u32 none)
{
	bpf_code_store_number(c, 4, R10, KEY, 0);
	probe_look_up(c, map);
	bpf_code_jump(c, BPF_JEQ, R0, 0, none);
}

void probe_number(struct expr_code *x, const struct probe_field *f)
{
	expr_code_value(x, f->e);
	if (f->as_stored)
		expr_code_swap(x, f->size);
	bpf_code_extend(x->code, R0, f->size, f->is_signed);
}

void probe_put_comm(struct bpf_code *c, u32 at)
{
	const u32 known = bpf_code_label(c);
	u64 swapper;

	bpf_code_move(c, R1, R_RECORD);
	bpf_code_alu_number(c, BPF_ADD, R1, (s32)at);
	bpf_code_number(c, R2, PROBE_COMM_SIZE);
	bpf_code_call(c, BPF_FUNC_get_current_comm);
	bpf_code_extend(c, R8, 4, false);
	bpf_code_jump(c, BPF_JNE, R8, 0, known);
	memcpy(&swapper, "swapper", sizeof(swapper));
	bpf_code_number(c, R0, swapper);
	bpf_code_store(c, 8, R_RECORD, (s32)at, R0);
	bpf_code_store_number(c, 8, R_RECORD, (s32)at + 8, 0);
	bpf_code_here(c, known);
}

void probe_add_to(struct bpf_code *c, s32 at, bool preempted)
{
	if (preempted) {
		bpf_code_emit(c, BPF_STX | BPF_ATOMIC | BPF_DW, R0, R2, (s16)at, BPF_ADD);
		return;
	}
	bpf_code_load(c, 8, R3, R0, at);
	bpf_code_alu(c, BPF_ADD, R3, R2);
	bpf_code_store(c, 8, R0, at, R3);
}

void probe_find_bytes(struct expr_code *x, const struct expr *e)
{
	if (e->is_place && e->type.kind != EXPR_POINTER && e->type.kind != EXPR_NUMBER)
		expr_code_address(x, e);
	else
		expr_code_value(x, e);
}

static void put_text(struct expr_code *x, const struct probe_field *f)
{
	struct bpf_code *c = x->code;
	const bool of_user = f->what == PROBE_USER_STRING, user = x->user;
	u32 full;

	probe_find_bytes(x, f->e);
	/* what an earlier text left behind it */
	probe_clear(c, f->offset, f->size);
	bpf_code_move(c, R3, R0);
	bpf_code_number(c, R2, f->size);
	bpf_code_move(c, R1, R_RECORD);
	bpf_code_alu_number(c, BPF_ADD, R1, (s32)f->offset);
	bpf_code_call(c, of_user ? BPF_FUNC_probe_read_user_str : BPF_FUNC_probe_read_kernel_str);
	bpf_code_jump(c, BPF_JSLT, R0, 0, x->unread);
	if (!f->e->is_place || f->e->type.kind != EXPR_ARRAY)
		return;
	/* an array that is full has no NUL, for which a byte of it was given up */
	full = bpf_code_label(c);
	bpf_code_jump(c, BPF_JNE, R0, (s32)f->size, full);
	probe_find_bytes(x, f->e);
	x->user = of_user;
	probe_copy(x, R_RECORD, (s32)f->offset, f->size);
	x->user = user;
	bpf_code_here(c, full);
}

static void put_field(struct expr_code *x, const struct probe_field *f)
{
	const bool user = x->user;

	switch (f->what) {
	case PROBE_NUMBER:
		expr_code_value(x, f->e);
		if (f->as_stored)
			expr_code_swap(x, f->size);
		bpf_code_store(x->code, f->size, R_RECORD, (s32)f->offset, R0);
		break;
	case PROBE_FUNCTION:
		bpf_code_move(x->code, R1, R6);
		bpf_code_call(x->code, x->user ? BPF_FUNC_get_attach_cookie : BPF_FUNC_get_func_ip);
		bpf_code_store(x->code, 8, R_RECORD, (s32)f->offset, R0);
		break;
	case PROBE_COMM:
		bpf_code_call(x->code, BPF_FUNC_get_current_pid_tgid);
		bpf_code_move(x->code, R8, R0);
		probe_put_comm(x->code, f->offset);
		break;
	case PROBE_BYTES:
		probe_find_bytes(x, f->e);
		x->user |= f->e->of_user;
		probe_copy(x, R_RECORD, (s32)f->offset, f->size);
		x->user = user;
		break;
	default:
		put_text(x, f);
	}
}

void probe_put_fields(struct bpf_code *c, const struct probe *p, const struct btf *b)
{
	static bool (*const readers[])(struct bpf_code *, const struct probe *, const struct btf *,
				       u32) = {
		[PROBE_FLOW] = probe_flow,   [PROBE_FLOW_SOCKET] = probe_flow_socket,
		[PROBE_INNER] = probe_inner, [PROBE_PACKET_BYTES] = probe_packet,
		[PROBE_PATH] = probe_path,   [PROBE_PATH_DENTRY] = probe_path,
		[PROBE_ARGV] = probe_argv,   [PROBE_SOCKADDR] = probe_sockaddr,
		[PROBE_WITH] = NULL,
	};
	struct expr_code x = probe_expr(c, p, 0);
	enum probe_what what;
	u32 i, next;

	for (i = 0; i < p->fields.nr; i++) {
		what = p->fields.v[i].what;
		if (what == PROBE_WITH)
			continue;
		if (readers[what]) {
			c->failed |= !readers[what](c, p, b, i);
			continue;
		}
		x.unread = bpf_code_label(c);
		next = bpf_code_label(c);
		put_field(&x, &p->fields.v[i]);
		/* the kernel refuses what nothing leads to */
		if (!bpf_code_is_used(c, x.unread))
			continue;
		bpf_code_jump(c, BPF_JA, R0, 0, next);
		bpf_code_here(c, x.unread);
		probe_unread(c, p, i);
		bpf_code_here(c, next);
	}
}

void probe_choose_hit(struct bpf_code *c, const struct probe *p, u32 end)
{
	struct expr_code x = probe_expr(c, p, end);

	if (!p->when)
		return;
	expr_code_value(&x, p->when);
	bpf_code_jump(c, BPF_JEQ, R0, 0, end);
}

void probe_choose_cpu(struct bpf_code *c, const struct probe_program *how, u32 end)
{
	const u32 known = bpf_code_label(c);
	u32 i, next;

	if (!how->cpus)
		return;
	bpf_code_call(c, BPF_FUNC_get_smp_processor_id);
	for (i = 0; i < how->nr_cpus; i++) {
		next = bpf_code_label(c);
		bpf_code_jump(c, BPF_JGE, R0, (s32)(64 * (i + 1)), next);
		bpf_code_number(c, R1, how->cpus[i]);
		bpf_code_alu_number(c, BPF_AND, R0, 63);
		bpf_code_alu(c, BPF_RSH, R1, R0);
		bpf_code_alu_number(c, BPF_AND, R1, 1);
		bpf_code_jump(c, BPF_JEQ, R1, 0, end);
		bpf_code_jump(c, BPF_JA, R0, 0, known);
		bpf_code_here(c, next);
	}
	bpf_code_jump(c, BPF_JA, R0, 0, end);
	bpf_code_here(c, known);
}

void probe_choose_thread(struct bpf_code *c, const struct probe_program *how, u32 end)
{
	u32 i, known;

	bpf_code_call(c, BPF_FUNC_get_current_pid_tgid);
	bpf_code_move(c, R8, R0);
	if (how->nr_selves)
		bpf_code_extend(c, R0, 4, false);
	for (i = 0; i < how->nr_selves; i++)
		bpf_code_jump(c, BPF_JEQ, R0, (s32)how->selves[i], end);
	if (!how->by_thread)
		return;
	bpf_code_store(c, 4, R10, KEY, R8);
	probe_look_up(c, PROBE_MAP_THREADS);
	bpf_code_jump(c, BPF_JEQ, R0, 0, end);
	/* another one may have its number before it is freed */
	known = bpf_code_label(c);
	bpf_code_move(c, R_UNREAD, R0);
	bpf_code_call(c, BPF_FUNC_get_current_task);
	bpf_code_load(c, 8, R1, R_UNREAD, offsetof(struct probe_thread, task));
	bpf_code_jump_reg(c, BPF_JEQ, R1, R0, known);
	bpf_code_jump(c, BPF_JNE, R1, 0, end);
	bpf_code_store(c, 8, R_UNREAD, offsetof(struct probe_thread, task), R0);
	bpf_code_here(c, known);
	bpf_code_load(c, 8, R0, R_UNREAD, offsetof(struct probe_thread, active));
	bpf_code_jump(c, BPF_JNE, R0, 1, end);
}

u32 probe_records(const struct probe *p)
{
	return p->user ? RECORDS : 1;
}

/* Of the record R_RECORD: to `busy` if it is being made already. Interrupts of itself are kept out by kernels from 6.1 on. */
static void begin_making(struct bpf_code *c, const struct probe_program *how, u32 busy)
{
	if (how->preempted) {
		bpf_code_number(c, R0, 1);
		bpf_code_emit(c, BPF_STX | BPF_ATOMIC | BPF_DW, R_RECORD, R0, (s16)BUSY_AT,
			      BPF_XCHG);
		bpf_code_jump(c, BPF_JNE, R0, 0, busy);
		return;
	}
	bpf_code_load(c, 8, R0, R_RECORD, BUSY_AT);
	bpf_code_jump(c, BPF_JNE, R0, 0, busy);
	bpf_code_store_number(c, 8, R_RECORD, BUSY_AT, 1);
}

void probe_claim_record(struct bpf_code *c, const struct probe *p, const struct probe_program *how,
			u32 lost, u32 end)
{
	const u32 begun = bpf_code_label(c), nr = probe_records(p);
	u32 i, next;

	for (i = 0; i < nr; i++) {
		next = i + 1 < nr ? bpf_code_label(c) : lost;
		bpf_code_store_number(c, 4, R10, KEY, (s32)i);
		probe_look_up(c, PROBE_MAP_RECORD);
		bpf_code_jump(c, BPF_JEQ, R0, 0, end);
		bpf_code_move(c, R_RECORD, R0);
		bpf_code_alu_number(c, BPF_ADD, R_RECORD, PROBE_RECORD_AT);
		begin_making(c, how, next);
		if (next == lost)
			break;
		bpf_code_jump(c, BPF_JA, R0, 0, begun);
		bpf_code_here(c, next);
	}
	bpf_code_here(c, begun);
}

void probe_leave_record(struct bpf_code *c, s32 at)
{
	bpf_code_store_number(c, 8, R_RECORD, at + BUSY_AT, 0);
}

void probe_count_lost(struct bpf_code *c)
{
	bpf_code_number(c, R0, 1);
	bpf_code_emit(c, BPF_STX | BPF_ATOMIC | BPF_DW, R_RECORD, R0, LOST_AT, BPF_ADD);
}

/* With its common fields. */
static void begin_record(struct bpf_code *c, const struct probe *p, const struct probe_program *how,
			 u32 lost, u32 end)
{
	probe_claim_record(c, p, how, lost, end);
	bpf_code_store_number(c, 4, R_RECORD, 0, 0);
	bpf_code_number(c, R0, p->id);
	bpf_code_store(c, 2, R_RECORD, 0, R0);
	bpf_code_store(c, 4, R_RECORD, 4, R8);
	bpf_code_number(c, R_UNREAD, 0);
}

static void end_record(struct bpf_code *c, const struct probe *p, u32 lost, u32 end)
{
	bpf_code_store(c, 4, R_RECORD, 8, R_UNREAD);
	bpf_code_move(c, R1, R6);
	bpf_code_map(c, R2, PROBE_MAP_RINGS);
	bpf_code_number(c, R3, BPF_F_CURRENT_CPU);
	bpf_code_move(c, R4, R_RECORD);
	bpf_code_number(c, R5, p->size);
	bpf_code_call(c, BPF_FUNC_perf_event_output);
	probe_leave_record(c, 0);
	bpf_code_extend(c, R0, 4, true);
	bpf_code_jump(c, BPF_JNE, R0, NOT_NOW, end);
	bpf_code_here(c, lost);
	probe_count_lost(c);
}

bool probe_finish(struct bpf_code *c, u32 end)
{
	bpf_code_here(c, end);
	bpf_code_number(c, R0, 0);
	bpf_code_exit(c);
	if (bpf_code_end(c))
		return true;
	bpf_code_free(c);
	return false;
}

int probe_end(struct bpf_code *c, u32 end, const struct probe *p, const char *what, struct err *err)
{
	if (probe_finish(c, end))
		return 0;
	return err_set(err, E2BIG, "%s: no program can be made of these %s", p->tracepoint, what);
}

int probe_code(const struct probe *p, const struct btf *b, const struct probe_program *how,
	       struct bpf_code *code, struct err *err)
{
	u32 end, lost;
	int ret;

	*code = (struct bpf_code){0};
	end = bpf_code_label(code);
	lost = bpf_code_label(code);
	bpf_code_move(code, R6, R1);
	probe_choose_hit(code, p, end);
	probe_test_code(code, p, NULL, how->tests, how->nr_tests, end);
	probe_choose_thread(code, how, end);
	begin_record(code, p, how, lost, end);
	probe_put_fields(code, p, b);
	end_record(code, p, lost, end);
	ret = probe_end(code, end, p, "fields", err);
	if (ret)
		err_hint(err, "record fewer of them: path() and argv() make long programs");
	return ret;
}

/* Read the first and the last byte of what a field has, if that is memory. R8 is changed. */
static void touch_field(struct expr_code *x, const struct probe_field *f)
{
	struct bpf_code *c = x->code;

	if (f->what == PROBE_FUNCTION || f->what == PROBE_COMM)
		return;
	if (f->what == PROBE_NUMBER) {
		expr_code_value(x, f->e);
		return;
	}
	if (f->what == PROBE_ARGV) {
		probe_argv_touch(x, f);
		return;
	}
	probe_find_bytes(x, f->e);
	bpf_code_move(c, R8, R0);
	expr_code_read(x, 1);
	bpf_code_move(c, R0, R8);
	bpf_code_alu_number(c, BPF_ADD, R0, (s32)f->size - 1);
	expr_code_read(x, 1);
}

bool probe_fault_code(const struct probe *p, const struct probe_program *how, struct bpf_code *code)
{
	struct expr_code x = {.code = code, .user = true, .faults = true};
	bool reads = false;
	u32 i, end;

	*code = (struct bpf_code){0};
	end = bpf_code_label(code);
	bpf_code_move(code, R6, R1);
	probe_choose_thread(code, how, end);
	for (i = 0; i < p->fields.nr; i++) {
		x.unread = bpf_code_label(code);
		touch_field(&x, &p->fields.v[i]);
		reads |= bpf_code_is_used(code, x.unread);
		bpf_code_here(code, x.unread);
	}
	bpf_code_here(code, end);
	bpf_code_number(code, R0, 0);
	bpf_code_exit(code);
	reads &= bpf_code_end(code);
	if (!reads)
		bpf_code_free(code);
	return reads;
}
