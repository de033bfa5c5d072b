// SPDX-License-Identifier: GPL-2.0
/* The mathematics of diff; what it says of recordings is in tests/golden/verdicts.txt. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/report/stack_diff.h"
#include "util/report/stack_diff_internal.h"

static void assert_near(double got, double want, double part)
{
	if (fabs(got - want) > part * fabs(want) + 1e-300)
		fail_msg("%.17g is not %.17g", got, want);
}

/* ---- exact tests ---- */

static long double choose(int n, int k)
{
	long double c = 1;
	int i;

	if (k < 0 || k > n)
		return 0;
	for (i = 1; i <= k; i++)
		c = c * (n - k + i) / i;
	return c;
}

/* Fisher's test by its definition: all tables on the side of the new count, twice. */
static double fisher(int a, int n, int b, int m)
{
	long double sum = 0, all = choose(n + m, a + b);
	bool up = (long double)b * (n + m) > (long double)(a + b) * m;
	int x;

	for (x = 0; x <= a + b; x++)
		if (up ? x >= b : x <= b)
			sum += choose(n, a + b - x) * choose(m, x) / all;
	return (double)(2 * sum < 1 ? 2 * sum : 1);
}

static void shares_by_definition(void **state)
{
	int n, m, a, b;

	(void)state;
	for (n = 1; n < 40; n += 5)
		for (m = 1; m < 60; m += 7)
			for (a = 0; a <= n; a++)
				for (b = 0; b <= m; b++)
					assert_near(stack_diff_noise_shares((u64)a, (u64)n, (u64)b,
									    (u64)m),
						    a + b ? fisher(a, n, b, m) : 1, 1e-9);
}

/* Of 3 against 1: the chance of k of n to the new side, by definition. */
static void rates_by_definition(void **state)
{
	int a, b, x;

	(void)state;
	for (a = 0; a < 20; a++)
		for (b = 0; b < 20; b++) {
			const int n = a + b;
			bool up = b * 4 > n;
			double sum = 0;

			for (x = 0; x <= n; x++)
				if (up ? x >= b : x <= b)
					sum += (double)choose(n, x) * pow(0.25, x) *
					       pow(0.75, n - x);
			assert_near(stack_diff_noise_rates((u64)a, 3, (u64)b, 1),
				    n ? fmin(1, 2 * sum) : 1, 1e-9);
		}
}

/* Where there are many samples, it is the normal distribution; no digit is lost by size. */
static void many_samples(void **state)
{
	const u64 all[] = {1000000, 1000000000, 1000000000000, 1000000000000000,
			   100000000000000000};
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		const double n = (double)all[i], p = 0.3, sd = sqrt(2 * n * p * (1 - p));
		const double away = floor(3 * sd / 2) * 2;
		const double got = stack_diff_noise_shares((u64)(n * p - away / 2), all[i],
							   (u64)(n * p + away / 2), all[i]);

		/* 3 sd, less half a step */
		assert_near(got, erfc(3 / M_SQRT2), 0.01);
	}
	/* nine tenths of all: those that are left are as many as a tenth */
	assert_near(stack_diff_noise_shares(900000, 1000000, 901000, 1000000),
		    stack_diff_noise_shares(100000, 1000000, 99000, 1000000), 1e-6);
	/* a rare one among very many is a question of rates */
	assert_near(stack_diff_noise_shares(2, 1000000000000, 11, 3000000000000),
		    stack_diff_noise_rates(2, 1, 11, 3), 1e-6);
	assert_true(stack_diff_noise_shares(0, 1000000, 500000, 1000000) < 1e-300);
	/* so far from the mean that all is 0, and with an end that nobody lives to see */
	assert_true(stack_diff_noise_shares(200000000000000, 800000000000000, 400000000000000,
					    1000000000000000) < 1e-300);
}

/* A sum of very many is an integral, from one side of the limit to the other. */
static void integral(void **state)
{
	u64 n;
	u32 z;

	(void)state;
	/* the limit is a standard deviation of 1000 */
	for (n = 1000000; n < 1ull << 57; n *= 2)
		for (z = 1; z <= 6; z++) {
			const double half = floor(z * sqrt((double)n / 2) / 2);
			const double got =
				stack_diff_noise_rates(n / 2 - (u64)half, 1, n / 2 + (u64)half, 1);
			/* less half a step */
			const double at = (half - 0.5) / sqrt((double)n / 4);

			assert_near(got, erfc(at / M_SQRT2), 1e-6 + 50.0 / (double)n);
		}
	/* nothing is there, or all is: no step is without an end */
	assert_near(stack_diff_noise_rates(UINT64_MAX / 4, 1, UINT64_MAX / 2, 1), 0, 0);
	assert_true(stack_diff_noise_shares(1000000, 1ull << 62, (1ull << 62) - 1000000,
					    (1ull << 62) - 1) <= 1);
}

static void least_is_reached(void **state)
{
	(void)state;
	assert_near(stack_diff_noise_least_shares(3, 100, 100), fisher(0, 100, 3, 100), 1e-9);
	assert_near(stack_diff_noise_least_shares(3, 900, 100), fisher(0, 900, 3, 100), 1e-9);
	assert_near(stack_diff_noise_least_shares(199, 100, 100), 1, 1e-9);
	assert_near(stack_diff_noise_least_rates(5, 1, 1), 2 * pow(0.5, 5), 1e-9);
	assert_near(stack_diff_noise_least_shares(0, 100, 100), 1, 0);
	assert_near(stack_diff_noise_least_shares(5, 0, 100), 1, 0);
}

static void found_of_many(void **state)
{
	/* the example of Benjamini and Hochberg's paper, table 1 */
	const double p[] = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
			    0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
	const double none[] = {0.06, 0.07};

	(void)state;
	assert_int_equal(stack_diff_noise_found(p, ARRAY_SIZE(p)), 4);
	assert_int_equal(stack_diff_noise_found(none, 2), 0);
	assert_int_equal(stack_diff_noise_found(none, 0), 0);
	assert_near(stack_diff_noise_quantile(0.05), 1.959964, 1e-6);
	assert_near(stack_diff_noise_quantile(0.001), 3.290527, 1e-6);
}

/* ---- rows ---- */

static void count(struct stack_diff *d, u32 row, enum stack_diff_side side, u64 samples, u64 weight)
{
	const struct stack_count c = {samples, samples * weight,
				      (double)samples * (double)weight * (double)weight};
	struct stack_count *to = stack_diff_count(d, row, side);

	assert_non_null(to);
	stack_count_add(to, &c);
	stack_count_add(&d->all[side], &c);
}

/* ---- are the verdicts as right as they say? ---- */

static u64 seed;

static double uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (double)(seed >> 11) / 9007199254740992.0;
}

/* How a recording comes about, of functions that get the rarer the higher their number. */
struct model {
	u32 functions, samples[STACK_DIFF_SIDES];
	bool weighted; /* weights from 1 to 1000, most of them small */
	u32 together;  /* so many samples have one stack; 0: each its own */
	double burst;  /* what the verdict is told of that */
	double factor; /* function 2 is so many times as frequent in NEW; 0: as frequent */
	enum stack_diff_scale scale;
};

static u32 draw(const struct model *m, enum stack_diff_side side, const double *sum)
{
	const double extra =
		side == STACK_DIFF_NEW ? (MAX(m->factor, 1) - 1) * (sum[2] - sum[1]) : 0;
	double x = uniform() * (sum[m->functions - 1] + extra);
	u32 low = 0, high = m->functions - 1, mid;

	if (x < extra)
		return 2;
	x -= extra;
	while (low < high) {
		mid = (low + high) / 2;
		if (sum[mid] > x)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

static void record(const struct model *m, struct stack_diff *d, const double *sum)
{
	u32 side, i, row = 0;

	for (side = 0; side < STACK_DIFF_SIDES; side++)
		for (i = 0; i < m->samples[side]; i++) {
			if (!m->together || i % m->together == 0)
				row = draw(m, side, sum);
			count(d, row, side, 1, m->weighted ? (u64)exp(uniform() * 6.9) : 1);
		}
}

/* Of so many pairs of recordings, in how many something is said to differ; *hits: function 2 is. */
static u32 said_to_differ(const struct model *m, u32 pairs, u32 *hits)
{
	double *sum = calloc(m->functions, sizeof(*sum));
	u32 i, nr = 0;

	assert_non_null(sum);
	for (i = 0; i < m->functions; i++)
		sum[i] = (i ? sum[i - 1] : 0) + 1 / (i + 1.5);
	seed = 88172645463325252ull;
	*hits = 0;
	for (i = 0; i < pairs; i++) {
		struct stack_diff d = {.scale = m->scale, .burst = m->burst};

		d.seconds[STACK_DIFF_OLD] = m->samples[STACK_DIFF_OLD];
		d.seconds[STACK_DIFF_NEW] = m->samples[STACK_DIFF_NEW];
		record(m, &d, sum);
		assert_int_equal(stack_diff_judge(&d, NULL), 0);
		nr += d.nr_verdicts[STACK_DIFF_NOISE] < d.rows.nr;
		*hits += d.rows.nr > 2 && d.rows.v[2].verdict == STACK_DIFF_MORE;
		stack_diff_free(&d);
	}
	free(sum);
	return nr;
}

/*
 * Where nothing differs, something is said to differ in at most one pair of twenty (here: of 400,
 * that a fair 5 % exceeds by chance once in a thousand times).
 */
static void false_alarms(void **state)
{
	static const struct model models[] = {
		{.functions = 20, .samples = {2000, 2000}},
		{.functions = 2000, .samples = {1000, 1000}},
		{.functions = 300, .samples = {4000, 400}},
		{.functions = 300, .samples = {300, 5000}},
		{.functions = 5, .samples = {30, 30}},
		{.functions = 100, .samples = {2000, 3000}, .weighted = true},
		{.functions = 5, .samples = {200, 300}, .weighted = true},
		{.functions = 100,
		 .samples = {2000, 3000},
		 .weighted = true,
		 .scale = STACK_DIFF_SECOND},
		{.functions = 100, .samples = {2000, 4000}, .scale = STACK_DIFF_SECOND},
		{.functions = 100, .samples = {2000, 2000}, .scale = STACK_DIFF_NONE},
		{.functions = 50, .samples = {4000, 4000}, .together = 8, .burst = 8},
	};
	u32 i, hits, nr;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(models); i++) {
		nr = said_to_differ(&models[i], 400, &hits);
		if (nr > 34)
			fail_msg("model %u: %u false alarms in 400", i, nr);
	}
}

/* That the same samples, told as independent, do raise alarms shows that this test can fail. */
static void bursts_mislead(void **state)
{
	static const struct model m = {.functions = 50, .samples = {4000, 4000}, .together = 8};
	u32 hits;

	(void)state;
	assert_true(said_to_differ(&m, 100, &hits) > 50);
}

/* What differs is found, four times of five, with as many samples as `needed` says. */
static void true_alarms(void **state)
{
	struct model m = {.functions = 20, .samples = {400, 400}, .factor = 1.5};
	const double share = 100 * 0.0968, p1 = share / 100, p2 = 1.5 * p1 / (1 + 0.5 * p1);
	struct stack_diff d = {0};
	u32 hits, few;

	(void)state;
	said_to_differ(&m, 200, &few);
	/* one comparison with the expected counts tells the number that it takes */
	count(&d, 0, STACK_DIFF_OLD, (u64)(400 * p1 + 0.5), 1);
	count(&d, 1, STACK_DIFF_OLD, 400 - (u64)(400 * p1 + 0.5), 1);
	count(&d, 0, STACK_DIFF_NEW, (u64)(400 * p2 + 0.5), 1);
	count(&d, 1, STACK_DIFF_NEW, 400 - (u64)(400 * p2 + 0.5), 1);
	assert_int_equal(stack_diff_judge(&d, NULL), 0);
	assert_int_equal(d.rows.v[0].verdict, STACK_DIFF_NOISE);
	assert_true(d.rows.v[0].needed > 400 && d.rows.v[0].needed < 4000);
	stack_diff_free(&d);
	m.samples[0] = m.samples[1] = 4000;
	said_to_differ(&m, 200, &hits);
	assert_true(few < 100);
	assert_true(hits > 195);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_by_definition), cmocka_unit_test(rates_by_definition),
		cmocka_unit_test(many_samples),         cmocka_unit_test(integral),
		cmocka_unit_test(least_is_reached),     cmocka_unit_test(found_of_many),
		cmocka_unit_test(false_alarms),         cmocka_unit_test(bursts_mislead),
		cmocka_unit_test(true_alarms),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
