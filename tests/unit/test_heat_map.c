// SPDX-License-Identifier: GPL-2.0
/* Bands of durations, and maps of the least and the most that can be; what one looks like is in tests/golden/latency.txt. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/draw/heat_map.h"

/* Each power of two is the first of an even band; the odd one begins at the root of its square and the next one's. */
static void bands(void **state)
{
	unsigned __int128 half;
	u32 k;
	u64 v;

	(void)state;
	assert_int_equal(heat_map_band(0), 0);
	assert_int_equal(heat_map_band(1), 0);
	for (k = 1; k < 64; k++) {
		v = 1ull << k;
		assert_int_equal(heat_map_band(v), 2 * k);
		assert_int_equal(heat_map_band(v - 1), k == 1 ? 0 : 2 * k - 1);
		half = (unsigned __int128)1 << (2 * k + 1);
		for (v = (u64)(1.41421356 * (double)v); k < 32 && (unsigned __int128)v * v < half;
		     v++)
			assert_int_equal(heat_map_band(v), 2 * k);
		assert_int_equal(heat_map_band(v + (k < 32 ? 0 : v / 1000)), 2 * k + 1);
	}
	assert_int_equal(heat_map_band(UINT64_MAX), HEAT_MAP_BANDS - 1);
}

static int draw(const struct heat_map *m, struct buf *b, struct err *err)
{
	buf_clear(b);
	return heat_map_draw(m, b, err);
}

static void extremes(void **state)
{
	static u64 amounts[HEAT_MAP_COLUMNS] = {[0] = 1, [HEAT_MAP_COLUMNS - 1] = UINT64_MAX};
	struct heat_map_row rows[HEAT_MAP_BANDS];
	struct heat_map m = {.title = "</title>", .one = "span", .many = "spans", .rows = rows};
	struct err err;
	struct buf b = {0};
	u32 i;

	(void)state;
	assert_int_equal(draw(&m, &b, &err), 0);
	assert_non_null(strstr(buf_str(&b), "nothing to draw"));
	assert_null(strstr(buf_str(&b), "</title></title>"));
	for (i = 0; i < HEAT_MAP_BANDS; i++) {
		rows[0] = (struct heat_map_row){i, amounts};
		m.nr_rows = 1;
		m.nr_columns = i % 2 ? HEAT_MAP_COLUMNS : 1;
		m.step = i % 3 ? 1 : 5000000000ull;
		assert_int_equal(draw(&m, &b, &err), 0);
		assert_non_null(strstr(buf_str(&b), "<title>1 span of "));
	}
	for (i = 0; i < HEAT_MAP_BANDS; i++)
		rows[i] = (struct heat_map_row){i, amounts};
	m.nr_rows = HEAT_MAP_BANDS;
	m.nr_columns = HEAT_MAP_COLUMNS;
	assert_int_equal(draw(&m, &b, &err), 0);
	m.nr_columns++;
	assert_int_equal(draw(&m, &b, &err), -EINVAL);
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bands),
		cmocka_unit_test(extremes),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
