// SPDX-License-Identifier: GPL-2.0
/* What several runs have in common. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/made_stat.h"
#include "util/stat/aggregate.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9)

static void numbers(void **state)
{
	double v[] = {2, 4, 4, 4, 5, 5, 7, 9};
	struct stat_summary s;

	(void)state;
	stat_summary_of(&s, v, 8);
	assert_int_equal(s.nr, 8);
	NEAR(s.mean, 5);
	NEAR(s.stddev, sqrt(32.0 / 7));
	NEAR(s.error, sqrt(32.0 / 7 / 8));
	NEAR(s.median, 4.5);
	NEAR(s.mad, 0.5);
	NEAR(s.min, 2);
	NEAR(s.max, 9);
}

static void one_of_many(void **state)
{
	double v[] = {10, 1000, 11, 9, 10};
	struct stat_summary s;

	(void)state;
	stat_summary_of(&s, v, 5);
	NEAR(s.median, 10);
	NEAR(s.mad, 1);
	assert_true(s.stddev > 400);
}

static void few(void **state)
{
	double v = 3;
	struct stat_summary s;

	(void)state;
	stat_summary_of(&s, &v, 1);
	NEAR(s.mean, 3);
	NEAR(s.median, 3);
	NEAR(s.stddev, 0);
	NEAR(s.mad, 0);
	stat_summary_of(&s, NULL, 0);
	assert_int_equal(s.nr, 0);
	NEAR(s.mean, 0);
	NEAR(stat_summary_pct(1, 0), 0);
	NEAR(stat_summary_pct(1, -4), 25);
}

/* Three runs; the second does not count the first event, nobody counts the third. */
static void runs(void **state)
{
	static const u64 counts[3] = {10, 0, 20}, ends[3] = {1, 2, 6};
	struct made_stat m = {0};
	struct stat_table t;
	struct stat_runs r;
	u32 i;

	(void)state;
	made_stat_switches(&m);
	made_stat_clock(&m);
	made_stat_unsupported(&m, "cycles", PERF_COUNT_HW_CPU_CYCLES);
	made_stat_command(&m);
	assert_true(made_stat_begin(&m));
	assert_int_equal(stat_table_init(&t, &m.shape, STAT_GLOBAL, NULL, NULL), 0);
	assert_int_equal(stat_runs_init(&r, &t, NULL), 0);
	for (i = 0; i < 3; i++) {
		made_stat_count(&m, 0, 0, counts[i], 100, counts[i] ? 100 : 0);
		made_stat_count(&m, 1, 0, 1000 * (i + 1), 1000 * (i + 1), 1000 * (i + 1));
		m.reading.end_ns = m.reading.origin_ns + ends[i];
		stat_table_fill(&t, &m.reading);
		assert_int_equal(stat_runs_add(&r, &t, NULL), 0);
	}
	assert_int_equal(stat_runs_end(&r, &t, NULL), 0);
	assert_int_equal(stat_runs_cell(&r, &t, 0, 0)->nr, 2);
	NEAR(stat_table_cell(&t, 0, 0)->value, 15);
	assert_int_equal(stat_table_cell(&t, 0, 0)->running, 100);
	NEAR(stat_table_cell(&t, 1, 0)->value, 2000);
	assert_int_equal(stat_table_cell(&t, 1, 0)->enabled, 2000);
	assert_int_equal(stat_table_cell(&t, 2, 0)->state, STAT_NOT_SUPPORTED);
	assert_int_equal(stat_runs_cell(&r, &t, 2, 0)->nr, 0);
	NEAR(stat_runs_elapsed(&r)->mean, 3);
	NEAR(stat_runs_elapsed(&r)->median, 2);
	NEAR(stat_runs_elapsed_of(&r, 2), 6);
	NEAR(t.elapsed_ns, 3);
	stat_runs_free(&r);
	stat_table_free(&t);
	made_stat_free(&m);
}

/* An event that the last run did not count is counted all the same. */
static void last_run_without(void **state)
{
	struct made_stat m = {0};
	struct stat_table t;
	struct stat_runs r;
	u32 i;

	(void)state;
	made_stat_switches(&m);
	made_stat_command(&m);
	assert_true(made_stat_begin(&m));
	assert_int_equal(stat_table_init(&t, &m.shape, STAT_GLOBAL, NULL, NULL), 0);
	assert_int_equal(stat_runs_init(&r, &t, NULL), 0);
	for (i = 0; i < 2; i++) {
		made_stat_count(&m, 0, 0, 8, 10, i ? 0 : 10);
		stat_table_fill(&t, &m.reading);
		assert_int_equal(stat_runs_add(&r, &t, NULL), 0);
	}
	assert_int_equal(stat_table_cell(&t, 0, 0)->state, STAT_NOT_COUNTED);
	assert_int_equal(stat_runs_end(&r, &t, NULL), 0);
	assert_int_equal(stat_table_cell(&t, 0, 0)->state, STAT_COUNTED);
	NEAR(stat_table_cell(&t, 0, 0)->value, 8);
	stat_runs_free(&r);
	stat_table_free(&t);
	made_stat_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(one_of_many),
		cmocka_unit_test(few),
		cmocka_unit_test(runs),
		cmocka_unit_test(last_run_without),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("repeat", tests, NULL, NULL);
}
