// SPDX-License-Identifier: GPL-2.0
/* Counted values: quantiles and histograms beside those of all samples in a row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/oom.h"
#include "util/format/count_bars.h"
#include "util/report/histogram.h"

#define ROWS 5

static u64 seed = 88172645463325252ull;

static u64 any(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* A number of any size, with its edges often. */
static u64 any_value(void)
{
	static const u64 edges[] = {0,          1,         2,          3,
				    UINT64_MAX, INT64_MAX, 1ull << 63, (1ull << 63) + 1};

	if (any() % 8 == 0)
		return edges[any() % ARRAY_SIZE(edges)];
	return any() >> any() % 64;
}

struct samples {
	u64 v[ROWS][3000];
	u32 nr[ROWS];
};

static int unsigned_order(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static int signed_order(const void *a, const void *b)
{
	s64 x = *(const s64 *)a, y = *(const s64 *)b;

	return x < y ? -1 : x > y;
}

static void fill(struct samples *s, struct count_values *v, u64 (*value)(void), u32 nr)
{
	u32 i, row;
	u64 x;

	*s = (struct samples){0};
	for (i = 0; i < nr; i++) {
		row = (u32)(any() % ROWS);
		x = value();
		s->v[row][s->nr[row]++] = x;
		assert_true(count_values_add(v, row, x));
	}
	for (row = 0; row < ROWS; row++)
		qsort(s->v[row], s->nr[row], sizeof(u64),
		      v->is_signed ? signed_order : unsigned_order);
}

static u64 few_values(void)
{
	return any() % 7;
}

/* In whole numbers: the k-th of n, k the least with k * 1000 >= tenths of a percent * n. */
static u64 want_quantile(const struct samples *s, u32 row, u32 permille)
{
	u64 rank = ((u64)permille * s->nr[row] + 999) / 1000;

	return s->v[row][rank ? rank - 1 : 0];
}

static void check_quantiles(bool is_signed, u64 (*value)(void), u32 nr)
{
	struct count_values v = {.is_signed = is_signed, .most = 100000};
	static struct samples s;
	struct histogram spread;
	struct count_series series;
	u32 row, p;

	fill(&s, &v, value, nr);
	assert_int_equal(histogram_init(&spread, &v, ROWS, NULL), 0);
	for (row = 0; row < ROWS; row++) {
		series = histogram_of(&spread, row);
		assert_int_equal(series.total, s.nr[row]);
		for (p = 0; p <= 1000 && s.nr[row]; p++)
			if (histogram_quantile(&series, (double)p / 10 / 100) !=
			    want_quantile(&s, row, p))
				fail_msg("row %u of %u samples, %u/1000", row, s.nr[row], p);
	}
	assert_int_equal(histogram_of(&spread, COUNT_ROW_ALL).total, nr);
	histogram_free(&spread);
	count_values_free(&v);
}

static void quantiles(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < 20; i++) {
		check_quantiles(false, any_value, (u32)(any() % 3000));
		check_quantiles(true, any_value, (u32)(any() % 3000));
		check_quantiles(i % 2, few_values, (u32)(any() % 3000));
	}
	check_quantiles(false, any_value, 0);
}

static __int128 wide(u64 v, bool is_signed)
{
	return is_signed ? (__int128)(s64)v : (__int128)v;
}

/* Buckets meet without a gap, and each has what lies between its ends. */
static void check_buckets(const struct samples *s, u32 row, const struct count_buckets *b,
			  bool is_signed)
{
	__int128 from, to, v;
	u64 nr, all = 0;
	u32 i, k;

	for (i = 0; i < b->nr; i++) {
		from = wide(b->v[i].from, is_signed);
		to = wide(b->v[i].to, is_signed);
		assert_true(from <= to);
		if (i)
			assert_true(wide(b->v[i - 1].to, is_signed) + 1 == from);
		for (nr = 0, k = 0; k < s->nr[row]; k++) {
			v = wide(s->v[row][k], is_signed);
			nr += v >= from && v <= to;
		}
		assert_int_equal(nr, b->v[i].nr);
		all += nr;
	}
	assert_int_equal(all, s->nr[row]);
	assert_true(!b->nr || (b->v[0].nr && b->v[b->nr - 1].nr));
}

static void check_histogram(struct count_values v, u64 (*value)(void), u32 most_buckets)
{
	struct histogram spread;
	struct count_series series;
	static struct samples s;
	struct count_buckets b;
	u32 row;

	v.most = 100000;
	fill(&s, &v, value, (u32)(any() % 2000));
	assert_int_equal(histogram_init(&spread, &v, ROWS, NULL), 0);
	for (row = 0; row < ROWS; row++) {
		series = histogram_of(&spread, row);
		assert_int_equal(histogram_buckets(&spread, &series, &b, NULL), 0);
		assert_in_range(b.nr, 0, most_buckets);
		check_buckets(&s, row, &b, v.is_signed);
		histogram_free_buckets(&b);
	}
	histogram_free(&spread);
	count_values_free(&v);
}

static u64 small_value(void)
{
	return any() % 1200 - (any() % 2 ? 600 : 0);
}

static u64 same_value(void)
{
	return 1ull << 63;
}

static void histograms(void **state)
{
	const struct count_values log2 = {.scale = COUNT_BY_LOG2}, exact = {0};
	struct count_values v = log2;
	u32 i;

	(void)state;
	for (i = 0; i < 40; i++) {
		v = i < 20 ? log2 : exact;
		v.is_signed = i % 2;
		check_histogram(v, any_value, i < 20 ? 129 : 20);
		check_histogram(v, small_value, 129);
		check_histogram(v, few_values, 20);
		check_histogram(v, same_value, 1);
		v = (struct count_values){.scale = COUNT_BY_STEP,
					  .is_signed = i % 2,
					  .from = i % 2 ? -100ull : 100,
					  .to = 1000,
					  .step = 1 + any() % 300};
		check_histogram(v, small_value, 1103);
		check_histogram(v, any_value, 1103);
	}
}

/* Powers of two: where each begins and ends. */
static void powers(void **state)
{
	u64 low;
	s64 k;

	(void)state;
	assert_int_equal(count_log2_of(0, false), 0);
	for (k = 1; k <= 64; k++) {
		low = 1ull << (k - 1);
		assert_int_equal(count_log2_of(low, false), k);
		assert_int_equal(count_log2_of(low + (low - 1), false), k);
		assert_true((s64)count_log2_of(-low, true) == -k);
		if (k < 64)
			assert_true((s64)count_log2_of(-(low + (low - 1)), true) == -k);
	}
	assert_true((s64)count_log2_of(UINT64_MAX, true) == -1);
}

/* Many different values: first they are rounded, then left out, and both is told. */
static void bounded(void **state)
{
	struct count_values v = {.most = 100};
	struct histogram spread;
	struct count_series series;
	u64 i, total = 0, last = 0;

	(void)state;
	for (i = 0; i < 100; i++)
		assert_true(count_values_add(&v, 0, i * 1001));
	assert_int_equal(v.rounded, 0);
	/* one that is known is not rounded */
	assert_true(count_values_add(&v, 0, 99 * 1001));
	assert_int_equal(v.rounded, 0);
	assert_true(count_values_add(&v, 0, 123457));
	assert_int_equal(v.rounded, 1);
	assert_int_equal(v.nr, 101);
	assert_int_equal(histogram_init(&spread, &v, 1, NULL), 0);
	series = histogram_of(&spread, 0);
	assert_int_equal(series.v[series.nr - 1].value, 122880);
	assert_true(123457 - 122880 < 123457 * 0.016);
	histogram_free(&spread);
	for (i = 0; i < 100000; i++)
		assert_true(count_values_add(&v, (u32)(i % 3), any_value()));
	assert_int_equal(v.nr, 200);
	assert_true(v.unkept > 0);
	assert_int_equal(histogram_init(&spread, &v, 3, NULL), 0);
	series = histogram_of(&spread, COUNT_ROW_ALL);
	for (i = 0; i < series.nr; i++) {
		assert_true(!i || series.v[i].value > last);
		last = series.v[i].value;
		total += series.v[i].nr;
	}
	assert_int_equal(total + v.unkept, 102 + 100000);
	histogram_free(&spread);
	count_values_clear(&v);
	assert_int_equal(v.nr + v.rounded + v.unkept, 0);
	assert_int_equal(histogram_init(&spread, &v, 3, NULL), 0);
	assert_int_equal(histogram_of(&spread, COUNT_ROW_ALL).nr, 0);
	assert_int_equal(histogram_of(&spread, COUNT_ROW_OTHERS).nr, 0);
	histogram_free(&spread);
	count_values_free(&v);
}

static void others(void **state)
{
	struct count_values v = {.most = 100};
	struct histogram spread;
	struct count_series series;

	(void)state;
	assert_true(count_values_add(&v, COUNT_ROW_OTHERS, 7));
	assert_true(count_values_add(&v, 1, 7));
	assert_int_equal(histogram_init(&spread, &v, 2, NULL), 0);
	series = histogram_of(&spread, COUNT_ROW_OTHERS);
	assert_int_equal(series.nr, 1);
	assert_int_equal(series.total, 1);
	assert_int_equal(histogram_of(&spread, 0).nr, 0);
	assert_int_equal(histogram_of(&spread, 1).nr, 1);
	series = histogram_of(&spread, COUNT_ROW_ALL);
	assert_int_equal(series.nr, 1);
	assert_int_equal(series.total, 2);
	histogram_free(&spread);
	count_values_free(&v);
}

static void check_bars(struct count_values v, const s64 *values, u32 nr, const char *want)
{
	struct histogram spread;
	struct count_series series;
	struct count_buckets b;
	struct buf out = {0};
	u32 i;

	v.most = 1000;
	for (i = 0; i < nr; i++)
		assert_true(count_values_add(&v, 0, (u64)values[i]));
	assert_int_equal(histogram_init(&spread, &v, 1, NULL), 0);
	series = histogram_of(&spread, 0);
	assert_int_equal(histogram_buckets(&spread, &series, &b, NULL), 0);
	count_bars_put(&b, v.is_signed,
		       v.scale == COUNT_BY_LOG2 ? COUNT_BARS_BINARY : COUNT_BARS_PLAIN, "  ", &out);
	assert_string_equal(buf_str(&out), want);
	buf_free(&out);
	histogram_free_buckets(&b);
	histogram_free(&spread);
	count_values_free(&v);
}

#define BARS(v, want, ...)                                             \
	check_bars((struct count_values)v, (const s64[]){__VA_ARGS__}, \
		   sizeof((const s64[]){__VA_ARGS__}) / sizeof(s64), want)
#define SPEC(...)           \
	{                   \
		__VA_ARGS__ \
	}

static void bars(void **state)
{
	(void)state;
	BARS(SPEC(.scale = COUNT_BY_LOG2, .is_signed = true),
	     "  (-8, -4] 1 |@@@@@@@@@@@@@                           |\n"
	     "  (-4, -2] 0 |                                        |\n"
	     "      [-1] 0 |                                        |\n"
	     "       [0] 1 |@@@@@@@@@@@@@                           |\n"
	     "       [1] 0 |                                        |\n"
	     "    [2, 4) 3 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n",
	     -7, 0, 2, 3, 2);
	BARS(SPEC(.scale = COUNT_BY_LOG2),
	     "  [512, 1K) 1 |@@@@@@@@@@@@@@@@@@@@                    |\n"
	     "   [1K, 2K) 2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n",
	     1023, 1024, 2047);
	BARS(SPEC(.scale = COUNT_BY_LOG2),
	     "  [8E, 16E) 1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n", -1);
	BARS(SPEC(.scale = COUNT_BY_LOG2, .is_signed = true),
	     "  [-8E] 1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n", INT64_MIN);
	BARS(SPEC(.scale = COUNT_BY_STEP, .from = 10, .to = 35, .step = 10),
	     "  (..., 10) 1 |@@@@@@@@@@@@@@@@@@@@                    |\n"
	     "   [10, 20) 2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
	     "   [20, 30) 0 |                                        |\n"
	     "   [30, 35) 1 |@@@@@@@@@@@@@@@@@@@@                    |\n"
	     "  [35, ...) 1 |@@@@@@@@@@@@@@@@@@@@                    |\n",
	     9, 10, 19, 34, 35);
	BARS(SPEC(.is_signed = true),
	     "   [-5, 0) 1 |@@@@@@@@@@@@@                           |\n"
	     "    [0, 5) 1 |@@@@@@@@@@@@@                           |\n"
	     "   [5, 10) 0 |                                        |\n"
	     "  [10, 15) 0 |                                        |\n"
	     "  [15, 20) 0 |                                        |\n"
	     "  [20, 25) 0 |                                        |\n"
	     "  [25, 30) 0 |                                        |\n"
	     "  [30, 35) 0 |                                        |\n"
	     "  [35, 40) 0 |                                        |\n"
	     "  [40, 45) 0 |                                        |\n"
	     "  [45, 50) 1 |@@@@@@@@@@@@@                           |\n"
	     "  [50, 55) 3 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n",
	     -1, 0, 49, 50, 51, 52);
}

static void numbers(void **state)
{
	static const struct {
		__int128 v;
		const char *want;
	} cases[] = {
		{0, "0"},
		{-1, "-1"},
		{UINT64_MAX, "18446744073709551615"},
		{INT64_MIN, "-9223372036854775808"},
		{(__int128)UINT64_MAX * INT64_MAX, "170141183460469231704017187605319778305"},
		{-(__int128)UINT64_MAX * 1000, "-18446744073709551615000"},
		{(__int128)1000000000000000000 * 1000000000000000000,
		 "1000000000000000000000000000000000000"},
	};
	struct buf out = {0};
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		buf_clear(&out);
		count_bars_wide(cases[i].v, &out);
		assert_string_equal(buf_str(&out), cases[i].want);
	}
	buf_free(&out);
}

static void out_of_memory(void **state)
{
	struct count_values v = {.most = 1000};
	struct histogram spread;
	struct count_series series;
	struct count_buckets b;
	bool refused = true;
	unsigned int n;
	u64 i, done;
	int ret;

	(void)state;
	for (n = 0; refused; n++) {
		oom_after(n);
		for (done = 0, i = 0; i < 700; i++)
			done += count_values_add(&v, (u32)(i % 3), i);
		ret = histogram_init(&spread, &v, 3, NULL);
		if (!ret) {
			series = histogram_of(&spread, COUNT_ROW_ALL);
			ret = histogram_buckets(&spread, &series, &b, NULL);
			histogram_free_buckets(&b);
			histogram_free(&spread);
		}
		refused = oom_stop();
		assert_true(refused == (done < 700 || ret));
		count_values_free(&v);
		v.rounded = 0;
	}
	assert_true(n > 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles), cmocka_unit_test(histograms),
		cmocka_unit_test(powers),    cmocka_unit_test(bounded),
		cmocka_unit_test(others),    cmocka_unit_test(bars),
		cmocka_unit_test(numbers),   cmocka_unit_test(out_of_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
