// SPDX-License-Identifier: GPL-2.0
/* Memory runs out while counts are added up; what they then are is in tests/golden/stat.txt. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/can.h"
#include "tests/unit/oom.h"
#include "util/event/ev_parse.h"
#include "util/format/stat_view.h"
#include "util/stat/stat_counters.h"

static int read_topology(struct stat_topology *t)
{
	struct sysroot root;
	int ret;

	assert_int_equal(sysroot_open(&root, "tests/sysroot/hybrid", NULL), 0);
	ret = stat_topology_read(t, &root, NULL);
	sysroot_close(&root);
	return ret;
}

static int make_table(void)
{
	struct stat_event events[] = {
		{.name = "cycles", .unit = "", .scale = 1, .group = ID_NONE},
		{.name = "instructions", .unit = "", .scale = 1, .group = ID_NONE, .leader = 1},
	};
	struct stat_place place = {.cpu = 0, .tid = -1};
	struct stat_shape shape = {
		.events = events, .nr_events = 2, .places = &place, .nr_places = 1};
	struct stat_topology topology = {0};
	struct stat_derivations derivations = {0};
	struct stat_ratios ratios = {0};
	struct stat_table table = {0};
	int ret = read_topology(&topology);

	events[0].attr.config = PERF_COUNT_HW_CPU_CYCLES;
	events[1].attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	if (!ret)
		ret = stat_table_init(&table, &shape, STAT_PER_CORE, &topology, NULL);
	if (!ret)
		ret = stat_derivations_init(&derivations, &shape, NULL, 0, NULL);
	if (!ret)
		ret = stat_ratios_find(&ratios, &shape, &derivations, NULL);
	stat_ratios_free(&ratios);
	stat_derivations_free(&derivations);
	stat_table_free(&table);
	stat_topology_free(&topology);
	return ret;
}

static void each_place(void **state)
{
	u32 n;
	int ret;

	(void)state;
	for (n = 0;; n++) {
		oom_after(n);
		ret = make_table();
		if (!oom_stop())
			break;
		assert_int_equal(ret, -ENOMEM);
	}
	assert_int_equal(ret, 0);
	assert_true(n > 5);
}

/* What only explains a refusal may do without memory. */
static int open_counters(void)
{
	const struct stat_target target = {.command = getpid()};
	struct stat_counters_options options = {0};
	struct stat_counters counters = {0};
	struct sysroot root;
	struct ev_env env = {.root = &root};
	struct ev_list list = {0};
	struct buf notes = {0};
	int ret;

	assert_int_equal(sysroot_open(&root, "/", NULL), 0);
	options.root = &root;
	ret = ev_parse(&list, "{cs:u,faults:u},task-clock:u", &env, NULL);
	if (!ret)
		ret = stat_counters_init(&counters, &list, &options, &notes, NULL);
	if (!ret)
		ret = stat_counters_open(&counters, &target, NULL);
	stat_counters_free(&counters);
	buf_free(&notes);
	ev_list_free(&list);
	ev_env_close(&env);
	sysroot_close(&root);
	return ret;
}

static void each_counter(void **state)
{
	bool refused = true;
	u32 n, failed = 0;
	int ret;

	(void)state;
	NEEDS("own");
	for (n = 0; refused; n++) {
		oom_after(n);
		ret = open_counters();
		refused = oom_stop();
		assert_true(!ret || (refused && ret == -ENOMEM));
		failed += ret != 0;
	}
	assert_true(failed > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_place),
		cmocka_unit_test(each_counter),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("stat_memory", tests, NULL, NULL);
}
