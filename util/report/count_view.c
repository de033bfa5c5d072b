// SPDX-License-Identifier: GPL-2.0
#include "util/report/count_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/profile/symboliser.h"

struct ordering {
	const struct count_table *table;
	enum count_order by;
};

static int compare(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

static int compare_signed(s64 a, s64 b)
{
	return a < b ? -1 : a > b;
}

static double mean_of(const struct count_sum *s)
{
	return s->with ? (double)s->sum / (double)s->with : -HUGE_VAL;
}

/* Less than 0: a comes first. */
static int by_amount(const struct ordering *o, const struct count_sum *a, const struct count_sum *b)
{
	double x, y;

	switch (o->by) {
	case COUNT_ORDER_SUM:
		if (a->sum != b->sum)
			return a->sum > b->sum ? -1 : 1;
		break;
	case COUNT_ORDER_MEAN:
		x = mean_of(a);
		y = mean_of(b);
		if (x != y)
			return x > y ? -1 : 1;
		break;
	case COUNT_ORDER_MOST:
		if (!a->with || !b->with)
			break;
		if (a->most != b->most)
			return o->table->keys->of_signed
				       ? compare_signed((s64)b->most, (s64)a->most)
				       : compare(b->most, a->most);
		break;
	default:
		break;
	}
	return compare(b->nr, a->nr);
}

static int by_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

/* Frame by frame, from the innermost on. */
static int by_stack(const struct count_table *t, u32 key, u32 a, u32 b)
{
	const struct symboliser *r = t->tree.symboliser;
	const struct stack_frame *x, *y;
	u32 nr_x, nr_y, i;
	u64 ip_x, ip_y;
	int ret = 0;

	x = count_stacks_frames(&t->stacks[key], a, &nr_x);
	y = count_stacks_frames(&t->stacks[key], b, &nr_y);
	for (i = 0; i < nr_x && i < nr_y && !ret; i++) {
		if (x[i].frame == y[i].frame)
			continue;
		if (x[i].frame == STACK_CUT || y[i].frame == STACK_CUT)
			return x[i].frame == STACK_CUT ? 1 : -1;
		ret = by_text(r->frames.v[x[i].frame].symbol, r->frames.v[y[i].frame].symbol);
		ip_x = r->frames.v[x[i].frame].addr;
		ip_y = r->frames.v[y[i].frame].addr;
		ret = ret ? ret : compare(ip_x, ip_y);
	}
	return ret ? ret : compare(nr_x, nr_y);
}

static int by_field(const struct count_table *t, u32 key, const struct count_row *a,
		    const struct count_row *b)
{
	u32 x = count_table_shape_number(a, key), y = count_table_shape_number(b, key);
	u64 v = a->words[COUNT_SHAPES + key], w = b->words[COUNT_SHAPES + key];

	if (x && y && t->keys->v[key].function)
		return report_places_compare(&t->places, KEY_FUNCTION, v, w);
	return sample_values_compare_field(&t->keys->values, v, x, w, y);
}

static int by_key(const struct count_table *t, u32 key, const struct count_row *a,
		  const struct count_row *b)
{
	enum sample_key_kind kind = t->keys->v[key].kind;
	u64 v = a->words[COUNT_SHAPES + key], w = b->words[COUNT_SHAPES + key];

	if (kind == KEY_FIELD)
		return by_field(t, key, a, b);
	if (v == w)
		return 0;
	if (sample_key_is_stack(kind))
		return by_stack(t, key, (u32)v, (u32)w);
	if (sample_key_is_of_frame(kind))
		return report_places_compare(&t->places, kind, v, w);
	return sample_values_compare(&t->keys->values, key, v, w);
}

static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct ordering *o = arg;
	u32 row_a = *(const u32 *)a, row_b = *(const u32 *)b, i;
	const struct count_row *x = count_table_row(o->table, row_a),
			       *y = count_table_row(o->table, row_b);
	int ret = by_amount(o, &x->sum, &y->sum);

	for (i = 0; i < o->table->keys->nr && !ret; i++)
		ret = by_key(o->table, i, x, y);
	return ret ? ret : compare(row_a, row_b);
}

int count_view_init(struct count_view *v, const struct count_table *t, enum count_order by, u32 top,
		    struct err *err)
{
	struct ordering ordering = {t, by};
	u32 i;

	*v = (struct count_view){.table = t};
	v->order = calloc((size_t)t->nr + 1, sizeof(*v->order));
	if (!v->order)
		return err_nomem(err);
	for (i = 0; i < t->nr; i++)
		if (count_table_row(t, i)->sum.nr)
			v->order[v->nr++] = i;
	if (v->nr > 1)
		qsort_r(v->order, v->nr, sizeof(*v->order), compare_rows, &ordering);
	v->shown = top && top < v->nr ? top : v->nr;
	v->hidden = v->nr - v->shown;
	for (i = v->shown; i < v->nr; i++)
		count_table_join(t, &v->rest, &count_view_row(v, i)->sum);
	return 0;
}

void count_view_free(struct count_view *v)
{
	free(v->order);
	v->order = NULL;
}
