// SPDX-License-Identifier: GPL-2.0
#include "util/report/count_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static int by_comm(const struct count_table *t, u64 a, u64 b)
{
	const struct strtab *comms = &t->keys->session->model.comms;

	if ((a | b) & COUNT_COMM_UNKNOWN)
		return compare(a, b);
	return by_text(strtab_get(comms, (u32)a), strtab_get(comms, (u32)b));
}

static int by_file(const struct count_table *t, u32 a, u32 b)
{
	return by_text(a == ID_NONE ? NULL : strtab_get(&t->places.dsos, a),
		       b == ID_NONE ? NULL : strtab_get(&t->places.dsos, b));
}

static int by_function(const struct count_table *t, u64 a, u64 b)
{
	const struct report_symbol *x, *y;
	int ret;

	if ((a ^ b) & COUNT_SYM_UNKNOWN)
		return a & COUNT_SYM_UNKNOWN ? 1 : -1;
	if (a & COUNT_SYM_UNKNOWN)
		return by_file(t, (u32)a, (u32)b);
	x = &t->places.symbols.v[a];
	y = &t->places.symbols.v[b];
	ret = by_text(x->name, y->name);
	if (!ret)
		ret = by_file(t, x->dso, y->dso);
	return ret ? ret : compare(x->start, y->start);
}

/* Frame by frame, from the innermost on. */
static int by_stack(const struct count_table *t, u32 key, u32 a, u32 b)
{
	const struct symboliser *r = t->tree.symboliser;
	const struct count_frame *x, *y;
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

static int by_bytes(const struct count_table *t, u32 a, u32 b)
{
	const struct strtab_entry *x = &t->texts.entries[a], *y = &t->texts.entries[b];
	int ret = memcmp(x->s, y->s, MIN(x->len, y->len));

	return ret ? ret : compare(x->len, y->len);
}

static int by_field(const struct count_table *t, u32 key, const struct count_row *a,
		    const struct count_row *b)
{
	const struct count_shape *x = count_table_shape(t, a, key),
				 *y = count_table_shape(t, b, key);
	u64 v = a->words[1 + key], w = b->words[1 + key];

	/* what has no such field comes last */
	if (x != y)
		return !x || !y ? (!x) - (!y) : compare((uintptr_t)x, (uintptr_t)y);
	if (!x || v == w)
		return 0;
	if (t->keys->v[key].function)
		return by_function(t, v, w);
	if (x->take.kind == COUNT_FIELD_BYTES)
		return by_bytes(t, (u32)v, (u32)w);
	return x->take.is_signed ? compare_signed((s64)v, (s64)w) : compare(v, w);
}

static int by_key(const struct count_table *t, u32 key, const struct count_row *a,
		  const struct count_row *b)
{
	u64 v = a->words[1 + key], w = b->words[1 + key];

	switch (t->keys->v[key].kind) {
	case COUNT_FIELD:
		return by_field(t, key, a, b);
	case COUNT_COMM:
		return by_comm(t, v, w);
	case COUNT_SYM:
		return by_function(t, v, w);
	case COUNT_DSO:
		return by_file(t, (u32)v, (u32)w);
	case COUNT_KSTACK:
	case COUNT_USTACK:
	case COUNT_STACK:
		return v == w ? 0 : by_stack(t, key, (u32)v, (u32)w);
	default:
		return compare(v, w);
	}
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
		v->order[i] = i;
	if (t->nr > 1)
		qsort_r(v->order, t->nr, sizeof(*v->order), compare_rows, &ordering);
	v->shown = top && top < t->nr ? top : t->nr;
	v->hidden = t->nr - v->shown;
	for (i = v->shown; i < t->nr; i++)
		count_table_join(t, &v->rest, &count_view_row(v, i)->sum);
	return 0;
}

void count_view_free(struct count_view *v)
{
	free(v->order);
	v->order = NULL;
}
