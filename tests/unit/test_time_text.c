// SPDX-License-Identifier: GPL-2.0
/* Times of a recording, in every form. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/format/time_text.h"

#define SEC 1000000000ull

/* At 100 s by its own clock it was 2026-11-22 04:30:01.5 UTC, 250 s since boot; a second later an hour earlier. */
static void make(struct recording *r, bool clocks)
{
	static const char *const facts[] = {
		"own=100000000000 real=1795321801500000000 mono=100000000000 boot=250000000000 "
		"tai=1795321838500000000 width=100",
		"own=101000000000 real=1795318202500000000 mono=101000000000 boot=251000000000 "
		"tai=1795318239500000000 width=100",
	};
	struct perf_event_attr a = {.use_clockid = clocks, .clockid = CLOCK_MONOTONIC};
	size_t i;

	*r = (struct recording){0};
	assert_true(event_set_add(&r->events, &a, sizeof(a), "e", NULL, 0, NULL) >= 0);
	for (i = 0; clocks && i < ARRAY_SIZE(facts); i++)
		assert_int_equal(recording_add_fact(r, CLOCK_PAIR_KEY, facts[i], strlen(facts[i])),
				 0);
}

static void forms(void **state)
{
	static const struct {
		const char *word, *at[3]; /* of 100.25, 100.25 and 101.125000999 s */
		bool nanoseconds;
	} cases[] = {
		{"raw", {"  100.250000", "  100.250000", "  101.125000"}, false},
		{"mono", {"  100.250000000", "  100.250000000", "  101.125000999"}, true},
		{"boot", {"  250.250000", "  250.250000", "  251.125000"}, false},
		{"tai", {"1795321838.750000", "1795321838.750000", "1795318239.625000"}, false},
		{"reltime", {"    0.000000", "    0.000000", "    0.875000"}, false},
		{"delta", {"    0.000000000", "    0.000000000", "    0.875000999"}, true},
		{"utc",
		 {"2026-11-22T04:30:01.750000Z", "2026-11-22T04:30:01.750000Z",
		  "2026-11-22T03:30:02.625000Z"},
		 false},
		{"wall",
		 {"2026-11-22T10:00:01.750000000", "2026-11-22T10:00:01.750000000",
		  "2026-11-22T09:00:02.625000999"},
		 true},
	};
	static const u64 times[] = {100250000000, 100250000000, 101125000999};
	struct recording r;
	struct time_text t;
	struct buf b = {0};
	enum time_form form;
	size_t i, j;

	(void)state;
	setenv("TZ", "XYZ-5:30", 1);
	tzset();
	make(&r, true);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_true(time_form_is_word(cases[i].word));
		assert_int_equal(time_form_parse(&form, cases[i].word, NULL), 0);
		assert_int_equal(time_text_init(&t, form, cases[i].nanoseconds, &r, NULL), 0);
		for (j = 0; j < ARRAY_SIZE(times); j++) {
			buf_clear(&b);
			time_text_put(&t, time_text_next(&t, times[j]), &b);
			assert_string_equal(buf_str(&b), cases[i].at[j]);
		}
		time_text_free(&t);
	}
	buf_free(&b);
	recording_free(&r);
}

/* A call that is given out when it ends began before what was given out since. */
static void before_the_first(void **state)
{
	static const struct {
		enum time_form form;
		const char *at[4];
	} cases[] = {
		{TIME_FORM_RELTIME,
		 {"    0.000000", "   -0.250000", "-12345.000001", "    0.000000"}},
		{TIME_FORM_DELTA,
		 {"    0.000000", "   -0.250000", "-12344.750001", "12345.000001"}},
	};
	static const u64 times[] = {100000 * SEC, 100000 * SEC - SEC / 4,
				    (100000 - 12345) * SEC - 1000, 100000 * SEC};
	struct recording r;
	struct time_text t;
	struct buf b = {0};
	size_t i, j;

	(void)state;
	make(&r, true);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(time_text_init(&t, cases[i].form, false, &r, NULL), 0);
		for (j = 0; j < ARRAY_SIZE(times); j++) {
			buf_clear(&b);
			time_text_put(&t, time_text_next(&t, times[j]), &b);
			assert_string_equal(buf_str(&b), cases[i].at[j]);
		}
		time_text_free(&t);
	}
	buf_free(&b);
	recording_free(&r);
}

static void dates(void **state)
{
	struct recording r;
	struct time_text t;
	struct buf b = {0};
	u64 ns;

	(void)state;
	make(&r, true);
	setenv("TZ", "ABC3", 1);
	tzset();
	assert_int_equal(time_text_init(&t, TIME_FORM_WALL, false, &r, NULL), 0);
	assert_true(time_text_knows_day(&t));
	ns = time_text_day(&t, 100 * SEC + 1);
	time_text_put_rfc3339(&t, ns, &b);
	buf_addc(&b, '|');
	time_text_put_day(&t, ns, ' ', &b);
	assert_string_equal(buf_str(&b),
			    "2026-11-22T01:30:01.500000001-03:00|2026-11-22 01:30:01.500000");
	/* before its second is another one, however far away that is */
	buf_clear(&b);
	time_text_put_day(&t, 0, 'T', &b);
	assert_string_equal(buf_str(&b), "1969-12-31T21:00:00.000000");
	buf_clear(&b);
	time_text_put_day(&t, UINT64_MAX, 'T', &b);
	assert_string_equal(buf_str(&b), "2554-07-21T20:34:33.709551");
	buf_free(&b);
	time_text_free(&t);
	recording_free(&r);
}

static void steps(void **state)
{
	struct recording r;
	struct time_text t;
	struct buf b = {0};

	(void)state;
	make(&r, true);
	assert_int_equal(time_text_init(&t, TIME_FORM_BOOT, false, &r, NULL), 0);
	time_text_steps(&t, &b);
	assert_string_equal(buf_str(&b), "");
	time_text_free(&t);
	assert_int_equal(time_text_init(&t, TIME_FORM_UTC, false, &r, NULL), 0);
	time_text_steps(&t, &b);
	assert_string_equal(buf_str(&b),
			    "the time of day was set by -3600.000000 s between 100.000000 and "
			    "101.000000 of the recording's clock: times step at the latter\n");
	buf_free(&b);
	time_text_free(&t);
	recording_free(&r);
}

/* What is told while it is read counts, too. */
static void growing(void **state)
{
	static const char later[] = "own=102000000000 real=5000000000 boot=1000000000";
	struct recording r;
	struct time_text t;

	(void)state;
	make(&r, true);
	assert_int_equal(time_text_init(&t, TIME_FORM_BOOT, false, &r, NULL), 0);
	assert_int_equal(time_text_next(&t, 103 * SEC), 253 * SEC);
	assert_int_equal(recording_add_fact(&r, CLOCK_PAIR_KEY, later, strlen(later)), 0);
	assert_int_equal(time_text_next(&t, 103 * SEC), 2 * SEC);
	assert_int_equal(time_text_next(&t, 101 * SEC), 251 * SEC);
	time_text_free(&t);
	recording_free(&r);
}

static void refusals(void **state)
{
	struct err err = {0};
	enum time_form form;
	struct recording r;
	struct time_text t;

	(void)state;
	assert_int_equal(time_form_parse(&form, "wal", &err), -EINVAL);
	assert_non_null(strstr(err.hint, "did you mean 'wall'?"));
	assert_int_equal(time_form_parse(&form, "", &err), -EINVAL);
	assert_false(time_form_is_word("1.5,2"));
	assert_false(time_form_is_word(",2"));
	assert_false(time_form_is_word(""));

	make(&r, false);
	assert_int_equal(time_text_init(&t, TIME_FORM_WALL, false, &r, &err), -EINVAL);
	assert_non_null(strstr(err.hint, "perf record -k mono"));
	assert_int_equal(time_text_init(&t, TIME_FORM_RAW, false, &r, &err), 0);
	assert_false(time_text_knows_day(&t));
	assert_int_equal(time_text_init(&t, TIME_FORM_DELTA, false, &r, &err), 0);
	recording_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms),    cmocka_unit_test(before_the_first),
		cmocka_unit_test(dates),    cmocka_unit_test(growing),
		cmocka_unit_test(refusals), cmocka_unit_test(steps),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
