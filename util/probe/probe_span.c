// SPDX-License-Identifier: GPL-2.0
#include "util/probe/probe_span.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "util/probe/probe_internal.h"

/* The record is that of an end; R_RECORD is where it begins. */
#define TOOK_AT ((s32)offsetof(struct probe_span_ended, took))
#define KEY_AT  ((s32)sizeof(struct probe_span_ended))

#define ACCOUNT(member) ((s32)offsetof(struct probe_span_account, member))
#define BEGIN(member)   ((s32)offsetof(struct probe_span_begin, member))

/* In the stack: the account, and who runs, as bpf_get_current_pid_tgid() has it. */
#define ACCOUNT_AT (PROBE_READ_STACK - 8)
#define WHO_AT     (PROBE_READ_STACK - 16)
#define HASH_AT    (PROBE_READ_STACK - 24) /* of the sums */
#define ID_AT      (PROBE_READ_STACK - 32) /* a struct probe_span_id ... */
#define VALUE_AT   (PROBE_READ_STACK - 40) /* ... and the value for it */

/* In the memory of the record, behind it. */
#define FIRST_COMM_AT 1000
#define NUMBERS_AT    1024u

/* --- what a begin keeps --- */

static u32 entry_at(const struct probe_span *s)
{
	return (u32)KEY_AT + s->nr_words * (u32)sizeof(u64);
}

bool probe_span_init(struct probe_span *s)
{
	return probe_part_init(&s->kept, s->probe, s->keep,
			       entry_at(s) + (u32)sizeof(struct probe_span_begin)) &&
	       probe_span_size(s) <= PROBE_SPAN_BYTES_MAX;
}

u32 probe_span_size(const struct probe_span *s)
{
	const u32 size = s->kept.fields.fields.nr ? s->kept.end - entry_at(s)
						  : (u32)sizeof(struct probe_span_begin);

	return ALIGN_UP(size, 8);
}

void probe_span_free(struct probe_span *s)
{
	probe_part_free(&s->kept);
}

/* --- the program --- */

struct making {
	const struct probe_span *s;
	const struct btf *btf;
	struct bpf_code *code;
	struct probe_numbers numbers; /* what several tests and words want */
	u32 end;
	bool preempted; /* as in struct probe_program */
	struct {
		u32 group_leader, comm;
	} task; /* where a task has these */
};

static void want_number(u32 field, u64 *once, u64 *again)
{
	*again |= *once & 1ull << field;
	*once |= 1ull << field;
}

static u64 wanted_again(const struct probe_span *s)
{
	const struct probe_span_point *p;
	u64 once = 0, again = 0;
	u32 i;

	for (i = 0; i < s->wanted.nr; i++)
		want_number(s->wanted.tests[i].field, &once, &again);
	for (p = s->points; p < s->points + s->nr_points; p++) {
		for (i = 0; i < p->nr_tests; i++)
			want_number(p->tests[i].field, &once, &again);
		for (i = 0; i < s->nr_words; i++)
			if (p->words[i].is == PROBE_SPAN_FIELD)
				want_number(p->words[i].field, &once, &again);
	}
	return again;
}

static void add_one(const struct making *m, s32 member)
{
	bpf_code_load(m->code, 8, R0, R10, ACCOUNT_AT);
	bpf_code_number(m->code, R2, 1);
	probe_add_to(m->code, member, m->preempted);
}

/* Count it, and on to `next`. */
static void count_and_go(const struct making *m, s32 member, u32 next)
{
	add_one(m, member);
	bpf_code_jump(m->code, BPF_JA, R0, 0, next);
}

/* What could not be done for the moment, as in an interrupt of the map's own code. On to `next`. */
static void lose(struct bpf_code *c, u32 next)
{
	probe_count_lost(c);
	bpf_code_jump(c, BPF_JA, R0, 0, next);
}

/* To `lost` if there is no record for it; before there is one, all else is to `end`. */
static void begin_program(const struct making *m, const struct probe_program *how, u32 lost,
			  u32 end)
{
	struct bpf_code *c = m->code;

	probe_find_first(c, PROBE_SPAN_MAP_STATE, end);
	bpf_code_load(c, 8, R0, R0, 0);
	bpf_code_jump(c, BPF_JEQ, R0, 0, end);
	probe_choose_hit(c, m->s->probe, end);
	probe_choose_cpu(c, how, end);
	probe_choose_thread(c, how, end);
	bpf_code_store(c, 8, R10, WHO_AT, R8);
	probe_find_first(c, PROBE_SPAN_MAP_ACCOUNT, end);
	bpf_code_store(c, 8, R10, ACCOUNT_AT, R0);
	if (m->preempted) {
		probe_claim_record(c, m->s->probe, how, lost, end);
		return;
	}
	probe_find_first(c, PROBE_MAP_RECORD, end);
	bpf_code_move(c, R_RECORD, R0);
	bpf_code_alu_number(c, BPF_ADD, R_RECORD, (s32)PROBE_RECORD_AT);
}

/* To `missed` if it cannot be read. */
static void put_word(const struct making *m, const struct probe_span_word *w, s32 at, u32 missed)
{
	struct bpf_code *c = m->code;

	switch (w->is) {
	case PROBE_SPAN_FIELD:
		probe_numbers_get(&m->numbers, m->s->probe, w->field, c, missed);
		break;
	case PROBE_SPAN_CPU:
		bpf_code_call(c, BPF_FUNC_get_smp_processor_id);
		break;
	default:
		bpf_code_load(c, 8, R0, R10, WHO_AT);
		if (w->is == PROBE_SPAN_TID)
			bpf_code_extend(c, R0, 4, false);
		else
			bpf_code_alu_number(c, BPF_RSH, R0, 32);
	}
	bpf_code_store(c, 8, R_RECORD, at, R0);
}

/* The hash, and the key. */
static void put_arguments(struct bpf_code *c)
{
	bpf_code_map(c, R1, PROBE_SPAN_MAP_OPEN);
	bpf_code_move(c, R2, R_RECORD);
	bpf_code_alu_number(c, BPF_ADD, R2, KEY_AT);
}

/* --- who is chosen --- */

/* R0 = what the map has for the process or thread R0, 0: it is not chosen. */
static void find_id(struct bpf_code *c, u32 is_thread)
{
	bpf_code_store(c, 4, R10, ID_AT, R0);
	bpf_code_store_number(c, 4, R10, ID_AT + (s32)offsetof(struct probe_span_id, is_thread),
			      (s32)is_thread);
	bpf_code_map(c, R1, PROBE_SPAN_MAP_CHOSEN);
	bpf_code_move(c, R2, R10);
	bpf_code_alu_number(c, BPF_ADD, R2, ID_AT);
	bpf_code_call(c, BPF_FUNC_map_lookup_elem);
}

/* Is the name at R_RECORD another one? To `others`. */
static void compare_comm(struct bpf_code *c, s32 at, const char *comm, u32 others)
{
	u64 name[PROBE_COMM_SIZE / sizeof(u64)] = {0}, mask[ARRAY_SIZE(name)] = {0};
	const size_t len = strlen(comm);
	u32 i;

	/* what is behind its NUL may be anything */
	memcpy(name, comm, len);
	memset(mask, 0xff, len + 1);
	for (i = 0; i < ARRAY_SIZE(name) && mask[i]; i++) {
		bpf_code_load(c, 8, R0, R_RECORD, at + 8 * (s32)i);
		bpf_code_number(c, R1, mask[i]);
		bpf_code_alu(c, BPF_AND, R0, R1);
		bpf_code_number(c, R1, name[i]);
		bpf_code_jump_reg(c, BPF_JNE, R0, R1, others);
	}
}

/* A thread that is not called that, and neither is the first one of its process: to `others`. Its own name is at `at`. */
static void choose_comm(const struct making *m, const struct probe_span_point *p, s32 at, u32 is,
			u32 others)
{
	const u32 another = bpf_code_label(m->code);
	struct expr_code x = {.code = m->code, .unread = others};
	struct bpf_code *c = m->code;

	compare_comm(c, at, m->s->chosen.comm, another);
	bpf_code_jump(c, BPF_JA, R0, 0, is);
	bpf_code_here(c, another);
	if (p->pid) {
		expr_code_address(&x, p->comm);
		bpf_code_alu_number(c, BPF_SUB, R0, (s32)m->task.comm);
	} else {
		bpf_code_call(c, BPF_FUNC_get_current_task);
	}
	bpf_code_alu_number(c, BPF_ADD, R0, (s32)m->task.group_leader);
	expr_code_read(&x, sizeof(u64));
	bpf_code_alu_number(c, BPF_ADD, R0, (s32)m->task.comm);
	probe_copy(&x, R_RECORD, FIRST_COMM_AT, PROBE_COMM_SIZE);
	compare_comm(c, FIRST_COMM_AT, m->s->chosen.comm, others);
}

/* A thread that is not chosen: to `others`. What is known of it is at `at`. */
static void choose_owner(const struct making *m, const struct probe_span_point *p, s32 at,
			 u32 others)
{
	const struct probe_span_chosen *chosen = &m->s->chosen;
	const u32 is = bpf_code_label(m->code);
	struct bpf_code *c = m->code;

	if (chosen->processes) {
		bpf_code_load(c, 4, R0, R_RECORD, at + BEGIN(pid));
		find_id(c, false);
		bpf_code_jump(c, BPF_JNE, R0, 0, is);
	}
	if (chosen->threads) {
		bpf_code_load(c, 4, R0, R_RECORD, at + BEGIN(tid));
		find_id(c, true);
		bpf_code_jump(c, BPF_JNE, R0, 0, is);
	}
	if (chosen->comm)
		choose_comm(m, p, at + BEGIN(comm), is, others);
	else if (chosen->processes || chosen->threads)
		bpf_code_jump(c, BPF_JA, R0, 0, others);
	bpf_code_here(c, is);
}

/* Of a thread that is not who runs: it is the first word of the key. */
static void put_task(struct expr_code *x, const struct probe_span_point *p, s32 at)
{
	bpf_code_load(x->code, 8, R0, R_RECORD, KEY_AT);
	bpf_code_store(x->code, 4, R_RECORD, at + BEGIN(tid), R0);
	expr_code_value(x, p->pid);
	bpf_code_store(x->code, 4, R_RECORD, at + BEGIN(pid), R0);
	expr_code_address(x, p->comm);
	probe_copy(x, R_RECORD, at + BEGIN(comm), PROBE_COMM_SIZE);
}

static void put_current(struct bpf_code *c, s32 at)
{
	bpf_code_load(c, 8, R8, R10, WHO_AT);
	bpf_code_store(c, 4, R_RECORD, at + BEGIN(tid), R8);
	bpf_code_move(c, R0, R8);
	bpf_code_alu_number(c, BPF_RSH, R0, 32);
	bpf_code_store(c, 4, R_RECORD, at + BEGIN(pid), R0);
	probe_put_comm(c, (u32)(at + BEGIN(comm)));
}

/* The thread that the span is of, to where the begin has it. One whose spans are not wanted: to `others`. */
static void put_owner(const struct making *m, const struct probe_span_point *p, u32 others)
{
	struct expr_code x = {.code = m->code, .unread = others};
	const s32 at = (s32)entry_at(m->s);

	if (p->pid)
		put_task(&x, p, at);
	else
		put_current(m->code, at);
	if (m->s->left_out) {
		bpf_code_load(m->code, 4, R0, R_RECORD, at + BEGIN(pid));
		bpf_code_jump(m->code, BPF_JEQ, R0, (s32)m->s->left_out, others);
	}
	choose_owner(m, p, at, others);
}

/* R1 and R2 of calls on the map, by the key at ID_AT. */
static void put_chosen(struct bpf_code *c)
{
	bpf_code_map(c, R1, PROBE_SPAN_MAP_CHOSEN);
	bpf_code_move(c, R2, R10);
	bpf_code_alu_number(c, BPF_ADD, R2, ID_AT);
}

/* A program that is given a task first. */
static int begin_at_task(struct expr_code *x, const struct btf *b, u32 *pid, u32 *tgid,
			 struct err *err)
{
	*x->code = (struct bpf_code){0};
	if (!btf_offset(b, "task_struct", "pid", pid) ||
	    !btf_offset(b, "task_struct", "tgid", tgid))
		return err_set(err, ENOTSUP, "the running kernel has no type of tasks");
	x->unread = bpf_code_label(x->code);
	bpf_code_move(x->code, R6, R1);
	return 0;
}

/* Of a process the first thread is freed last. */
int probe_span_forget_code(const struct btf *b, struct bpf_code *code, struct err *err)
{
	struct expr_code x = {.code = code};
	u32 pid, tgid;
	int ret = begin_at_task(&x, b, &pid, &tgid, err);

	if (ret)
		return ret;
	bpf_code_load(code, 8, R0, R6, 0);
	bpf_code_alu_number(code, BPF_ADD, R0, (s32)tgid);
	expr_code_read(&x, 4);
	bpf_code_move(code, R8, R0);
	bpf_code_load(code, 8, R0, R6, 0);
	bpf_code_alu_number(code, BPF_ADD, R0, (s32)pid);
	expr_code_read(&x, 4);
	bpf_code_jump_reg(code, BPF_JNE, R0, R8, x.unread);
	find_id(code, false);
	bpf_code_jump(code, BPF_JEQ, R0, 0, x.unread);
	put_chosen(code);
	bpf_code_call(code, BPF_FUNC_map_delete_elem);
	return probe_finish(code, x.unread) ? 0 : err_nomem(err);
}

int probe_span_follow_code(const struct btf *b, struct bpf_code *code, struct err *err)
{
	struct expr_code x = {.code = code};
	u32 pid, tgid;
	int ret = begin_at_task(&x, b, &pid, &tgid, err);

	if (ret)
		return ret;
	bpf_code_call(code, BPF_FUNC_get_current_pid_tgid);
	bpf_code_alu_number(code, BPF_RSH, R0, 32);
	find_id(code, false);
	bpf_code_jump(code, BPF_JEQ, R0, 0, x.unread);
	bpf_code_load(code, 8, R0, R6, 0);
	bpf_code_alu_number(code, BPF_ADD, R0, (s32)tgid);
	expr_code_read(&x, 4);
	bpf_code_store(code, 4, R10, ID_AT, R0);
	bpf_code_store_number(code, 8, R10, VALUE_AT, 1);
	put_chosen(code);
	bpf_code_move(code, R3, R10);
	bpf_code_alu_number(code, BPF_ADD, R3, VALUE_AT);
	bpf_code_number(code, R4, BPF_ANY);
	bpf_code_call(code, BPF_FUNC_map_update_elem);
	bpf_code_jump(code, BPF_JEQ, R0, 0, x.unread);
	bpf_code_number(code, R0, 0);
	find_id(code, PROBE_SPAN_NOT_FOLLOWED);
	bpf_code_jump(code, BPF_JEQ, R0, 0, x.unread);
	bpf_code_number(code, R2, 1);
	bpf_code_emit(code, BPF_STX | BPF_ATOMIC | BPF_DW, R0, R2, 0, BPF_ADD);
	return probe_finish(code, x.unread) ? 0 : err_nomem(err);
}

/* --- a hit that ends spans --- */

static void give_up(const struct making *m, u32 next)
{
	struct bpf_code *c = m->code;

	/* most often there is none, which is sooner seen without its lock */
	put_arguments(c);
	bpf_code_call(c, BPF_FUNC_map_lookup_elem);
	bpf_code_jump(c, BPF_JEQ, R0, 0, next);
	put_arguments(c);
	bpf_code_call(c, BPF_FUNC_map_delete_elem);
	bpf_code_extend(c, R0, 4, true);
	bpf_code_jump(c, BPF_JNE, R0, 0, next);
	count_and_go(m, ACCOUNT(given_up), next);
}

/* What could not be given to the ring is counted as lost, unless the ring was full: that the kernel counts. */
static void put_sample(const struct making *m, u32 next)
{
	struct bpf_code *c = m->code;

	bpf_code_store_number(c, 8, R_RECORD, 0, 0);
	bpf_code_number(c, R0, m->s->probe->id);
	bpf_code_store(c, 2, R_RECORD, 0, R0);
	bpf_code_move(c, R1, R6);
	bpf_code_map(c, R2, PROBE_MAP_RINGS);
	bpf_code_number(c, R3, BPF_F_CURRENT_CPU);
	bpf_code_move(c, R4, R_RECORD);
	bpf_code_number(c, R5, entry_at(m->s) + m->s->entry_size);
	bpf_code_call(c, BPF_FUNC_perf_event_output);
	bpf_code_extend(c, R0, 4, true);
	bpf_code_jump(c, BPF_JEQ, R0, 0, next);
	bpf_code_jump(c, BPF_JEQ, R0, -ENOSPC, next);
	lose(c, next);
}

/* To those of like begins; on to `next`. */
static void add_to_sums(const struct making *m, u32 next)
{
	const struct probe_sum_place place = {
		.sum = &m->s->sums.what,
		.code = m->code,
		.outer = PROBE_SPAN_MAP_OUTER,
		.zeros = PROBE_SPAN_MAP_ZEROS,
		.hash_at = HASH_AT,
		.key_at = (s32)(entry_at(m->s) + PROBE_SPAN_SUM_KEY),
		.preempted = m->preempted,
	};
	const u32 no_room = bpf_code_label(m->code);

	probe_sum_find_hash(&place, no_room);
	probe_sum_find_value(&place, no_room);
	bpf_code_load(m->code, 8, R1, R_RECORD, TOOK_AT);
	probe_sum_ends(&place, no_room);
	probe_sum_hit(&place);
	probe_sum_number(&place);
	bpf_code_jump(m->code, BPF_JA, R0, 0, next);
	bpf_code_here(m->code, no_room);
}

/* What becomes of a span, of which all is known: on to `next`. */
static void put_span(const struct making *m, u32 next)
{
	const u32 below = bpf_code_label(m->code), unwanted = bpf_code_label(m->code);
	struct bpf_code *c = m->code;

	add_one(m, ACCOUNT(spans));
	bpf_code_load(c, 4, R0, R_RECORD, (s32)entry_at(m->s) + BEGIN(number));
	bpf_code_jump(c, BPF_JSET, R0, (s32)PROBE_SPAN_UNWANTED, unwanted);
	bpf_code_load(c, 8, R0, R_RECORD, TOOK_AT);
	bpf_code_number(c, R1, m->s->min_ns);
	bpf_code_jump_reg(c, BPF_JLT, R0, R1, below);
	if (m->s->sums.on)
		add_to_sums(m, next);
	put_sample(m, next);
	bpf_code_here(c, below);
	count_and_go(m, ACCOUNT(below), next);
	bpf_code_here(c, unwanted);
	count_and_go(m, ACCOUNT(unwanted), next);
}

/* An end of a thread that is left out, or not chosen, has no begin either, which is no news: to `next`. */
static void forget_others(const struct making *m, const struct probe_span_point *p, u32 next)
{
	const struct probe_span_chosen *chosen = &m->s->chosen;
	const bool some = chosen->processes || chosen->threads || chosen->comm;

	if ((p->pid || (m->s->by_task &&
			(p->words[0].is == PROBE_SPAN_TID || p->words[0].is == PROBE_SPAN_PID))) &&
	    (m->s->left_out || some))
		put_owner(m, p, next);
}

/* Whoever takes the begin out of the hash has the span: of two ends at once, one. */
static void end_span(const struct making *m, const struct probe_span_point *p, u32 next)
{
	struct bpf_code *c = m->code;
	const u32 none = bpf_code_label(c), older = bpf_code_label(c), ended = bpf_code_label(c);
	const s32 at = (s32)entry_at(m->s);
	u32 i;

	put_arguments(c);
	bpf_code_call(c, BPF_FUNC_map_lookup_elem);
	bpf_code_jump(c, BPF_JEQ, R0, 0, none);
	for (i = 0; i < m->s->entry_size; i += 8) {
		bpf_code_load(c, 8, R1, R0, (s32)i);
		bpf_code_store(c, 8, R_RECORD, at + (s32)i, R1);
	}
	put_arguments(c);
	bpf_code_call(c, BPF_FUNC_map_delete_elem);
	bpf_code_extend(c, R0, 4, true);
	bpf_code_jump(c, BPF_JEQ, R0, 0, ended);
	bpf_code_jump(c, BPF_JEQ, R0, -ENOENT, none);
	lose(c, next);
	bpf_code_here(c, none);
	forget_others(m, p, next);
	count_and_go(m, ACCOUNT(ends_without_begin), next);
	bpf_code_here(c, older);
	count_and_go(m, ACCOUNT(reordered), next);
	bpf_code_here(c, ended);
	bpf_code_call(c, BPF_FUNC_ktime_get_ns);
	bpf_code_load(c, 8, R1, R_RECORD, at + BEGIN(time));
	bpf_code_jump_reg(c, BPF_JGT, R1, R0, older);
	bpf_code_alu(c, BPF_SUB, R0, R1);
	bpf_code_store(c, 8, R_RECORD, TOOK_AT, R0);
	put_span(m, next);
}

/* --- a hit that begins one --- */

/* With the mark of one that is not wanted. */
static void put_number(const struct making *m, s32 at)
{
	const u32 unwanted = bpf_code_label(m->code), known = bpf_code_label(m->code);
	const struct probe_span *s = m->s;
	struct bpf_code *c = m->code;

	if (s->wanted.nr)
		probe_test_code(c, s->probe, &m->numbers, s->wanted.tests, s->wanted.nr, unwanted);
	bpf_code_number(c, R0, s->number);
	if (bpf_code_is_used(c, unwanted)) {
		bpf_code_jump(c, BPF_JA, R0, 0, known);
		bpf_code_here(c, unwanted);
		bpf_code_number(c, R0, s->number | PROBE_SPAN_UNWANTED);
		bpf_code_here(c, known);
	}
	bpf_code_store(c, 4, R_RECORD, at + BEGIN(number), R0);
}

/* What likeness is not a matter of. Names that are cut short, and idle tasks, are known by their thread. */
static void drop_ids(const struct making *m, s32 at)
{
	const struct probe_span_sums *s = &m->s->sums;
	const u32 keeps = bpf_code_label(m->code);
	struct bpf_code *c = m->code;

	if (!s->pid)
		bpf_code_store_number(c, 4, R_RECORD, at + BEGIN(pid), 0);
	if (!s->cpu)
		bpf_code_store_number(c, 4, R_RECORD, at + BEGIN(cpu), 0);
	if (!s->comm)
		probe_clear(c, (u32)(at + BEGIN(comm)), PROBE_COMM_SIZE);
	if (s->tid)
		return;
	if (s->comm) {
		bpf_code_load(c, 1, R0, R_RECORD, at + BEGIN(comm) + (s32)PROBE_COMM_SIZE - 2);
		bpf_code_jump(c, BPF_JNE, R0, 0, keeps);
		bpf_code_load(c, 4, R0, R_RECORD, at + BEGIN(tid));
		bpf_code_jump(c, BPF_JEQ, R0, 0, keeps);
	}
	bpf_code_store_number(c, 4, R_RECORD, at + BEGIN(tid), -1);
	bpf_code_here(c, keeps);
}

/* All of the entry has bytes that are known. */
static void put_kept(const struct making *m, s32 at)
{
	const struct probe_span *s = m->s;
	u32 i;

	if (s->kept.fields.fields.nr) {
		probe_part_code(&s->kept, m->btf, (u32)at + s->entry_size, m->code);
		return;
	}
	for (i = sizeof(struct probe_span_begin); s->sums.on && i < s->entry_size; i += 8)
		bpf_code_store_number(m->code, 8, R_RECORD, at + (s32)i, 0);
}

static void put_begin(const struct making *m, const struct probe_span_point *p, u32 next)
{
	struct bpf_code *c = m->code;
	const s32 at = (s32)entry_at(m->s);

	put_owner(m, p, next);
	put_number(m, at);
	bpf_code_call(c, BPF_FUNC_get_smp_processor_id);
	bpf_code_store(c, 4, R_RECORD, at + BEGIN(cpu), R0);
	if (m->s->sums.on)
		drop_ids(m, at);
	put_kept(m, at);
	bpf_code_call(c, BPF_FUNC_ktime_get_ns);
	bpf_code_store(c, 8, R_RECORD, at + BEGIN(time), R0);
}

/* R0 = what became of it. */
static void add_entry(const struct making *m, u32 flags)
{
	struct bpf_code *c = m->code;

	put_arguments(c);
	bpf_code_move(c, R3, R_RECORD);
	bpf_code_alu_number(c, BPF_ADD, R3, (s32)entry_at(m->s));
	bpf_code_number(c, R4, flags);
	bpf_code_call(c, BPF_FUNC_map_update_elem);
	bpf_code_extend(c, R0, 4, true);
}

static void begin_span(const struct making *m, const struct probe_span_point *p, u32 next)
{
	struct bpf_code *c = m->code;
	const u32 begun = bpf_code_label(c), again = bpf_code_label(c), full = bpf_code_label(c);

	put_begin(m, p, next);
	add_entry(m, BPF_NOEXIST);
	bpf_code_jump(c, BPF_JEQ, R0, 0, begun);
	bpf_code_jump(c, BPF_JEQ, R0, -EEXIST, again);
	bpf_code_jump(c, BPF_JEQ, R0, -E2BIG, full);
	lose(c, next);
	bpf_code_here(c, full);
	add_one(m, ACCOUNT(no_room));
	bpf_code_jump(c, BPF_JA, R0, 0, begun);
	bpf_code_here(c, again);
	if (m->s->latest) {
		add_entry(m, BPF_ANY);
		bpf_code_jump(c, BPF_JEQ, R0, -E2BIG, full);
	}
	add_one(m, ACCOUNT(restarts));
	bpf_code_here(c, begun);
	count_and_go(m, ACCOUNT(begins), next);
}

/* --- points --- */

static bool same_words(const struct probe_span *s, const struct probe_span_point *a,
		       const struct probe_span_point *b)
{
	u32 i;

	for (i = 0; i < s->nr_words; i++)
		if (a->words[i].is != b->words[i].is ||
		    (a->words[i].is == PROBE_SPAN_FIELD && a->words[i].field != b->words[i].field))
			return false;
	return true;
}

/*
 * Of one key, a hit is one of the points that end spans, and one that begins them: the first. The point after which the next
 * one that counts as another is to be looked at.
 */
static u32 after(const struct probe_span *s, u32 point)
{
	const struct probe_span_point *p = &s->points[point];
	u32 i;

	for (i = point + 1; i < s->nr_points; i++)
		if ((s->points[i].role == PROBE_SPAN_FROM) != (p->role == PROBE_SPAN_FROM) ||
		    !same_words(s, p, &s->points[i]))
			break;
	return i;
}

static void put_point(const struct making *m, const struct probe_span_point *p, u32 missed,
		      u32 next)
{
	u32 i;

	probe_test_code(m->code, m->s->probe, &m->numbers, p->tests, p->nr_tests, missed);
	for (i = 0; i < m->s->nr_words; i++)
		put_word(m, &p->words[i], KEY_AT + (s32)(i * sizeof(u64)), missed);
	switch (p->role) {
	case PROBE_SPAN_UNTIL:
		give_up(m, next);
		break;
	case PROBE_SPAN_TO:
		end_span(m, p, next);
		break;
	case PROBE_SPAN_FROM:
		begin_span(m, p, next);
		break;
	}
}

int probe_span_code(const struct probe_span *s, const struct btf *b,
		    const struct probe_program *how, struct bpf_code *code, struct err *err)
{
	struct making m = {.s = s,
			   .btf = b,
			   .code = code,
			   .numbers = {.fields = wanted_again(s), .at = NUMBERS_AT},
			   .preempted = how->preempted};
	u32 labels[PROBE_SPAN_POINTS_MAX + 1], i, end, lost;

	*code = (struct bpf_code){0};
	if (s->chosen.comm &&
	    !(btf_offset(b, "task_struct", "group_leader", &m.task.group_leader) &&
	      btf_offset(b, "task_struct", "comm", &m.task.comm)))
		return err_set(err, ENOTSUP, "the running kernel has no type of tasks");
	for (i = 0; i <= s->nr_points; i++)
		labels[i] = bpf_code_label(code);
	end = bpf_code_label(code);
	lost = bpf_code_label(code);
	m.end = m.preempted ? labels[s->nr_points] : end;
	labels[s->nr_points] = m.end;
	bpf_code_move(code, R6, R1);
	begin_program(&m, how, lost, end);
	probe_numbers_code(&m.numbers, s->probe, code);
	for (i = 0; i < s->nr_points; i++) {
		/* the kernel refuses what nothing leads to */
		if (i && !bpf_code_is_used(code, labels[i]))
			continue;
		bpf_code_here(code, labels[i]);
		put_point(&m, &s->points[i], labels[i + 1], labels[after(s, i)]);
	}
	if (m.preempted) {
		bpf_code_here(code, m.end);
		probe_leave_record(code, 0);
		bpf_code_jump(code, BPF_JA, R0, 0, end);
		bpf_code_here(code, lost);
		probe_count_lost(code);
	}
	return probe_end(code, end, s->probe, "points", err);
}
