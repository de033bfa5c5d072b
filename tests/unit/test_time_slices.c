// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "util/profile/time_slices.h"

#define SEC 1000000000ull

static struct time_slices parsed(const char *text)
{
	struct time_slices l = {0};

	assert_int_equal(time_slices_parse(&l, text, NULL), 0);
	return l;
}

static void expect_bounds(const struct time_slices *l, u64 from, u64 to)
{
	u64 f, t;

	time_slices_bounds(l, &f, &t);
	assert_int_equal(f, from);
	assert_int_equal(t, to);
}

static void seconds(void **state)
{
	struct time_slices l = {0};

	(void)state;
	assert_true(time_slices_has(&l, 5));
	expect_bounds(&l, 0, 0);
	l = parsed("1,2 4,5.5");
	assert_int_equal(l.nr, 2);
	assert_false(l.parts);
	assert_false(time_slices_has(&l, SEC - 1));
	assert_true(time_slices_has(&l, SEC));
	assert_true(time_slices_has(&l, 2 * SEC));
	assert_false(time_slices_has(&l, 2 * SEC + 1));
	assert_true(time_slices_has(&l, 11 * SEC / 2));
	expect_bounds(&l, SEC, 11 * SEC / 2);
	time_slices_free(&l);

	l = parsed("4, 1,2");
	assert_true(time_slices_has(&l, UINT64_MAX));
	assert_false(time_slices_has(&l, 3 * SEC));
	expect_bounds(&l, SEC, 0);
	time_slices_free(&l);

	l = parsed(",2");
	expect_bounds(&l, 0, 2 * SEC);
	time_slices_free(&l);
}

static void expect_slice(const char *text, u32 i, u64 from, u64 to)
{
	struct time_slices l = parsed(text);

	assert_true(l.parts);
	time_slices_scale(&l, 1000, 2000);
	assert_true(i < l.nr);
	assert_int_equal(l.v[i].from, from);
	assert_int_equal(l.v[i].to, to);
	time_slices_free(&l);
}

static void parts(void **state)
{
	(void)state;
	expect_slice("10%", 0, 1000, 1099);
	expect_slice("10%/1", 0, 1000, 1099);
	expect_slice("10%/2", 0, 1100, 1199);
	/* the last sample of all belongs to the last slice */
	expect_slice("10%/10", 0, 1900, 2000);
	expect_slice("100%", 0, 1000, 2000);
	expect_slice("33.3%/3", 0, 1666, 1998);
	expect_slice("0%-10%,30%-40%", 0, 1000, 1099);
	expect_slice("0%-10%,30%-40%", 1, 1300, 1399);
	expect_slice("10%/1,10%/3", 1, 1200, 1299);
}

static void errors(void **state)
{
	static const char *const texts[] = {
		"",       " ",        "a",       "1",      "2,1",   "1,2,3",   "1,2,3,4",
		"1,b",    "%",        "110%",    "10%/11", "10%/0", "10%/",    "10%/x",
		"10%/1x", "10%-",     "20%-10%", "10%-20", "10%x",  "10%,20%", "0%",
		"-10%",   "10%-110%", "1,2 10%", "nan%",
	};
	struct time_slices l = {0};
	struct err err = {0};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_int_equal(time_slices_parse(&l, texts[i], &err), -EINVAL);
		assert_non_null(strstr(err.msg, "is not a span of time"));
		assert_true(err.hint[0]);
		assert_int_equal(l.nr, 0);
	}
	time_slices_free(&l);
}

/* One sample alone: every part is all of it or nothing. */
static void no_time(void **state)
{
	struct time_slices l = parsed("10%/2");

	(void)state;
	time_slices_scale(&l, 500, 500);
	assert_true(time_slices_has(&l, 500));
	time_slices_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seconds),
		cmocka_unit_test(parts),
		cmocka_unit_test(errors),
		cmocka_unit_test(no_time),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
