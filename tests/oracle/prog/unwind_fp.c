// SPDX-License-Identifier: GPL-2.0
/*
 * unwind_fp.c - samples a program that has frame pointers, and looks for the call chain that the
 * kernel follows by them in the chain that the fast engine makes of registers and stack.
 *
 *	unwind_fp /PATH/PROGRAM ARGS...
 *
 * samples N: of those that hit the program itself, not a library, which may be without frame
 * pointers; equal N: both are the same; contained N: the kernel's addresses are all in ours, in
 * their order; more N: ours has others between or above them. The kernel misses the caller of a
 * function that has no frame, or not yet.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "engines.h"
#include "util/record/sample_layout.h"
#include "util/ring/ring.h"

#define RING_PAGES 4096
#define ROUND_MS   5

static struct perf_event_attr attr = {
	.type = PERF_TYPE_SOFTWARE,
	.size = sizeof(attr),
	.config = PERF_COUNT_SW_CPU_CLOCK,
	.sample_freq = 997,
	.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN |
		       PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
	.sample_stack_user = 65528,
	.freq = 1,
	.disabled = 1,
	.enable_on_exec = 1,
	.exclude_kernel = 1,
	.exclude_hv = 1,
	.mmap = 1,
	.mmap2 = 1,
	.comm = 1,
	.comm_exec = 1,
	.task = 1,
	.sample_id_all = 1,
};

static struct process_model model;
static struct sample_layout layout;
static const char *program;
static u64 samples, equal, contained, more;

static bool in_program(const struct thread *t, u64 addr)
{
	u32 map = process_find_map(&model, t, addr);

	return map != ID_NONE && !strcmp(model.dsos.v[model.maps.v[map].dso].name, program);
}

static void note_chain(const struct engine *e, const struct thread *t, const u64 *kernel, u32 nr)
{
	u32 i, k = 0;

	if (!in_program(t, kernel[0]))
		return;
	/* above main, frame pointers end or are numbers of another sort */
	for (i = 0; i < nr && process_find_map(&model, t, kernel[i]) != ID_NONE; i++)
		;
	nr = i;
	for (i = 0; i < e->nr && k < nr; i++)
		k += e->chain[i] == kernel[k];
	samples++;
	if (k < nr) {
		printf("  not in ours: %s", function_at(&model, t, kernel[k], true));
		printf(", sampled at %s\n", function_at(&model, t, kernel[0], true));
		return;
	}
	contained++;
	if (e->nr == nr)
		equal++;
	else
		more++;
}

static void handle_sample(const struct rec *rec)
{
	struct engine *fast = &engines[0];
	struct unwind_input in = {0};
	const struct thread *t;
	struct sample s;
	u32 i;

	if (!sample_layout_sample(&layout, rec, &s) || !s.regs_user.abi)
		return;
	in.abi = s.regs_user.abi;
	in.mask = s.regs_user.mask;
	in.regs = s.regs_user.reg;
	in.stack = s.stack;
	in.size = s.stack_dyn_size;
	in.cut = s.stack_dyn_size == s.stack_size;
	t = process_thread(&model, s.ids.pid, s.ids.tid);
	if (!t)
		die("out of memory");
	engine_unwind(fast, &model, t, &in);
	for (i = 0; i < s.chain_nr && s.chain[i] != PERF_CONTEXT_USER; i++)
		;
	if (i + 1 < s.chain_nr)
		note_chain(fast, t, s.chain + i + 1, s.chain_nr - i - 1);
}

static void read_ring(struct ring *ring, u8 *copy)
{
	struct rec rec;
	size_t len, at;

	if (!ring_begin(ring))
		return;
	while ((len = ring_copy(ring, copy, ring->size))) {
		for (at = 0; at < len; at += rec.size) {
			if (!rec_view(&rec, copy + at, len - at))
				die("a record that is none");
			if (rec.type == PERF_RECORD_SAMPLE)
				handle_sample(&rec);
			else
				process_apply(&model, &rec);
		}
	}
	ring_release(ring);
}

/* The child waits for a byte before it executes the command. */
static pid_t start(char **argv, int *go)
{
	int fds[2];
	pid_t pid;
	char c;

	if (pipe(fds) || (pid = fork()) < 0)
		die("fork failed");
	if (!pid) {
		close(fds[1]);
		if (read(fds[0], &c, 1) == 1)
			execvp(argv[0], argv);
		_exit(127);
	}
	close(fds[0]);
	*go = fds[1];
	return pid;
}

int main(int argc, char **argv)
{
	struct err err = {0};
	struct ring ring;
	int fd, go, status;
	pid_t pid, ended;
	u8 *copy;

	program_name = "unwind_fp";
	if (argc < 2)
		die("usage: unwind_fp /PATH/PROGRAM ARGS...");
	attr.sample_regs_user = arch_x86_64.user_regs;
	sample_layout_init(&layout, &attr);
	program = argv[1];
	pid = start(argv + 1, &go);
	fd = (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		die(strerror(errno));
	if (process_init(&model, &err) || ring_open(&ring, fd, RING_PAGES, false, &err))
		die(err.msg);
	copy = malloc(ring.size);
	if (!copy || write(go, "", 1) != 1)
		die("cannot start the command");
	engines_open("fast", &arch_x86_64);
	do {
		ended = waitpid(pid, &status, WNOHANG);
		read_ring(&ring, copy);
		poll(NULL, 0, ROUND_MS);
	} while (!ended);
	printf("samples %llu\nequal %llu\ncontained %llu\nmore %llu\n", (unsigned long long)samples,
	       (unsigned long long)equal, (unsigned long long)contained, (unsigned long long)more);
	engines_close();
	ring_close(&ring);
	close(fd);
	free(copy);
	process_free(&model);
	return !WIFEXITED(status) || WEXITSTATUS(status);
}
