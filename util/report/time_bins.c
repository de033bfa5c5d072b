// SPDX-License-Identifier: GPL-2.0
#include "util/report/time_bins.h"

#include <stdlib.h>
#include <string.h>

#include "util/base/num.h"

#define STEP_FIRST 100 /* ns */

/* Every `by` bins, from a multiple of that on, become one. */
static void widen_row(u64 *v, u32 nr, u64 first, u32 by)
{
	u64 amount, *to;
	u32 i;

	for (i = 0; i < nr; i++) {
		amount = v[i];
		v[i] = 0;
		to = &v[(first + i) / by - first / by];
		*to = num_sum(*to, amount);
	}
}

/* How many there would be. */
static u32 nr_after(const struct time_bins *b, u32 by)
{
	return (u32)((b->first + b->nr - 1) / by - b->first / by + 1);
}

/* 1, 2, 10, 20, 100, ...: which of the two comes next follows from the first digit. */
static u32 next_factor(u64 step)
{
	while (step % 10 == 0)
		step /= 10;
	return step == 1 ? 2 : 5;
}

/* False past the widest step that there is. */
static bool widen(struct time_bins *b, u32 by)
{
	u64 step;
	u32 i;

	if (__builtin_mul_overflow(b->step, (u64)by, &step))
		return false;
	for (i = 0; i < b->rows.nr; i++)
		widen_row(b->rows.v[i].amounts, b->nr, b->first, by);
	b->nr = nr_after(b, by);
	b->first /= by;
	b->step = step;
	return true;
}

static void move_right(struct time_bins *b, u32 by)
{
	u32 i;

	for (i = 0; i < b->rows.nr; i++) {
		u64 *v = b->rows.v[i].amounts;

		memmove(v + by, v, b->nr * sizeof(*v));
		memset(v, 0, by * sizeof(*v));
	}
	b->first -= by;
	b->nr += by;
}

void time_bins_cover(struct time_bins *b, u64 time)
{
	u64 bin;

	if (!b->step) {
		b->step = STEP_FIRST;
		b->first = time / b->step;
		b->nr = 1;
		return;
	}
	for (;;) {
		bin = time / b->step;
		if (bin >= b->first ? bin - b->first < TIME_BINS_MAX
				    : b->first + b->nr - bin <= TIME_BINS_MAX)
			break;
		if (!widen(b, next_factor(b->step)))
			return;
	}
	if (bin < b->first)
		move_right(b, (u32)(b->first - bin));
	else if (bin - b->first >= b->nr)
		b->nr = (u32)(bin - b->first + 1);
}

struct time_row *time_bins_row(struct time_bins *b, u32 cpu)
{
	u32 i = hmap_get(&b->by_cpu, cpu);
	struct time_row *row;
	u64 *amounts;

	if (i != ID_NONE)
		return &b->rows.v[i];
	/* a row that is found later is whole */
	amounts = calloc(TIME_BINS_MAX, sizeof(*amounts));
	row = amounts ? vec_push(&b->rows) : NULL;
	if (!row) {
		free(amounts);
		return NULL;
	}
	*row = (struct time_row){.cpu = cpu, .amounts = amounts};
	if (hmap_set(&b->by_cpu, cpu, b->rows.nr - 1))
		return row;
	free(amounts);
	b->rows.nr--;
	return NULL;
}

bool time_bins_add(struct time_bins *b, u32 cpu, u64 time, u64 amount)
{
	struct time_row *row = time_bins_row(b, cpu);
	u64 *bin;

	if (!row)
		return false;
	time_bins_cover(b, time);
	bin = &row->amounts[time / b->step - b->first];
	*bin = num_sum(*bin, amount);
	row->total = num_sum(row->total, amount);
	return true;
}

static int by_cpu(const void *a, const void *b)
{
	const struct time_row *x = a, *y = b;

	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

void time_bins_fit(struct time_bins *b, u32 max)
{
	static const u32 factors[] = {2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000};
	size_t i = 0;

	while (b->nr && i < ARRAY_SIZE(factors) && nr_after(b, i ? factors[i - 1] : 1) > max)
		i++;
	if (i)
		widen(b, factors[i - 1]);
	if (b->rows.nr)
		qsort(b->rows.v, b->rows.nr, sizeof(*b->rows.v), by_cpu);
	/* the numbers of rows have changed, and no more are looked for by CPU */
	hmap_free(&b->by_cpu);
}

void time_bins_free(struct time_bins *b)
{
	u32 i;

	for (i = 0; i < b->rows.nr; i++)
		free(b->rows.v[i].amounts);
	vec_free(&b->rows);
	hmap_free(&b->by_cpu);
}
