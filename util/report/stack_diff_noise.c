// SPDX-License-Identifier: GPL-2.0
#include "util/report/stack_diff_internal.h"

#include <math.h>

/*
 * Binomial probabilities by Loader's decomposition (Fast and Accurate Computation of Binomial
 * Probabilities, 2000): differences of logarithms of factorials would lose all digits where there
 * are many samples.
 */

/* log(n!) less Stirling's approximation of it. */
static double stirling_error(double n)
{
	const double n2 = n * n;
	int sign;

	if (n < 16)
		return lgamma_r(n + 1, &sign) - (n + 0.5) * log(n) + n - 0.5 * log(2 * M_PI);
	return (1.0 / 12 -
		(1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - 1.0 / 1188 / n2) / n2) / n2) / n2) /
	       n;
}

/* x log(x / mean) + mean - x, with all its digits where x is near the mean. */
static double deviance(double x, double mean)
{
	double v = (x - mean) / (x + mean), sum, term;
	int i;

	if (fabs(v) >= 0.1)
		return x * log(x / mean) + mean - x;
	sum = (x - mean) * v;
	term = 2 * x * v;
	for (i = 3; i < 100; i += 2) {
		term *= v * v;
		if (sum + term / i == sum)
			break;
		sum += term / i;
	}
	return sum;
}

/* The probability of x of n, each with probability p; q is 1 - p. */
static double binomial(double x, double n, double p, double q)
{
	if (x < 0 || x > n)
		return 0;
	if (p <= 0 || q <= 0)
		return x == (p <= 0 ? 0 : n);
	if (x == 0)
		return exp(p < 0.1 ? n * log1p(-p) : n * log(q));
	if (x == n)
		return exp(q < 0.1 ? n * log1p(-q) : n * log(p));
	return exp(stirling_error(n) - stirling_error(x) - stirling_error(n - x) -
		   deviance(x, n * p) - deviance(n - x, n * q)) *
	       sqrt(n / (2 * M_PI * x * (n - x)));
}

/*
 * How `count` samples fall to the new recording: all is proportional to `old` and `new`; if
 * `bounded`, no more than these can.
 */
struct split {
	double count, old, new;
	bool bounded;
};

static double probability(const struct split *s, double x)
{
	const double p = s->count / (s->old + s->new), q = 1 - p;

	if (!s->bounded)
		return binomial(x, s->count, s->new / (s->old + s->new),
				s->old / (s->old + s->new));
	/* hypergeometric, as three binomials */
	if (q <= 0)
		return x == s->new;
	return binomial(x, s->new, p, q) * binomial(s->count - x, s->old, p, q) /
	       binomial(s->count, s->old + s->new, p, q);
}

/* The probability of x + 1 as a multiple of that of x. */
static double step_up(const struct split *s, double x)
{
	if (!s->bounded)
		return (s->count - x) / (x + 1) * (s->new / s->old);
	return (s->count - x) * (s->new - x) / ((x + 1) * (s->old - s->count + x + 1));
}

static double lowest(const struct split *s)
{
	return s->bounded ? MAX(0, s->count - s->old) : 0;
}

static double highest(const struct split *s)
{
	return s->bounded ? MIN(s->count, s->new) : s->count;
}

static double deviation(const struct split *s)
{
	const double all = s->old + s->new, left = s->bounded ? (all - s->count) / all : 1;

	return sqrt(s->count * (s->new / all) * (s->old / all) * left);
}

/*
 * The distance in which probabilities from x on, away from the mean, fall to a third: the standard
 * deviation, less if x is farther from the mean than that.
 */
static double reach(const struct split *s, double x, bool up)
{
	const double fall = 1 - (up ? step_up(s, x) : 1 / step_up(s, x - 1));
	const double sd = deviation(s);

	return fall * sd > 1 ? 1 / fall : sd;
}

/* From here on, that is for millions of samples, an integral takes fewer steps than a sum, for nanoseconds far fewer. */
#define LONG_REACH 1000

/*
 * A sum of many that hardly differ from one to the next is an integral, by Simpson's rule, and half of the first (Euler and
 * Maclaurin). The end is so far away that nothing is there.
 */
static double long_tail(const struct split *s, double x, double step)
{
	double term = probability(s, x), sum = term / 2, part = 1;
	u32 i;

	/* about 400 steps; a number near 2^64 has not the digits to go on by one */
	for (i = 0; i < 1000 && part > sum * 1e-12; i++) {
		part = term + 4 * probability(s, x + step / 2);
		term = probability(s, x += step);
		part = (part + term) / 6 * fabs(step);
		sum += part;
	}
	return sum;
}

/* That of x and all that is farther from the mean, on its side. */
static double tail(const struct split *s, double x)
{
	const double end = highest(s), begin = lowest(s);
	bool up = x > s->count * (s->new / (s->old + s->new));
	double term = probability(s, x), sum = term;

	if (x > begin && x < end && reach(s, x, up) >= LONG_REACH)
		return long_tail(s, x, reach(s, x, up) / (up ? 16 : -16));
	while (up ? x < end : x > begin) {
		term *= up ? step_up(s, x) : 1 / step_up(s, x - 1);
		x += up ? 1 : -1;
		sum += term;
		/* also where both are 0, and the end is far */
		if (term <= sum * 1e-12)
			break;
	}
	return sum;
}

static double twice(double p)
{
	return MIN(1, 2 * p);
}

static double least(const struct split *s)
{
	return twice(MIN(probability(s, lowest(s)), probability(s, highest(s))));
}

static struct split shares(u64 count, u64 old_all, u64 new_all)
{
	return (struct split){(double)count, (double)old_all, (double)new_all, true};
}

static struct split rates(u64 count, double old_time, double new_time)
{
	return (struct split){(double)count, old_time, new_time, false};
}

double stack_diff_noise_shares(u64 old_count, u64 old_all, u64 new_count, u64 new_all)
{
	const struct split s = shares(old_count + new_count, old_all, new_all);

	return s.count == 0 || !old_all || !new_all ? 1 : twice(tail(&s, (double)new_count));
}

double stack_diff_noise_rates(u64 old_count, double old_time, u64 new_count, double new_time)
{
	const struct split s = rates(old_count + new_count, old_time, new_time);

	return s.count == 0 ? 1 : twice(tail(&s, (double)new_count));
}

double stack_diff_noise_least_shares(u64 count, u64 old_all, u64 new_all)
{
	const struct split s = shares(count, old_all, new_all);

	return !count || !old_all || !new_all ? 1 : least(&s);
}

double stack_diff_noise_least_rates(u64 count, double old_time, double new_time)
{
	const struct split s = rates(count, old_time, new_time);

	return count ? least(&s) : 1;
}

u32 stack_diff_noise_found(const double *p, u32 nr)
{
	u32 i;

	for (i = nr; i > 0; i--)
		if (p[i - 1] <= STACK_DIFF_NOISE_LEVEL * i / nr)
			break;
	return i;
}

double stack_diff_noise_quantile(double p)
{
	double low = 0, high = 40, mid;
	int i;

	for (i = 0; i < 60; i++) {
		mid = (low + high) / 2;
		if (erfc(mid / M_SQRT2) > p)
			low = mid;
		else
			high = mid;
	}
	return low;
}
