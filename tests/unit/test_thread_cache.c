// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "util/profile/task_names.h"

struct made_tasks {
	struct process_model m;
	struct thread_cache r;
};

static void init(struct made_tasks *t)
{
	*t = (struct made_tasks){0};
	assert_int_equal(process_init(&t->m, NULL), 0);
}

static void done(struct made_tasks *t)
{
	thread_cache_free(&t->r);
	process_free(&t->m);
}

static void name(struct made_tasks *t, u32 pid, u32 tid, const char *comm)
{
	struct sample_layout p = made_layout(MADE_TYPE);
	struct buf b = {0};
	struct rec rec;

	rec_build_comm(&b, &p, NULL, 0, pid, tid, comm);
	assert_true(rec_view(&rec, b.data, b.len));
	process_apply(&t->m, &rec);
	thread_cache_forget(&t->r);
	buf_free(&b);
}

static void check(struct made_tasks *t, u32 pid, u32 tid, u32 want_pid, const char *want)
{
	const struct thread *thread;
	const char *comm = NULL;

	thread = thread_cache_get(&t->r, &t->m, pid, tid, &comm);
	assert_non_null(thread);
	assert_int_equal(thread->tid, tid);
	assert_int_equal(thread->pid, want_pid);
	assert_string_equal(comm, want);
}

/* Twice each: looked up, and known. */
static void known(void **state)
{
	struct made_tasks t;
	int i;

	(void)state;
	init(&t);
	name(&t, 100, 100, "main");
	name(&t, 100, 101, "worker");
	for (i = 0; i < 2; i++) {
		check(&t, 100, 101, 100, "worker");
		check(&t, ID_NONE, 101, 100, "worker");
		check(&t, ID_NONE, 100, 100, "main");
		/* no record names it: a process of its own, or of the one that the sample tells */
		check(&t, ID_NONE, 500, 500, ":500");
		check(&t, 100, 102, 100, ":102");
		check(&t, 0, 0, 0, "swapper");
	}
	done(&t);
}

/* Two tids that share a place, and a name that changes. */
static void changes(void **state)
{
	struct made_tasks t;

	(void)state;
	init(&t);
	name(&t, 7, 7, "one");
	name(&t, 7 + RECENT_TASKS, 7 + RECENT_TASKS, "other");
	check(&t, 7, 7, 7, "one");
	check(&t, ID_NONE, 7 + RECENT_TASKS, 7 + RECENT_TASKS, "other");
	check(&t, 7, 7, 7, "one");
	name(&t, 7, 7, "exec'd");
	check(&t, 7, 7, 7, "exec'd");
	done(&t);
}

/* A name with bytes that do not go to a terminal is made anew for each. */
static void escaped(void **state)
{
	struct made_tasks t;

	(void)state;
	init(&t);
	name(&t, 1, 1, "a\x1b[1m");
	name(&t, 2, 2, "b\n");
	check(&t, 1, 1, 1, "a\\x1b[1m");
	check(&t, 2, 2, 2, "b\\x0a");
	check(&t, 1, 1, 1, "a\\x1b[1m");
	done(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known),
		cmocka_unit_test(changes),
		cmocka_unit_test(escaped),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
