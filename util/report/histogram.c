// SPDX-License-Identifier: GPL-2.0
#include "util/report/histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_WANTED 20

typedef __int128 wide;

/* Numbers of buckets have a sign, whatever the values have. */
static bool has_sign(const struct count_values *v)
{
	return v->is_signed || v->scale != COUNT_EXACT;
}

static int by_unsigned(const void *a, const void *b)
{
	const struct count_point *x = a, *y = b;

	return x->value < y->value ? -1 : x->value > y->value;
}

static int by_signed(const void *a, const void *b)
{
	const struct count_point *x = a, *y = b;

	return (s64)x->value < (s64)y->value ? -1 : (s64)x->value > (s64)y->value;
}

static u32 row_of(const struct histogram *s, const struct count_value *v)
{
	return v->row < s->nr_rows ? v->row : s->nr_rows;
}

static void sort(const struct histogram *s, struct count_point *p, u32 nr)
{
	if (nr > 1)
		qsort(p, nr, sizeof(*p), has_sign(s->values) ? by_signed : by_unsigned);
}

/* The points of each row, by value. */
static void fill_rows(struct histogram *s)
{
	const struct count_values *v = s->values;
	u32 i, at = 0, nr, row;

	for (i = 0; v->slots && i <= v->mask; i++)
		if (v->slots[i].nr)
			s->first[row_of(s, &v->slots[i])]++;
	for (row = 0; row <= s->nr_rows; row++) {
		nr = s->first[row];
		s->first[row] = at;
		at += nr;
	}
	for (i = 0; v->slots && i <= v->mask; i++)
		if (v->slots[i].nr)
			s->points[s->first[row_of(s, &v->slots[i])]++] =
				(struct count_point){v->slots[i].value, v->slots[i].nr};
	/* each first is now that of the next row */
	memmove(s->first + 1, s->first, ((size_t)s->nr_rows + 1) * sizeof(*s->first));
	s->first[0] = 0;
	for (row = 0; row <= s->nr_rows; row++)
		sort(s, s->points + s->first[row], s->first[row + 1] - s->first[row]);
}

/* The points of all rows together, behind these. */
static void fill_all(struct histogram *s)
{
	struct count_point *all = s->points + s->values->nr;
	u32 i, nr = s->values->nr, to = 0;

	memcpy(all, s->points, nr * sizeof(*all));
	sort(s, all, nr);
	for (i = 0; i < nr; i++) {
		if (to && all[to - 1].value == all[i].value)
			all[to - 1].nr += all[i].nr;
		else
			all[to++] = all[i];
	}
	s->nr_all = to;
}

int histogram_init(struct histogram *s, const struct count_values *v, u32 nr_rows, struct err *err)
{
	*s = (struct histogram){.values = v, .nr_rows = nr_rows};
	s->points = calloc((size_t)v->nr * 2 + 1, sizeof(*s->points));
	s->first = calloc((size_t)nr_rows + 2, sizeof(*s->first));
	if (!s->points || !s->first) {
		histogram_free(s);
		return err_nomem(err);
	}
	fill_rows(s);
	fill_all(s);
	return 0;
}

void histogram_free(struct histogram *s)
{
	free(s->points);
	free(s->first);
	*s = (struct histogram){0};
}

struct count_series histogram_of(const struct histogram *s, u32 row)
{
	struct count_series series = {.v = s->points + s->values->nr, .nr = s->nr_all};
	u32 i;

	if (row != COUNT_ROW_ALL) {
		row = MIN(row, s->nr_rows);
		series.v = s->points + s->first[row];
		series.nr = s->first[row + 1] - s->first[row];
	}
	for (i = 0; i < series.nr; i++)
		series.total += series.v[i].nr;
	return series;
}

u64 histogram_quantile(const struct count_series *s, double p)
{
	double rank = p * (double)s->total;
	u64 before = 0;
	u32 i;

	/* a share like 0.07 is a little more in binary than it says */
	rank = ceil(rank - rank * 1e-15);
	for (i = 0; i < s->nr; i++) {
		before += s->v[i].nr;
		if ((double)before >= rank)
			return s->v[i].value;
	}
	return s->nr ? s->v[s->nr - 1].value : 0;
}

/* The ends of a power of two's bucket. */
static struct count_bucket log2_bucket(s64 number)
{
	u32 k = (u32)(number < 0 ? -number : number);
	u64 low = k ? 1ull << (k - 1) : 0, high = k ? low + (low - 1) : 0;

	if (number >= 0)
		return (struct count_bucket){low, high, 0};
	/* the least number has no counterpart above 0 */
	return (struct count_bucket){k == 64 ? -low : -high, -low, 0};
}

/* All that is below the first step, and from the last one's end on. */
static struct count_bucket step_bucket(const struct count_values *v, s64 number)
{
	u64 from = v->from + (u64)number * v->step;

	if (number < 0)
		return (struct count_bucket){v->is_signed ? (u64)INT64_MIN : 0, v->from - 1, 0};
	if ((wide)(v->to - v->from) <= (wide)number * (wide)v->step)
		return (struct count_bucket){v->to, v->is_signed ? (u64)INT64_MAX : UINT64_MAX, 0};
	return (struct count_bucket){from, v->to - from <= v->step ? v->to - 1 : from + v->step - 1,
				     0};
}

static struct count_bucket *push(struct count_buckets *b, struct count_bucket bucket)
{
	struct count_bucket *to = vec_push(b);

	if (to)
		*to = bucket;
	return to;
}

/* Of values that are numbers of buckets. */
static int numbered(const struct count_values *v, const struct count_series *s,
		    struct count_buckets *b, struct err *err)
{
	s64 number = s->nr ? (s64)s->v[0].value : 0, last;
	struct count_bucket *to;
	u32 i;

	for (i = 0; i < s->nr; number++) {
		to = push(b,
			  v->scale == COUNT_BY_LOG2 ? log2_bucket(number) : step_bucket(v, number));
		if (!to)
			return err_nomem(err);
		if ((s64)s->v[i].value == number)
			to->nr = s->v[i++].nr;
	}
	if (v->scale == COUNT_BY_STEP && b->nr) {
		last = (s64)((v->to - v->from + v->step - 1) / v->step);
		b->below = (s64)s->v[0].value < 0;
		b->above = number > last;
	}
	return 0;
}

static wide widened(const struct count_values *v, u64 value)
{
	return v->is_signed ? (wide)(s64)value : (wide)value;
}

static wide floor_to(wide value, wide step)
{
	wide rest = value % step;

	return value - (rest < 0 ? rest + step : rest);
}

/* 1, 2, 5, 10, ...: the first with which there are not too many steps. */
static wide choose_step(wide least, wide most)
{
	wide ten;
	u32 i;

	for (ten = 1;; ten *= 10)
		for (i = 1; i <= 5; i += i == 1 ? 1 : 3)
			if ((floor_to(most, ten * i) - floor_to(least, ten * i)) / (ten * i) <
			    STEPS_WANTED)
				return ten * i;
}

static int stepped(const struct count_values *v, const struct count_series *s,
		   struct count_buckets *b, struct err *err)
{
	wide least, most, step, from, value, low, high;
	struct count_bucket *to = NULL;
	u32 i;

	if (!s->nr)
		return 0;
	least = widened(v, s->v[0].value);
	most = widened(v, s->v[s->nr - 1].value);
	step = choose_step(least, most);
	low = v->is_signed ? INT64_MIN : 0;
	high = v->is_signed ? (wide)INT64_MAX : (wide)UINT64_MAX;
	for (from = floor_to(least, step), i = 0; i < s->nr; from += step) {
		to = push(b, (struct count_bucket){(u64)MAX(from, low),
						   (u64)MIN(from + step - 1, high), 0});
		if (!to)
			return err_nomem(err);
		for (; i < s->nr; i++) {
			value = widened(v, s->v[i].value);
			if (value >= from + step)
				break;
			to->nr += s->v[i].nr;
		}
	}
	return 0;
}

int histogram_buckets(const struct histogram *spread, const struct count_series *s,
		      struct count_buckets *b, struct err *err)
{
	*b = (struct count_buckets){0};
	return spread->values->scale == COUNT_EXACT ? stepped(spread->values, s, b, err)
						    : numbered(spread->values, s, b, err);
}

void histogram_free_buckets(struct count_buckets *b)
{
	vec_free(b);
}
