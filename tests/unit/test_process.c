// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "tests/unit/oom.h"
#include "util/process/process.h"
#include "util/process/process_dump.h"

static const struct sample_layout bare; /* records without a trailer */

static void apply(struct process_model *m, struct buf *b)
{
	struct rec rec;

	if (!b->failed && rec_view(&rec, b->data, b->len))
		process_apply(m, &rec);
	m->failed |= b->failed;
	buf_free(b);
}

static void map_as(struct process_model *m, u16 misc, u32 pid, u32 tid, u64 start, u64 end,
		   u64 pgoff, u32 prot, u64 ino, const char *name)
{
	struct rec_mmap2 r = {.pid = pid,
			      .tid = tid,
			      .start = start,
			      .len = end - start,
			      .pgoff = pgoff,
			      .ino = ino,
			      .prot = prot,
			      .name = name};
	struct buf b = {0};

	rec_build_mmap2(&b, &bare, NULL, misc, &r);
	apply(m, &b);
}

static void map(struct process_model *m, u32 pid, u64 start, u64 end, u64 pgoff, const char *name)
{
	map_as(m, PERF_RECORD_MISC_USER, pid, pid, start, end, pgoff, PROT_READ | PROT_EXEC, 1,
	       name);
}

static void kernel_map(struct process_model *m, u64 start, u64 end, const char *name)
{
	struct rec_mmap2 r = {.pid = UINT32_MAX, .start = start, .len = end - start, .name = name};
	struct buf b = {0};

	rec_build_mmap(&b, &bare, NULL, PERF_RECORD_MISC_KERNEL, &r);
	apply(m, &b);
}

static void task(struct process_model *m, u32 type, u16 misc, u32 pid, u32 ppid, u32 tid, u32 ptid)
{
	struct buf b = {0};

	rec_build_task(&b, &bare, NULL, type, pid, ppid, tid, ptid, 0);
	if (!b.failed)
		memcpy(b.data + 4, &misc, sizeof(misc));
	apply(m, &b);
}

static void comm(struct process_model *m, u32 pid, u32 tid, const char *name, bool exec)
{
	struct buf b = {0};

	rec_build_comm(&b, &bare, NULL, exec ? PERF_RECORD_MISC_COMM_EXEC : 0, pid, tid, name);
	apply(m, &b);
}

static void expect_comm(const struct process_model *m, u32 tid, const char *want)
{
	const struct thread *t = process_find_thread(m, tid);
	size_t len;
	const char *s = t ? process_comm(m, t, &len) : NULL;

	if (!want) {
		assert_null(s);
		return;
	}
	assert_non_null(s);
	assert_string_equal(s, want);
	assert_int_equal(len, strlen(want));
}

/* "START-END@PGOFF NAME; ..." of what a thread has mapped. */
static void expect_maps(const struct process_model *m, u32 tid, const char *want)
{
	const struct thread *t = process_find_thread(m, tid);
	const struct process *p = &m->processes.v[t->process];
	struct buf b = {0};
	u64 last = 0;
	u32 i;

	for (i = 0; i < p->maps.nr; i++) {
		const struct map *d = &m->maps.v[p->maps.v[i]];

		assert_true(d->start >= last && d->end > d->start);
		last = d->end;
		buf_addf(&b, "%llx-%llx@%llx %s; ", (unsigned long long)d->start,
			 (unsigned long long)d->end, (unsigned long long)d->pgoff,
			 m->dsos.v[d->dso].name);
		/* what the list says is what is found */
		assert_int_equal(process_find_map(m, t, d->start), p->maps.v[i]);
		assert_int_equal(process_find_map(m, t, d->end - 1), p->maps.v[i]);
	}
	assert_string_equal(buf_str(&b), want);
	buf_free(&b);
}

static void begin(struct process_model *m)
{
	assert_int_equal(process_init(m, NULL), 0);
}

static void names(void **state)
{
	struct process_model m;

	(void)state;
	begin(&m);
	expect_comm(&m, 0, "swapper");
	expect_comm(&m, 10, NULL);
	comm(&m, 10, 10, "bash", false);
	comm(&m, 10, 11, "worker", false);
	expect_comm(&m, 10, "bash");
	expect_comm(&m, 11, "worker");
	comm(&m, 10, 10, "ls", true);
	expect_comm(&m, 10, "ls");
	comm(&m, 10, 10, "", false);
	expect_comm(&m, 10, "");
	process_free(&m);
}

static void overlaps(void **state)
{
	static const struct {
		u64 start, end;
		const char *want;
	} cases[] = {
		{0x2000, 0x5000, "2000-5000@0 new; "}, /* all of it */
		{0x1000, 0x6000, "1000-6000@0 new; "},
		{0x2000, 0x3000, "2000-3000@0 new; 3000-5000@101000 old; "}, /* its head */
		{0x1000, 0x3000, "1000-3000@0 new; 3000-5000@101000 old; "},
		{0x4000, 0x5000, "2000-4000@100000 old; 4000-5000@0 new; "}, /* its tail */
		{0x4000, 0x6000, "2000-4000@100000 old; 4000-6000@0 new; "},
		{0x3000, 0x4000,
		 "2000-3000@100000 old; 3000-4000@0 new; 4000-5000@102000 old; "}, /* a hole */
		{0x1000, 0x2000, "1000-2000@0 new; 2000-5000@100000 old; "},       /* beside it */
		{0x5000, 0x6000, "2000-5000@100000 old; 5000-6000@0 new; "},
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct process_model m;
		u32 first;

		begin(&m);
		map(&m, 5, 0x2000, 0x5000, 0x100000, "old");
		first = process_find_map(&m, process_find_thread(&m, 5), 0x2000);
		map(&m, 5, cases[i].start, cases[i].end, 0, "new");
		expect_maps(&m, 5, cases[i].want);
		/* a map that was cut keeps its id and its record */
		assert_int_equal(m.maps.v[first].start, 0x2000);
		assert_int_equal(m.maps.v[first].end, 0x5000);
		process_free(&m);
	}
}

static void over_many(void **state)
{
	struct process_model m;
	const struct thread *t;
	u64 i;

	(void)state;
	begin(&m);
	for (i = 20; i-- > 0;)
		map(&m, 5, i * 0x1000, (i + 1) * 0x1000, 0, i % 2 ? "odd" : "even");
	map(&m, 5, 0x1800, 0x11800, 0, "big");
	expect_maps(&m, 5,
		    "0-1000@0 even; 1000-1800@0 odd; 1800-11800@0 big; 11800-12000@800 odd; "
		    "12000-13000@0 even; 13000-14000@0 odd; ");
	t = process_find_thread(&m, 5);
	assert_int_equal(process_find_map(&m, t, 0x14000), ID_NONE);
	assert_int_equal(process_find_map(&m, t, UINT64_MAX), ID_NONE);
	assert_int_equal(map_offset(&m.maps.v[process_find_map(&m, t, 0x11900)], 0x11900), 0x900);
	process_free(&m);
}

/* fork copies the mappings, threads share them, exec begins anew. */
static u32 generation(const struct process_model *m, u32 tid)
{
	return m->processes.v[process_find_thread(m, tid)->process].generation;
}

static void generations(void **state)
{
	struct process_model m;
	u32 last;

	(void)state;
	begin(&m);
	m.forget_exited = true;
	map(&m, 5, 0x2000, 0x5000, 0x1000, "old");
	last = generation(&m, 5);
	/* beside it; the same bytes once more; a part of them, as mprotect(2) makes it */
	map(&m, 5, 0x5000, 0x6000, 0, "new");
	map(&m, 5, 0x2000, 0x5000, 0x1000, "old");
	map(&m, 5, 0x3000, 0x4000, 0x2000, "old");
	assert_int_equal(generation(&m, 5), last);
	/* other bytes of the file, and another file */
	map(&m, 5, 0x3000, 0x4000, 0x3000, "old");
	assert_int_not_equal(generation(&m, 5), last);
	last = generation(&m, 5);
	map(&m, 5, 0x4fff, 0x5000, 0, "new");
	assert_int_not_equal(generation(&m, 5), last);
	/* each process has its own; its threads share it */
	last = generation(&m, 5);
	task(&m, PERF_RECORD_FORK, 0, 5, 5, 6, 5);
	task(&m, PERF_RECORD_FORK, 0, 20, 5, 20, 5);
	assert_int_equal(generation(&m, 6), last);
	assert_int_not_equal(generation(&m, 20), last);
	/* a new program; the end of one */
	last = generation(&m, 20);
	comm(&m, 20, 20, "ls", true);
	assert_int_equal(generation(&m, 20), last);
	map(&m, 20, 0x100000, 0x101000, 0, "ls");
	assert_int_not_equal(generation(&m, 20), last);
	last = generation(&m, 20);
	task(&m, PERF_RECORD_EXIT, 0, 20, 5, 20, 5);
	assert_int_not_equal(generation(&m, 20), last);
	process_free(&m);
}

static u32 maps_state(const struct process_model *m, u32 tid)
{
	return m->processes.v[process_find_thread(m, tid)->process].maps_state;
}

/* One number, one set of mappings: whatever is mapped or goes away makes another. */
static void maps_states(void **state)
{
	struct process_model m;
	u32 last, kernel;

	(void)state;
	begin(&m);
	m.forget_exited = true;
	kernel = m.kernel.maps_state;
	comm(&m, 5, 5, "sh", false);
	assert_int_equal(maps_state(&m, 5), 0);
	map(&m, 5, 0x2000, 0x5000, 0x1000, "old");
	last = maps_state(&m, 5);
	assert_int_not_equal(last, 0);
	/* also what is mapped beside it, and another process that maps the same */
	map(&m, 5, 0x5000, 0x6000, 0, "new");
	assert_int_not_equal(maps_state(&m, 5), last);
	last = maps_state(&m, 5);
	map(&m, 30, 0x2000, 0x5000, 0x1000, "old");
	assert_int_not_equal(maps_state(&m, 30), last);
	assert_int_equal(maps_state(&m, 5), last);
	/* a child has its parent's, until one of them maps */
	task(&m, PERF_RECORD_FORK, 0, 20, 5, 20, 5);
	assert_int_equal(maps_state(&m, 20), last);
	map(&m, 20, 0x8000, 0x9000, 0, "new");
	assert_int_not_equal(maps_state(&m, 20), last);
	assert_int_equal(maps_state(&m, 5), last);
	/* a new program; the end of one */
	last = maps_state(&m, 20);
	comm(&m, 20, 20, "ls", true);
	assert_int_equal(maps_state(&m, 20), last);
	map(&m, 20, 0x100000, 0x101000, 0, "ls");
	assert_int_not_equal(maps_state(&m, 20), last);
	task(&m, PERF_RECORD_EXIT, 0, 20, 5, 20, 5);
	assert_int_equal(maps_state(&m, 20), 0);
	assert_int_equal(m.kernel.maps_state, kernel);
	process_free(&m);
}

static void fork_and_exec(void **state)
{
	struct process_model m;

	(void)state;
	begin(&m);
	comm(&m, 10, 10, "sh", false);
	map(&m, 10, 0x1000, 0x2000, 0, "/bin/sh");
	task(&m, PERF_RECORD_FORK, 0, 20, 10, 20, 10);
	expect_comm(&m, 20, "sh");
	expect_maps(&m, 20, "1000-2000@0 /bin/sh; ");
	map(&m, 20, 0x3000, 0x4000, 0, "/lib/x");
	expect_maps(&m, 10, "1000-2000@0 /bin/sh; ");
	task(&m, PERF_RECORD_FORK, 0, 20, 20, 21, 20);
	map(&m, 20, 0x5000, 0x6000, 0, "/lib/y");
	expect_maps(&m, 21, "1000-2000@0 /bin/sh; 3000-4000@0 /lib/x; 5000-6000@0 /lib/y; ");
	map_as(&m, PERF_RECORD_MISC_USER, 20, 21, 0x7000, 0x8000, 0, PROT_EXEC, 1, "/lib/z");
	assert_int_not_equal(process_find_map(&m, process_find_thread(&m, 20), 0x7000), ID_NONE);
	/* the old program stands until the new one maps */
	comm(&m, 10, 10, "ls", true);
	expect_maps(&m, 10, "1000-2000@0 /bin/sh; ");
	map(&m, 10, 0x8000, 0x9000, 0, "/bin/ls");
	map(&m, 10, 0xa000, 0xb000, 0, "/lib/c");
	expect_maps(&m, 10, "8000-9000@0 /bin/ls; a000-b000@0 /lib/c; ");
	expect_comm(&m, 20, "sh");
	process_free(&m);

	begin(&m);
	m.keep_on_exec = true;
	map(&m, 10, 0x1000, 0x2000, 0, "/bin/sh");
	comm(&m, 10, 10, "ls", true);
	map(&m, 10, 0x8000, 0x9000, 0, "/bin/ls");
	expect_maps(&m, 10, "1000-2000@0 /bin/sh; 8000-9000@0 /bin/ls; ");
	process_free(&m);
}

/* perf makes a fork of every task that runs already; their own mappings follow. */
static void made_forks(void **state)
{
	struct process_model m;

	(void)state;
	begin(&m);
	map(&m, 1, 0x1000, 0x2000, 0, "/sbin/init");
	task(&m, PERF_RECORD_FORK, PERF_RECORD_MISC_FORK_EXEC, 20, 1, 20, 1);
	map(&m, 20, 0x8000, 0x9000, 0, "/bin/ls");
	expect_maps(&m, 20, "8000-9000@0 /bin/ls; ");
	process_free(&m);
}

/* The mappings go with the last thread, whichever that is, and only where that is wanted. */
static void forget_exited(void **state)
{
	struct process_model m;
	bool forget;

	(void)state;
	for (forget = false;; forget = true) {
		begin(&m);
		m.forget_exited = forget;
		map(&m, 10, 0x1000, 0x2000, 0, "/a");
		task(&m, PERF_RECORD_FORK, 0, 10, 10, 11, 10);
		task(&m, PERF_RECORD_EXIT, 0, 10, 10, 10, 10);
		task(&m, PERF_RECORD_EXIT, 0, 10, 10, 10, 10);
		expect_maps(&m, 11, "1000-2000@0 /a; ");
		task(&m, PERF_RECORD_EXIT, 0, 10, 10, 11, 10);
		expect_maps(&m, 11, forget ? "" : "1000-2000@0 /a; ");
		process_free(&m);
		if (forget)
			break;
	}
}

/* Whichever thread of a process shows first, they all share one list. */
static void leader_last(void **state)
{
	struct process_model m;

	(void)state;
	begin(&m);
	map_as(&m, PERF_RECORD_MISC_USER, 10, 12, 0x1000, 0x2000, 0, PROT_EXEC, 1, "/a");
	comm(&m, 10, 11, "b", false);
	map(&m, 10, 0x3000, 0x4000, 0, "/b");
	expect_maps(&m, 10, "1000-2000@0 /a; 3000-4000@0 /b; ");
	expect_maps(&m, 11, "1000-2000@0 /a; 3000-4000@0 /b; ");
	expect_maps(&m, 12, "1000-2000@0 /a; 3000-4000@0 /b; ");
	assert_int_equal(process_find_thread(&m, 12)->pid, 10);
	process_free(&m);
}

/* A thread that is not the leader and executes a program goes on under the leader's number; nobody says that it ends. */
static void exec_by_thread(void **state)
{
	struct process_model m;

	(void)state;
	begin(&m);
	m.forget_exited = true;
	map(&m, 10, 0x1000, 0x2000, 0, "/a");
	task(&m, PERF_RECORD_FORK, 0, 10, 10, 11, 10);
	task(&m, PERF_RECORD_FORK, 0, 10, 10, 12, 10);
	task(&m, PERF_RECORD_EXIT, 0, 10, 10, 12, 10);
	task(&m, PERF_RECORD_EXIT, 0, 10, 10, 10, 10);
	assert_true(process_find_thread(&m, 10)->exited);
	comm(&m, 10, 10, "b", true);
	assert_false(process_find_thread(&m, 10)->exited);
	assert_true(process_find_thread(&m, 11)->exited);
	map(&m, 10, 0x3000, 0x4000, 0, "/b");
	expect_maps(&m, 10, "3000-4000@0 /b; ");
	task(&m, PERF_RECORD_EXIT, 0, 10, 1, 10, 1);
	assert_true(process_find_thread(&m, 10)->exited);
	expect_maps(&m, 10, "");
	process_free(&m);
}

/* A number that is used again is that of a thread whose end was not seen. */
static void end_not_seen(void **state)
{
	struct process_model m;
	u32 old;

	(void)state;
	begin(&m);
	m.forget_exited = true;
	map(&m, 10, 0x1000, 0x2000, 0, "/a");
	old = process_find_thread(&m, 10)->process;
	task(&m, PERF_RECORD_FORK, 0, 10, 1, 10, 1);
	assert_int_equal(m.processes.v[old].running, 0);
	assert_int_equal(m.processes.v[old].maps.nr, 0);
	process_free(&m);
}

static void fork_and_exit(struct process_model *m, u32 pid)
{
	task(m, PERF_RECORD_FORK, 0, pid, 5, pid, 5);
	comm(m, pid, pid, "short", true);
	map(m, pid, 0x1000 * pid, 0x1000 * pid + 0x1000, 0, "/short");
	task(m, PERF_RECORD_EXIT, 0, pid, 5, pid, 5);
}

/* Threads that ended stay once; numbers that somebody keeps stay, and are told. */
static void compact_kept(void **state)
{
	struct process_kept kept;
	struct process_model m;
	u32 threads[64], maps[64], nr, gen;

	(void)state;
	begin(&m);
	m.forget_exited = true;
	comm(&m, 5, 5, "parent", false);
	map(&m, 5, 0x2000, 0x5000, 0x1000, "/parent");
	gen = generation(&m, 5);
	fork_and_exit(&m, 20);
	fork_and_exit(&m, 21);
	nr = m.maps.nr;
	assert_int_equal(process_compact(&m, NULL), 0);
	assert_int_equal(m.maps.nr, nr - 2);
	expect_comm(&m, 20, "short");
	assert_true(process_find_thread(&m, 20)->exited);
	expect_maps(&m, 5, "2000-5000@1000 /parent; ");
	assert_int_equal(generation(&m, 5), gen);
	fork_and_exit(&m, 22);
	memset(threads, 0, sizeof(threads));
	memset(maps, 0, sizeof(maps));
	threads[process_find_thread(&m, 21) - m.threads.v] = 1;
	nr = (u32)(process_find_thread(&m, 20) - m.threads.v);
	maps[m.maps.nr - 1] = 1;
	kept = (struct process_kept){.threads = threads, .maps = maps, .exited = true};
	assert_int_equal(process_compact(&m, &kept), 0);
	expect_comm(&m, 20, "short");
	kept.exited = false;
	memset(threads, 0, sizeof(threads));
	memset(maps, 0, sizeof(maps));
	threads[process_find_thread(&m, 21) - m.threads.v] = 1;
	maps[m.maps.nr - 1] = 1;
	assert_int_equal(m.maps.v[m.maps.nr - 1].start, 0x1000 * 22);
	gen = m.maps.nr;
	assert_int_equal(process_compact(&m, &kept), 0);
	assert_null(process_find_thread(&m, 20));
	assert_int_equal(threads[nr], ID_NONE);
	assert_ptr_equal(process_find_thread(&m, 21), &m.threads.v[threads[nr + 1]]);
	expect_comm(&m, 22, "short");
	assert_int_equal(m.maps.v[maps[gen - 1]].start, 0x1000 * 22);
	assert_int_equal(process_compact(&m, NULL), 0);
	assert_null(process_find_thread(&m, 22));
	expect_maps(&m, 5, "2000-5000@1000 /parent; ");
	process_free(&m);
}

static void pid_reuse(void **state)
{
	struct process_model m;

	(void)state;
	begin(&m);
	comm(&m, 1, 1, "init", false);
	comm(&m, 10, 10, "old", true);
	map(&m, 10, 0x1000, 0x2000, 0, "/bin/old");
	task(&m, PERF_RECORD_EXIT, 0, 10, 1, 10, 1);
	assert_true(process_find_thread(&m, 10)->exited);
	/* it may still be sampled on its way out */
	expect_comm(&m, 10, "old");
	expect_maps(&m, 10, "1000-2000@0 /bin/old; ");
	task(&m, PERF_RECORD_FORK, 0, 10, 1, 10, 1);
	assert_false(process_find_thread(&m, 10)->exited);
	expect_comm(&m, 10, "init");
	expect_maps(&m, 10, "");
	task(&m, PERF_RECORD_EXIT, 0, 99, 1, 99, 1);
	assert_null(process_find_thread(&m, 99));
	process_free(&m);
}

static u32 kernel_dso(const struct process_model *m, u64 addr)
{
	u32 id = process_find_kernel_map(m, addr);

	return id == ID_NONE ? ID_NONE : m->maps.v[id].dso;
}

static void the_kernel(void **state)
{
	const u64 text = 0xffffffff81000000ull, module = 0xffffffffc0000000ull;
	struct process_model m;
	struct buf b = {0};
	size_t at;
	u32 dso;

	(void)state;
	begin(&m);
	assert_int_equal(process_find_kernel_map(&m, text), ID_NONE);
	kernel_map(&m, text, text + 0x1000000, "[kernel.kallsyms]_text");
	kernel_map(&m, module, module + 0x10000, "[nf_tables]");
	dso = kernel_dso(&m, text + 5);
	assert_string_equal(m.dsos.v[dso].name, "[kernel.kallsyms]");
	assert_int_equal(m.dsos.v[dso].kind, DSO_KERNEL);
	assert_int_equal(m.dsos.v[kernel_dso(&m, module)].kind, DSO_MODULE);
	/* init code and trampolines lie behind the text that was told */
	assert_int_equal(kernel_dso(&m, text + 0x2000000), dso);
	assert_int_equal(kernel_dso(&m, text - 1), ID_NONE);

	at = made_begin(&b, PERF_RECORD_KSYMBOL, 0);
	buf_u64(&b, module + 0x20000);
	buf_u32(&b, 0x100);
	buf_u16(&b, PERF_RECORD_KSYMBOL_TYPE_BPF);
	buf_u16(&b, 0);
	buf_add(&b, "bpf_prog_1\0\0\0\0\0", 16);
	made_end(&b, at);
	apply(&m, &b);
	dso = kernel_dso(&m, module + 0x200ff);
	assert_int_equal(m.dsos.v[dso].kind, DSO_BPF);
	assert_string_equal(m.dsos.v[dso].name, "bpf_prog_1");
	/* unregistered, it stays: samples of it may come from another CPU */
	at = made_begin(&b, PERF_RECORD_KSYMBOL, 0);
	buf_u64(&b, module + 0x20000);
	buf_u32(&b, 0x100);
	buf_u16(&b, PERF_RECORD_KSYMBOL_TYPE_BPF);
	buf_u16(&b, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER);
	buf_add(&b, "bpf_prog_1\0\0\0\0\0", 16);
	made_end(&b, at);
	apply(&m, &b);
	assert_int_equal(kernel_dso(&m, module + 0x20000), dso);
	process_free(&m);
}

static const struct dso *dso_at(const struct process_model *m, u32 tid, u64 addr, u64 *offset)
{
	u32 id = process_find_map(m, process_find_thread(m, tid), addr);

	assert_int_not_equal(id, ID_NONE);
	*offset = map_offset(&m->maps.v[id], addr);
	return &m->dsos.v[m->maps.v[id].dso];
}

static void kinds_of_memory(void **state)
{
	static const struct {
		const char *name;
		u32 prot;
		enum dso_kind kind;
		const char *dso;
		bool by_address; /* offsets are addresses */
	} cases[] = {
		{"/bin/cat", PROT_EXEC, DSO_FILE, "/bin/cat", false},
		{"[vdso]", PROT_EXEC, DSO_VDSO, "[vdso]", false},
		{"//anon", PROT_EXEC, DSO_PERF_MAP, "/tmp/perf-7.map", true},
		{"//anon", PROT_READ, DSO_OTHER, "//anon", true},
		{"/dev/zero (deleted)", PROT_EXEC, DSO_PERF_MAP, "/tmp/perf-7.map", true},
		{"/anon_hugepage (deleted)", PROT_EXEC, DSO_PERF_MAP, "/tmp/perf-7.map", true},
		{"[stack]", PROT_READ, DSO_OTHER, "[stack]", true},
		{"[heap]", PROT_EXEC, DSO_PERF_MAP, "/tmp/perf-7.map", true},
		{"/memfd:jit (deleted)", PROT_EXEC, DSO_MEMFD, "/memfd:jit (deleted)", false},
		{"", PROT_EXEC, DSO_OTHER, "", false},
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct process_model m;
		const struct dso *d;
		u64 offset;

		begin(&m);
		m.kernel64 = false;
		map_as(&m, PERF_RECORD_MISC_USER, 7, 7, 0x7000, 0x8000, 0x10, cases[i].prot, 3,
		       cases[i].name);
		d = dso_at(&m, 7, 0x7123, &offset);
		assert_int_equal(d->kind, cases[i].kind);
		assert_string_equal(d->name, cases[i].dso);
		assert_int_equal(d->ino, cases[i].kind == DSO_PERF_MAP ? 0 : 3);
		assert_int_equal(offset, cases[i].by_address ? 0x7123 : 0x133);
		process_free(&m);
	}
}

/* A 64-bit kernel maps another vdso into 32-bit processes. */
static void vdso_of_32_bits(void **state)
{
	const u64 low = 0xf7f95000, high = 0x7ffff7fc1000;
	struct process_model m;
	u64 offset;

	(void)state;
	begin(&m);
	m.kernel64 = true;
	map_as(&m, PERF_RECORD_MISC_USER, 7, 7, low, low + 0x2000, 0, PROT_EXEC, 0, "[vdso]");
	map_as(&m, PERF_RECORD_MISC_USER, 8, 8, high, high + 0x2000, 0, PROT_EXEC, 0, "[vdso]");
	assert_string_equal(dso_at(&m, 7, low + 0x10, &offset)->name, "[vdso32]");
	assert_int_equal(dso_at(&m, 7, low + 0x10, &offset)->kind, DSO_VDSO);
	assert_string_equal(dso_at(&m, 8, high + 0x10, &offset)->name, "[vdso]");
	process_free(&m);
}

/* One path, two files: the library was replaced while it was in use. */
static void same_path_other_file(void **state)
{
	struct process_model m;
	u32 a, b;

	(void)state;
	begin(&m);
	a = process_dso(&m, "/lib/x", 6, DSO_FILE, 8, 1, 100);
	b = process_dso(&m, "/lib/x", 6, DSO_FILE, 8, 1, 101);
	assert_int_not_equal(a, b);
	assert_int_not_equal(process_dso(&m, "/lib/x", 6, DSO_FILE, 8, 32, 99), a);
	assert_int_equal(process_dso(&m, "/lib/x", 6, DSO_FILE, 8, 1, 100), a);
	assert_int_not_equal(process_dso(&m, "/lib/x", 6, DSO_OTHER, 8, 1, 100), a);
	assert_int_equal(m.dsos.nr, 4);
	process_free(&m);
}

/* A deleted file's inode is given to another file; 0: who told of the mapping did not know. */
static void same_inode_other_file(void **state)
{
	struct process_model m;
	u32 first, second;

	(void)state;
	begin(&m);
	first = process_dso(&m, "/lib/x", 6, DSO_FILE, 8, 1, 100);
	assert_int_equal(process_dso_generation(&m, first, 0), first);
	assert_int_equal(process_dso_generation(&m, first, 7), first);
	assert_int_equal(m.dsos.v[first].ino_generation, 7);
	assert_int_equal(process_dso_generation(&m, first, 0), first);
	second = process_dso_generation(&m, first, 8);
	assert_int_not_equal(second, first);
	assert_string_equal(m.dsos.v[second].name, "/lib/x");
	assert_int_equal(m.dsos.v[second].ino, 100);
	assert_int_equal(m.dsos.v[second].ino_generation, 8);
	assert_int_equal(process_dso_generation(&m, first, 8), second);
	assert_int_equal(process_dso_generation(&m, first, 7), first);
	assert_int_equal(process_compact(&m, NULL), 0);
	assert_int_equal(m.dsos.nr, 2);
	assert_int_equal(m.dsos.v[second].ino_generation, 8);
	assert_int_equal(process_dso(&m, "/lib/x", 6, DSO_FILE, 8, 1, 100), first);
	process_free(&m);
}

/* MMAP of an old kernel, and an MMAP2 that has a build-id where the inode was. */
static void other_mmaps(void **state)
{
	struct rec_mmap2 r = {.pid = 3,
			      .tid = 3,
			      .start = 0x1000,
			      .len = 0x1000,
			      .pgoff = 0x5000,
			      .maj = 0x11111111,
			      .min = 0x22222222,
			      .ino = 0x3333333333333333ull,
			      .prot = PROT_EXEC,
			      .name = "/bin/x"};
	struct process_model m;
	struct buf b = {0};
	const struct dso *d;
	u64 offset;

	(void)state;
	begin(&m);
	rec_build_mmap(&b, &bare, NULL, PERF_RECORD_MISC_USER, &r);
	apply(&m, &b);
	d = dso_at(&m, 3, 0x1001, &offset);
	assert_int_equal(offset, 0x5001);
	assert_int_equal(d->ino, 0);
	r.start = 0x4000;
	rec_build_mmap2(&b, &bare, NULL, PERF_RECORD_MISC_USER | 1 << 14, &r);
	memcpy(b.data + REC_MMAP2_FILE,
	       "\24\0\0\0"
	       "12345678901234567890",
	       24);
	apply(&m, &b);
	d = dso_at(&m, 3, 0x4001, &offset);
	assert_string_equal(d->name, "/bin/x");
	assert_int_equal(d->ino, 0);
	assert_int_equal(d->maj, 0);
	process_free(&m);
}

/* Records that are cut, empty, or wrap around change nothing. */
static void bad_records(void **state)
{
	static const u32 types[] = {PERF_RECORD_MMAP, PERF_RECORD_MMAP2, PERF_RECORD_COMM,
				    PERF_RECORD_FORK, PERF_RECORD_EXIT,  PERF_RECORD_KSYMBOL};
	struct process_model m;
	size_t i, len;
	u32 j;

	(void)state;
	begin(&m);
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		for (len = 0; len <= 80; len++) {
			u8 *bytes = malloc(8 + len);
			struct perf_event_header h = {.type = types[i], .size = (u16)(8 + len)};
			struct rec rec;

			memset(bytes, 0xff, 8 + len); /* no NUL ends a name */
			memcpy(bytes, &h, sizeof(h));
			assert_true(rec_view(&rec, bytes, 8 + len));
			process_apply(&m, &rec);
			free(bytes);
		}
	}
	assert_int_equal(m.maps.nr, 0);
	assert_int_equal(m.dsos.nr, 0);
	map(&m, 3, 0x2000, 0x2000, 0, "/empty");
	map(&m, 3, 0x2000, 0x1000, 0, "/backwards");
	for (j = 0; j < m.processes.nr; j++)
		assert_int_equal(m.processes.v[j].maps.nr, 0);
	assert_false(m.failed);
	process_free(&m);
}

static void out_of_memory(void **state)
{
	unsigned int n;
	bool refused;
	int ret;
	u32 i;

	(void)state;
	for (n = 0;; n++) {
		struct process_model m;

		oom_after(n);
		ret = process_init(&m, NULL);
		if (!ret) {
			char name[16];
			u64 at;

			comm(&m, 10, 10, "sh", false);
			for (at = 0; at < 12; at++)
				map(&m, 10, at << 12, (at + 1) << 12, 0, "/bin/sh");
			for (at = 0; at < 40; at++) {
				snprintf(name, sizeof(name), "/lib/%u", (unsigned int)at);
				map(&m, 10, at << 16, (at + 1) << 16, 0, name);
			}
			map(&m, 10, 0x1800, 0x2800, 0, "/bin/other");
			task(&m, PERF_RECORD_FORK, 0, 20, 10, 20, 10);
			kernel_map(&m, 1ull << 63, (1ull << 63) + 5, "[kernel.kallsyms]_text");
		}
		refused = oom_stop();
		assert_int_equal(ret == -ENOMEM || m.failed, refused);
		/* whoever reads on finds no half of one */
		for (i = 0; !ret && i < m.dsos.nr; i++)
			assert_non_null(m.dsos.v[i].name);
		process_free(&m);
		if (!refused)
			break;
	}
	assert_true(n > 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(overlaps),
		cmocka_unit_test(over_many),
		cmocka_unit_test(generations),
		cmocka_unit_test(maps_states),
		cmocka_unit_test(fork_and_exec),
		cmocka_unit_test(forget_exited),
		cmocka_unit_test(exec_by_thread),
		cmocka_unit_test(end_not_seen),
		cmocka_unit_test(compact_kept),
		cmocka_unit_test(made_forks),
		cmocka_unit_test(leader_last),
		cmocka_unit_test(pid_reuse),
		cmocka_unit_test(the_kernel),
		cmocka_unit_test(kinds_of_memory),
		cmocka_unit_test(vdso_of_32_bits),
		cmocka_unit_test(same_path_other_file),
		cmocka_unit_test(same_inode_other_file),
		cmocka_unit_test(other_mmaps),
		cmocka_unit_test(bad_records),
		cmocka_unit_test(out_of_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("process", tests, NULL, NULL);
}
