// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/can.h"
#include "tests/unit/oom.h"
#include "util/kernel/tracefs.h"

struct fixture {
	struct sysroot root;
	struct tracefs t;
	struct err err;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	return !f || sysroot_open(&f->root, "tests/sysroot/server", NULL) ||
	       tracefs_open(&f->root, &f->t, NULL);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tracefs_close(&f->t);
	sysroot_close(&f->root);
	free(f);
	return 0;
}

static void test_open(void **state)
{
	struct fixture *f = *state;

	assert_false(f->t.detached);
	assert_false(sysroot_is_real(&f->root));
}

static void test_open_nothing(void **state)
{
	struct sysroot bare;
	struct tracefs t;
	struct err err = {0};

	(void)state;
	assert_int_equal(sysroot_open(&bare, "tests/sysroot/bare", &err), 0);
	/* A tree is never completed from the kernel that runs. */
	assert_int_equal(tracefs_open(&bare, &t, &err), -ENODEV);
	assert_non_null(strstr(err.msg, "CONFIG_TRACING"));
	sysroot_close(&bare);
	assert_int_equal(sysroot_open(&bare, "tests/sysroot/nosuch", &err), -ENOENT);
}

/* The kernel that runs, mounted or not. */
static void test_open_real(void **state)
{
	struct sysroot root;
	struct tracefs t;
	struct err err = {0};
	u32 id = 0;
	int ret;

	(void)state;
	assert_int_equal(sysroot_open(&root, "/", NULL), 0);
	assert_true(sysroot_is_real(&root));
	ret = tracefs_open(&root, &t, &err);
	if (!ret) {
		assert_int_equal(tracefs_id(&t, "sched", "sched_switch", &id, &err), 0);
		assert_int_not_equal(id, 0);
		tracefs_close(&t);
	} else {
		assert_true(err.msg[0]);
	}
	sysroot_close(&root);
	if (ret) {
		NEEDS("tracepoints");
		fail();
	}
}

static void test_id_and_format(void **state)
{
	struct fixture *f = *state;
	struct buf b = {0};
	u32 id;

	assert_int_equal(tracefs_id(&f->t, "sched", "sched_switch", &id, &f->err), 0);
	assert_int_equal(id, 316);
	assert_int_equal(tracefs_format(&f->t, "sched", "sched_switch", &b, &f->err), 0);
	assert_int_equal(strncmp(buf_str(&b), "name: sched_switch\nID: 316\n", 27), 0);
	buf_free(&b);
	assert_int_equal(tracefs_id(&f->t, "sched", "nosuch", &id, &f->err), -ENOENT);
	assert_string_equal(f->err.msg, "there is no tracepoint sched:nosuch");
	assert_int_equal(tracefs_id(&f->t, "bad", "bad_id", &id, &f->err), -EINVAL);
	/* No way out of the folder. */
	assert_int_equal(tracefs_id(&f->t, "..", "events", &id, &f->err), -ENOENT);
	assert_int_equal(tracefs_id(&f->t, "sched/sched_switch", "..", &id, &f->err), -ENOENT);
	assert_int_equal(tracefs_id(&f->t, "", "sched", &id, &f->err), -ENOENT);
	assert_int_equal(tracefs_format(&f->t, "sched", "", &b, &f->err), -ENOENT);
	buf_free(&b);
}

static void test_dynamic(void **state)
{
	static const struct {
		const char *system, *name;
		int want;
	} cases[] = {
		{"probes", "kfree", 1},        {"mine", "sched_switch", 1},
		{"mine", "sched_wakeup", 1},   {"own", "last", 1},
		{"sched", "sched_switch", 0},  {"mine", "sched", 0},
		{"mine", "sched_switches", 0}, {"min", "sched_switch", 0},
		{"synthetic", "wakeup", 1},    {"kmem", "kfree", 0},
		{"user_events", "any", 1},     {"user_events_multi", "any", 1},
	};
	struct fixture *f = *state;
	struct tracefs t = {0};
	struct sysroot root;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(tracefs_is_dynamic(&f->t, cases[i].system, cases[i].name, &f->err),
				 cases[i].want);
	/* a kernel without them */
	assert_int_equal(sysroot_open(&root, "tests/sysroot/bare", NULL), 0);
	t.fd = root.fd;
	assert_int_equal(tracefs_is_dynamic(&t, "mine", "sched_switch", &f->err), 0);
	sysroot_close(&root);
}

static void check_glob(struct fixture *f, const char *system, const char *name, const char *want)
{
	struct tracefs_events found = {0};
	struct buf b = {0};
	u32 i;

	assert_int_equal(tracefs_glob(&f->t, system, name, &found, &f->err), 0);
	for (i = 0; i < found.events.nr; i++)
		buf_addf(&b, "%s:%s ", found.events.v[i].system, found.events.v[i].name);
	assert_string_equal(buf_str(&b), want);
	tracefs_events_free(&found);
	buf_free(&b);
}

static void test_glob(void **state)
{
	struct fixture *f = *state;

	/* Sorted; without events that have no id, and without the files in between. */
	check_glob(f, "sched", "*",
		   "sched:sched_stat-wait sched:sched_switch sched:sched_wakeup "
		   "sched:sched_waking ");
	check_glob(f, "s*", "*sw*", "sched:sched_switch ");
	check_glob(f, "*", "*skb", "skb:consume_skb skb:kfree_skb ");
	check_glob(f, "syscalls", "sys_enter_[a-f]*", "syscalls:sys_enter_accept ");
	check_glob(f, "syscalls", "sys_enter_[!a-o]*", "syscalls:sys_enter_read ");
	check_glob(f, "*", "nosuch", "");
	check_glob(f, "nosuch", "*", "");
	check_glob(f, "..", "*", "");
	check_glob(f, "enable", "*", "");
}

static void test_memory(void **state)
{
	struct fixture *f = *state;
	struct tracefs_events found;
	unsigned int n;
	int ret;

	for (n = 0;; n++) {
		found = (struct tracefs_events){0};
		oom_after(n);
		ret = tracefs_glob(&f->t, "s*", "*", &found, &f->err);
		if (!oom_stop())
			break;
		assert_int_equal(ret, -ENOMEM);
		tracefs_events_free(&found);
	}
	assert_int_equal(ret, 0);
	tracefs_events_free(&found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_open, setup, teardown),
		cmocka_unit_test(test_open_nothing),
		cmocka_unit_test(test_open_real),
		cmocka_unit_test_setup_teardown(test_id_and_format, setup, teardown),
		cmocka_unit_test_setup_teardown(test_dynamic, setup, teardown),
		cmocka_unit_test_setup_teardown(test_glob, setup, teardown),
		cmocka_unit_test_setup_teardown(test_memory, setup, teardown),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("tracefs", tests, NULL, NULL);
}
