// SPDX-License-Identifier: GPL-2.0
/* The table of metrics, and which of them this machine can measure. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/can.h"
#include "util/event/ev_parse.h"
#include "util/stat/derived.h"

struct fixture {
	struct sysroot root;
	struct ev_env env;
};

static int setup(void **state)
{
	static struct fixture f;

	*state = &f;
	f.env.root = &f.root;
	return sysroot_open(&f.root, "/", NULL);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	ev_env_close(&f->env);
	sysroot_close(&f->root);
	return 0;
}

static bool can_open(u32 type, u64 config)
{
	struct perf_event_attr a = {.type = type, .config = config, .size = sizeof(a)};
	int fd;

	a.disabled = a.exclude_kernel = a.exclude_hv = 1;
	fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Every entry is made of events that there are, and has all that people are told. */
static void table(void **state)
{
	struct fixture *f = *state;
	const struct stat_metric *m;
	u32 i, k;

	for (i = 0; (m = stat_metric_nth(i)); i++) {
		assert_ptr_equal(stat_metric_find(m->name, strlen(m->name)), m);
		assert_non_null(m->unit);
		assert_non_null(m->help);
		assert_true(m->factor > 0);
		assert_non_null(m->events[1]);
		for (k = 0; k < STAT_METRIC_EVENTS && m->events[k]; k++) {
			struct ev_list list = {0};

			assert_int_equal(ev_parse(&list, m->events[k], &f->env, NULL), 0);
			ev_list_free(&list);
		}
	}
	assert_true(i > 10);
	assert_null(stat_metric_find("ip", 2));
	assert_null(stat_metric_find("ipcc", 4));
	assert_non_null(stat_metric_find("ipc,x", 3));
}

static void measurable(void **state)
{
	struct fixture *f = *state;
	const char *missing = NULL;

	NEEDS("own");
	assert_true(stat_metric_measurable(stat_metric_find("cpus", 4), &f->env, &missing));
	assert_true(stat_metric_measurable(stat_metric_find("fault-rate", 10), &f->env, &missing));
	assert_null(missing);
	assert_int_equal(stat_metric_measurable(stat_metric_find("ipc", 3), &f->env, &missing),
			 can_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS) &&
				 can_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES));
}

static void names(void **state)
{
	struct fixture *f = *state;
	const struct stat_metric *out[2];
	struct err err = {0};

	NEEDS("own");
	assert_int_equal(stat_metric_parse("cpus,switch-rate", &f->env, out, 2, &err), 2);
	assert_string_equal(out[0]->name, "cpus");
	assert_string_equal(out[1]->name, "switch-rate");
	assert_int_equal(stat_metric_parse("cpus,cpus,cpus", &f->env, out, 2, &err), -E2BIG);
	assert_int_equal(stat_metric_parse("swich-rate", &f->env, out, 2, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "'swich-rate'"));
	assert_non_null(strstr(err.hint, "'switch-rate'"));
	assert_int_equal(stat_metric_parse("", &f->env, out, 2, &err), -EINVAL);
	assert_int_equal(stat_metric_parse("cpus,", &f->env, out, 2, &err), -EINVAL);
	if (can_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES))
		return;
	assert_int_equal(stat_metric_parse("ghz", &f->env, out, 2, &err), -ENOTSUP);
	assert_non_null(strstr(err.msg, "no counter for cycles"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table),
		cmocka_unit_test(measurable),
		cmocka_unit_test(names),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("metric", tests, setup, teardown);
}
