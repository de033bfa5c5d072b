// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stddef.h>

#include "util/probe/probe_internal.h"

/* In the stack: a struct probe_thread. */
#define THREAD (PROBE_STACK - 16)

/* Their arguments: child, flags; task, old pid, program; task (include/trace/events/task.h, sched.h). */
enum {
	FORK = PROBE_THREADS_FORK,
	EXIT = PROBE_THREADS_EXIT,
	KNOW = PROBE_THREADS_KNOW,
	EXEC,
	FREE
};
static const char *const tracepoints[] = {
	[FORK] = "task_newtask", /* also of threads that the kernel makes for a process, as of io_uring */
	[EXIT] = "sched_process_exit", [KNOW] = "sched_process_exit",
	[EXEC] = "sched_process_exec", [FREE] = "sched_process_free",
};

const char *probe_threads_tracepoint(u32 number)
{
	return number < ARRAY_SIZE(tracepoints) ? tracepoints[number] : NULL;
}

static void put_current(struct bpf_code *c)
{
	bpf_code_call(c, BPF_FUNC_get_current_pid_tgid);
	bpf_code_store(c, 4, R10, PROBE_KEY, R0);
}

/* The tid of the task R8 is the key. */
static void put_task(struct expr_code *x, u32 pid)
{
	bpf_code_move(x->code, R0, R8);
	bpf_code_alu_number(x->code, BPF_ADD, R0, (s32)pid);
	expr_code_read(x, 4);
	bpf_code_store(x->code, 4, R10, PROBE_KEY, R0);
}

static void call_with_key(struct bpf_code *c, enum bpf_func_id helper)
{
	bpf_code_map(c, R1, PROBE_MAP_THREADS);
	bpf_code_move(c, R2, R10);
	bpf_code_alu_number(c, BPF_ADD, R2, PROBE_KEY);
	bpf_code_move(c, R3, R10);
	bpf_code_alu_number(c, BPF_ADD, R3, THREAD);
	bpf_code_number(c, R4, BPF_ANY);
	bpf_code_call(c, helper);
}

/* Of a thread for which there is no room all hits are missing: it is counted as a lost one. */
static void store_thread(struct expr_code *x)
{
	struct bpf_code *c = x->code;

	bpf_code_store(c, 8, R10, THREAD + (s32)offsetof(struct probe_thread, task), R8);
	call_with_key(c, BPF_FUNC_map_update_elem);
	bpf_code_jump(c, BPF_JEQ, R0, 0, x->unread);
	probe_find_first(c, PROBE_MAP_RECORD, x->unread);
	bpf_code_number(c, R2, 1);
	bpf_code_emit(c, BPF_STX | BPF_ATOMIC | BPF_DW, R0, R2, 0, BPF_ADD);
}

/* The child is what its parent is. */
static void at_fork(struct expr_code *x, u32 pid)
{
	struct bpf_code *c = x->code;

	put_current(c);
	probe_look_up(c, PROBE_MAP_THREADS);
	bpf_code_jump(c, BPF_JEQ, R0, 0, x->unread);
	bpf_code_load(c, 8, R0, R0, 0);
	bpf_code_store(c, 8, R10, THREAD, R0);
	bpf_code_load(c, 8, R8, R6, 0);
	put_task(x, pid);
	store_thread(x);
}

/* One that was there before the programs, and had no hit, is not known yet. What it does from now on may not be wanted. */
static void at_exit(struct expr_code *x, bool ends)
{
	struct bpf_code *c = x->code;

	put_current(c);
	probe_look_up(c, PROBE_MAP_THREADS);
	bpf_code_jump(c, BPF_JEQ, R0, 0, x->unread);
	bpf_code_move(c, R8, R0);
	bpf_code_call(c, BPF_FUNC_get_current_task);
	bpf_code_store(c, 8, R8, offsetof(struct probe_thread, task), R0);
	if (ends)
		bpf_code_store_number(c, 8, R8, offsetof(struct probe_thread, active), 0);
}

/* The thread that executes has the number of the process from then on. */
static void at_exec(struct expr_code *x)
{
	struct bpf_code *c = x->code;

	bpf_code_load(c, 8, R0, R6, 8);
	bpf_code_store(c, 4, R10, PROBE_KEY, R0);
	probe_look_up(c, PROBE_MAP_THREADS);
	bpf_code_jump(c, BPF_JEQ, R0, 0, x->unread);
	call_with_key(c, BPF_FUNC_map_delete_elem);
	bpf_code_load(c, 8, R8, R6, 0);
	bpf_code_store_number(c, 8, R10, THREAD, 1);
	put_current(c);
	store_thread(x);
}

/* Another thread may have its number by now. What is not known to be gone stays. */
static void at_free(struct expr_code *x, u32 pid)
{
	struct bpf_code *c = x->code;
	bpf_code_load(c, 8, R8, R6, 0);
	put_task(x, pid);
	probe_look_up(c, PROBE_MAP_THREADS);
	bpf_code_jump(c, BPF_JEQ, R0, 0, x->unread);
	bpf_code_load(c, 8, R0, R0, offsetof(struct probe_thread, task));
	bpf_code_jump_reg(c, BPF_JNE, R0, R8, x->unread);
	call_with_key(c, BPF_FUNC_map_delete_elem);
}

int probe_threads_code(u32 number, const struct btf *b, struct bpf_code *code, struct err *err)
{
	struct expr_code x = {.code = code};
	u32 pid;

	*code = (struct bpf_code){0};
	if (!btf_offset(b, "task_struct", "pid", &pid))
		return err_set(err, ENOTSUP, "the running kernel has no type of tasks");
	x.unread = bpf_code_label(code);
	bpf_code_move(code, R6, R1);
	if (number == FORK)
		at_fork(&x, pid);
	else if (number == EXIT || number == KNOW)
		at_exit(&x, number == EXIT);
	else if (number == EXEC)
		at_exec(&x);
	else
		at_free(&x, pid);
	return probe_finish(code, x.unread) ? 0 : err_nomem(err);
}
