// SPDX-License-Identifier: GPL-2.0
/* Times by one clock, told by another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "tests/unit/oom.h"
#include "util/base/clock.h"
#include "util/profile/clock_pairs.h"

static void fact(struct recording *r, const char *key, const char *value)
{
	assert_int_equal(recording_add_fact(r, key, value, strlen(value)), 0);
}

static void event(struct recording *r, bool use_clock, int clockid)
{
	struct perf_event_attr a = {.use_clockid = use_clock, .clockid = clockid};

	assert_true(event_set_add(&r->events, &a, sizeof(a), "e", NULL, 0, NULL) >= 0);
}

/* What is read now is what these clocks say. */
static void read_now(void **state)
{
	u64 mono = clock_ns(CLOCK_MONOTONIC), real = clock_ns(CLOCK_REALTIME);
	struct clock_pair p, q;
	struct buf b = {0};

	(void)state;
	clock_pair_read(&p, CLOCK_MONOTONIC);
	assert_in_range(p.at[CLOCK_PAIR_MONO], mono, clock_ns(CLOCK_MONOTONIC));
	assert_in_range(p.own, mono, clock_ns(CLOCK_MONOTONIC));
	assert_in_range(p.at[CLOCK_PAIR_REAL], real - 1000000000, real + 60000000000);
	assert_true(p.at[CLOCK_PAIR_BOOT] && p.at[CLOCK_PAIR_TAI]);
	/* the clock itself was read within */
	assert_in_range(p.own + p.width - p.at[CLOCK_PAIR_MONO], 0, 2 * p.width);
	clock_pair_text(&p, &b);
	assert_true(clock_pair_parse(&q, buf_str(&b)));
	assert_memory_equal(&p, &q, sizeof(p));
	buf_free(&b);
}

static void bad_text(void **state)
{
	static const char *const bad[] = {
		"",
		"own",
		"own=",
		"own=x",
		"own=1 real=",
		"real=1",
		"own 1",
		"own=1 real 2",
		"own=1 real=2z",
		"own=0",
		"own=1 real=18446744073709551616",
		"own=1 real=111111111111111111111111111111",
	};
	struct clock_pair p;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(clock_pair_parse(&p, bad[i]));
	/* a clock of a newer recorder is passed over */
	assert_true(clock_pair_parse(&p, "own=5 aux3=seven real=6"));
	assert_int_equal(p.own, 5);
	assert_int_equal(p.at[CLOCK_PAIR_REAL], 6);
	assert_int_equal(p.at[CLOCK_PAIR_BOOT], 0);
}

/* The last reading at or before a time counts; what is told later is taken in, in any order. */
static void steps(void **state)
{
	struct clock_pairs p = {0};
	struct recording r = {0};

	(void)state;
	event(&r, true, CLOCK_MONOTONIC);
	fact(&r, "clocks", "own=1000 real=501000 mono=1000 boot=1500 tai=538000 width=7");
	assert_true(clock_pairs_read(&p, &r));
	assert_int_equal(clock_pairs_convert(&p, CLOCK_PAIR_REAL, 990), 500990);
	assert_int_equal(clock_pairs_convert(&p, CLOCK_PAIR_REAL, 3000), 503000);
	fact(&r, "clocks", "own=3000 real=902000 mono=3000 boot=4500 tai=1 width=7");
	fact(&r, "clocks", "own=2000 real=902000 mono=2000 boot=2500 tai=1 width=7");
	fact(&r, "clocks", "no reading");
	assert_true(clock_pairs_read(&p, &r));
	assert_int_equal(p.v.nr, 3);
	assert_int_equal(clock_pairs_convert(&p, CLOCK_PAIR_REAL, 1999), 501999);
	assert_int_equal(clock_pairs_convert(&p, CLOCK_PAIR_REAL, 2000), 902000);
	assert_int_equal(clock_pairs_convert(&p, CLOCK_PAIR_REAL, 3000), 902000);
	assert_int_equal(clock_pairs_convert(&p, CLOCK_PAIR_BOOT, 3100), 4600);
	assert_int_equal(clock_pairs_convert(&p, CLOCK_PAIR_MONO, 3100), 3100);
	assert_int_equal(clock_pair_step(&p.v.v[0], &p.v.v[1], CLOCK_PAIR_REAL, 1000), 400000);
	assert_int_equal(clock_pair_step(&p.v.v[1], &p.v.v[2], CLOCK_PAIR_REAL, 1000), -1000);
	assert_int_equal(clock_pair_step(&p.v.v[1], &p.v.v[2], CLOCK_PAIR_REAL, 1001), 0);
	clock_pairs_free(&p);
	recording_free(&r);
}

/* One reading of the wall clock, and no other clock but that of the recording. */
static void old_recordings(void **state)
{
	struct clock_pairs p = {0};
	struct recording r = {0};

	(void)state;
	event(&r, true, CLOCK_MONOTONIC_RAW);
	assert_true(clock_pairs_read(&p, &r));
	assert_false(clock_pairs_know(&p, CLOCK_PAIR_REAL));
	assert_false(clock_pairs_know(&p, CLOCK_PAIR_MONO));
	fact(&r, "wall_clock_ns", "1000000000");
	fact(&r, "clock_ns", "500");
	assert_true(clock_pairs_read(&p, &r));
	assert_true(clock_pairs_know(&p, CLOCK_PAIR_REAL));
	assert_false(clock_pairs_know(&p, CLOCK_PAIR_BOOT));
	assert_int_equal(clock_pairs_convert(&p, CLOCK_PAIR_REAL, 600), 1000000100);
	clock_pairs_free(&p);
	recording_free(&r);

	/* by the clock of the recording a time is as it stands, whatever is known */
	r = (struct recording){0};
	p = (struct clock_pairs){0};
	event(&r, false, 0);
	event(&r, true, CLOCK_BOOTTIME);
	assert_true(clock_pairs_read(&p, &r));
	assert_true(clock_pairs_know(&p, CLOCK_PAIR_BOOT));
	assert_int_equal(clock_pairs_convert(&p, CLOCK_PAIR_BOOT, 77), 77);
	clock_pairs_free(&p);
	recording_free(&r);
}

static void news(void **state)
{
	const struct clock_pair from = {5000000000, {9000000000, 1, 1, 1}, 0};
	struct clock_pair to = from;

	(void)state;
	assert_false(clock_pair_is_news(&from, &to));
	to.own += 9000000000;
	to.at[0] += 9000999999;
	to.at[1] = to.at[2] = to.at[3] = 9000000001;
	assert_false(clock_pair_is_news(&from, &to));
	to.at[2] -= 1000000;
	assert_true(clock_pair_is_news(&from, &to));
}

/* After ten seconds, clocks that go at other rates are news, and those that were read slowly are not. */
static void drift(void **state)
{
	struct clock_pair from = {5000000000, {9000000000, 1, 1, 1}, 700};
	struct clock_pair to = {
		15000000000, {19000000000, 10000000001, 10000000001, 10000000700}, 600};

	(void)state;
	assert_false(clock_pair_is_news(&from, &to));
	to.at[1] -= 701;
	assert_true(clock_pair_is_news(&from, &to));
	to.own--;
	assert_false(clock_pair_is_news(&from, &to));
}

static void out_of_memory(void **state)
{
	struct clock_pairs p = {0};
	struct recording r = {0};

	(void)state;
	fact(&r, "clocks", "own=1000 real=501000");
	oom_after(0);
	assert_false(clock_pairs_read(&p, &r));
	assert_true(oom_stop());
	clock_pairs_free(&p);
	recording_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(read_now),      cmocka_unit_test(bad_text),
		cmocka_unit_test(steps),         cmocka_unit_test(old_recordings),
		cmocka_unit_test(out_of_memory), cmocka_unit_test(news),
		cmocka_unit_test(drift),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
