// SPDX-License-Identifier: GPL-2.0
/* Samples of this very thread, read from its rings: the number and the order of what it did. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/can.h"
#include "util/capture/live.h"
#include "util/event/ev_parse.h"
#include "util/event/ev_record.h"
#include "util/profile/session.h"

struct made {
	struct sysroot root;
	struct ev_env env;
	struct ev_list list;
	struct cpus cpus;
	struct live *live;
	struct session *session;
	volatile sig_atomic_t stop;
};

static void open_target(struct made *m, const char *events, bool bare, u32 pages,
			const struct targets_wanted *targets)
{
	struct ev_record_options attrs = {.clockid = CLOCK_MONOTONIC};
	struct live_options o = {
		.preamble = {.version = "test", .clockid = CLOCK_MONOTONIC},
		.round_ns = 10000000,
		.tasks = !bare,
	};
	struct session_options so = {.bare = bare};
	struct buf notes = {0};
	struct err err = {0};

	*m = (struct made){.env.root = &m->root};
	assert_int_equal(sysroot_open(&m->root, "/", &err), 0);
	assert_int_equal(cpus_online(&m->root, &m->cpus, &err), 0);
	assert_int_equal(ev_parse(&m->list, events, &m->env, &err), 0);
	assert_int_equal(ev_record_configure(&m->list, &attrs, &notes, &err), 0);
	o.event_session = (struct event_session_options){.cpus = &m->cpus,
							 .targets = *targets,
							 .rings = {.pages = pages, .gated = true},
							 .stop = &m->stop};
	assert_int_equal(live_open(&m->live, &o, &m->list, &m->root, &err), 0);
	so.source = &m->live->source;
	m->session = session_open(&so, &err);
	assert_non_null(m->session);
	assert_int_equal(session_prepare(m->session, &err), 0);
	buf_free(&notes);
}

static void open_events(struct made *m, const char *events, bool bare, u32 pages)
{
	const u32 self = (u32)gettid();

	open_target(m, events, bare, pages, &(struct targets_wanted){.tids = &self, .nr_tids = 1});
}

static void close_events(struct made *m)
{
	session_close(m->session);
	ev_list_free(&m->list);
	ev_env_close(&m->env);
	cpus_free(&m->cpus);
	sysroot_close(&m->root);
}

enum { CALLS_MAX = 20000 };

/* So many system calls that do nothing, each with its number as an argument. */
static void call(u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		syscall(SYS_getppid, (long)i);
}

/* The first argument of a getppid(2) that a sample is of; false: of another call. */
static bool argument(const struct session_sample *s, u64 *v)
{
	s64 id;

	assert_true(s->sample->raw_size >= 24);
	memcpy(&id, s->sample->raw + 8, sizeof(id));
	memcpy(v, s->sample->raw + 16, sizeof(*v));
	return id == SYS_getppid;
}

/* Read until it is over: how many of the calls came, each once, and in order if so wanted: the rings of CPUs follow each other. */
static u32 read_all(struct made *m, bool ordered)
{
	bool seen[CALLS_MAX] = {0};
	struct session_sample s;
	u64 last = 0, v, next = 0;
	struct err err = {0};
	u32 nr = 0, waits = 0;
	int ret;

	while ((ret = session_next(m->session, &s, &err)) > SESSION_END) {
		if (ret == SESSION_WAIT && ++waits == 3)
			m->stop = 1;
		if (ret != SESSION_SAMPLE)
			continue;
		if (ordered)
			assert_true(s.sample->ids.time >= last);
		last = s.sample->ids.time;
		if (!argument(&s, &v))
			continue;
		assert_true(v < CALLS_MAX && !seen[v]);
		assert_true(!ordered || v >= next);
		seen[v] = true;
		next = v + 1;
		nr++;
	}
	assert_int_equal(ret, SESSION_END);
	return nr;
}

static void test_all_calls(void **state)
{
	struct err err = {0};
	struct made m;

	(void)state;
	NEEDS("tracepoints");
	open_events(&m, "raw_syscalls:sys_enter", false, 128);
	/* nothing is counted before the start */
	call(100);
	assert_int_equal(live_start(m.live, &err), 0);
	call(1000);
	assert_int_equal(read_all(&m, true), 1000);
	assert_int_equal(live_lost(m.live), 0);
	/* and the kernel's own account says the same */
	assert_int_equal(m.session->source->recording->counts.nr, 1);
	assert_true(m.session->source->recording->counts.v[0].count >= 1000);
	assert_true(m.session->source->recording->counts.v[0].unsampled == 0);
	close_events(&m);
}

static void test_bare(void **state)
{
	struct err err = {0};
	struct made m;

	(void)state;
	NEEDS("tracepoints");
	open_events(&m, "raw_syscalls:sys_enter", true, 128);
	assert_int_equal(live_start(m.live, &err), 0);
	call(1000);
	assert_int_equal(read_all(&m, false), 1000);
	close_events(&m);
}

/* What does not fit into a ring of one page is told as lost, and what came is no more than the rest. */
static void test_losses(void **state)
{
	const u32 calls = CALLS_MAX;
	struct err err = {0};
	const struct counts *n;
	struct made m;
	u32 came;

	(void)state;
	NEEDS("tracepoints");
	open_events(&m, "raw_syscalls:sys_enter", false, 1);
	assert_int_equal(live_start(m.live, &err), 0);
	call(calls);
	came = read_all(&m, true);
	assert_true(came < calls);
	assert_true(came > 0);
	n = &m.session->source->recording->counts.v[0];
	assert_int_equal(counts_sum(n), n->count);
	assert_true(live_lost(m.live) >= calls - came);
	assert_int_equal(recording_lost(m.session->source->recording, 0), live_lost(m.live));
	close_events(&m);
}

static void test_names(void **state)
{
	struct session_sample s;
	struct err err = {0};
	struct made m;
	char comm[16];
	int ret;

	(void)state;
	NEEDS("tracepoints");
	open_events(&m, "raw_syscalls:sys_enter,sched:sched_switch", false, 64);
	assert_int_equal(live_start(m.live, &err), 0);
	assert_int_not_equal(session_event(m.session, "sched:sched_switch"), ID_NONE);
	call(1);
	assert_int_equal(pthread_getname_np(pthread_self(), comm, sizeof(comm)), 0);
	while ((ret = session_next(m.session, &s, &err)) == SESSION_WAIT)
		;
	assert_int_equal(ret, SESSION_SAMPLE);
	assert_string_equal(s.comm, comm);
	assert_int_equal(s.thread->tid, gettid());
	assert_true(s.sample->ids.cpu < 4096);
	m.stop = 1;
	while ((ret = session_next(m.session, &s, &err)) > SESSION_END)
		;
	assert_int_equal(ret, SESSION_END);
	/* and stays there */
	assert_int_equal(session_next(m.session, &s, &err), SESSION_END);
	close_events(&m);
}

/* It ends with the thread that it is about. */
static void test_target_ends(void **state)
{
	struct session_sample s;
	struct err err = {0};
	struct made m;
	int ret, pipes[2];
	u32 target;
	pid_t child;
	char c;

	(void)state;
	NEEDS("tracepoints");
	assert_int_equal(pipe(pipes), 0);
	child = fork();
	if (!child) {
		close(pipes[1]);
		_exit(read(pipes[0], &c, 1) != 0);
	}
	target = (u32)child;
	open_target(&m, "raw_syscalls:sys_exit", false, 8,
		    &(struct targets_wanted){.pids = &target, .nr_pids = 1});
	assert_int_equal(live_start(m.live, &err), 0);
	close(pipes[1]);
	while ((ret = session_next(m.session, &s, &err)) > SESSION_END)
		;
	assert_int_equal(ret, SESSION_END);
	assert_true(m.session->totals.samples > 0);
	close(pipes[0]);
	waitpid(child, NULL, 0);
	close_events(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_calls),   cmocka_unit_test(test_bare),
		cmocka_unit_test(test_losses),      cmocka_unit_test(test_names),
		cmocka_unit_test(test_target_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
