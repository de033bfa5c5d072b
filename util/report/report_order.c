// SPDX-License-Identifier: GPL-2.0
#include "util/report/report_order.h"

#include <stdlib.h>
#include <string.h>

#include "util/base/radix.h"
#include "util/report/report_view.h"

/* ---- values of one key ---- */

/* Are its values functions (report_places.symbols)? */
static bool is_symbol(enum sample_key_kind kind)
{
	return kind == KEY_SYMBOL || kind == KEY_IPC;
}

/* As rows show them. */
static int compare_values(const struct report_view *v, u32 key, u64 a, u64 b)
{
	enum sample_key_kind kind = v->keys->keys.v[key].kind;

	return sample_key_is_of_frame(kind)
		       ? report_places_compare(v->places, kind, a, b)
		       : sample_values_compare(v->samples->key_values, key, a, b);
}

/* Functions that are called the same: by their files and addresses, whose difference is signed, as in perf. */
static int compare_namesakes(const struct report_places *p, u64 a, u64 b)
{
	const struct report_symbol *x = &p->symbols.v[a], *y = &p->symbols.v[b];
	int ret = x->name && y->name ? report_places_compare(p, KEY_DSO, x->dso, y->dso) : 0;

	return ret ? ret : ((s64)x->start > (s64)y->start) - ((s64)x->start < (s64)y->start);
}

static int compare_fully(const struct report_view *v, const struct report_column *c, u64 a, u64 b)
{
	int ret = compare_values(v, c->key, a, b);

	return !ret && is_symbol(c->kind) ? compare_namesakes(v->places, a, b) : ret;
}

/*
 * The rows of a report by one column, as numbers: the same where they compare the same. Each value is compared with
 * others once, however many rows have it.
 */

struct report_ranks {
	u32 *ranks; /* of rows */
	u32 *ties;  /* of functions: among those that are called the same */
};

struct ranking {
	const struct report_view *view;
	const struct report_column *column;
	const u64 *values; /* different ones, rising */
};

/* A value, and a prefix that decides most comparisons without reading it. */
struct ranked {
	u64 first; /* the first bytes of a name; of a function without one, its address */
	u32 at;    /* in `values` */
	bool nameless;
};

/* What is the larger, the further behind; of keys, their values. */
static u64 number_of(const struct ranking *r, const struct report_entry *e)
{
	if (r->column->key != ID_NONE)
		return report_view_value(r->view, e, r->column->key);
	return UINT64_MAX - report_view_number(r->view, e, r->column->kind);
}

/* Of two names that begin differently, the one that comes first has the smaller number. */
static u64 first_bytes(const char *name)
{
	u64 v = 0;
	u32 i;

	for (i = 0; i < sizeof(v); i++) {
		v = v << 8 | (u8)*name;
		name += *name != 0;
	}
	return v;
}

static struct ranked describe(const struct ranking *r, u32 at)
{
	const struct report_symbol *s;
	struct ranked d = {.at = at};

	if (!is_symbol(r->column->kind))
		return d;
	s = &r->view->places->symbols.v[r->values[at]];
	d.nameless = !s->name;
	/* addresses are compared as signed numbers */
	d.first = s->name ? first_bytes(s->name) : s->start ^ 1ull << 63;
	return d;
}

static int compare_ranked(const void *a, const void *b, void *ranking)
{
	const struct ranked *x = a, *y = b;
	const struct ranking *r = ranking;

	if (x->nameless != y->nameless)
		return x->nameless - y->nameless;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return compare_fully(r->view, r->column, r->values[x->at], r->values[y->at]);
}

/* Do they look the same? */
static bool look_same(const struct ranking *r, const struct ranked *x, const struct ranked *y)
{
	if (x->nameless || y->nameless)
		return x->nameless == y->nameless;
	return x->first == y->first &&
	       !compare_values(r->view, r->column->key, r->values[x->at], r->values[y->at]);
}

/* The ranks of the different values. False: memory is out. */
static bool rank_values(struct ranking *r, u32 nr, u32 *ranks, u32 *ties)
{
	struct ranked *v = malloc((nr + 1ul) * sizeof(*v));
	u32 i, rank = 0, tie = 0;

	if (!v)
		return false;
	for (i = 0; i < nr; i++)
		v[i] = describe(r, i);
	qsort_r(v, nr, sizeof(*v), compare_ranked, r);
	for (i = 0; i < nr; i++) {
		if (i) {
			rank += !look_same(r, &v[i - 1], &v[i]);
			tie += compare_ranked(&v[i - 1], &v[i], r) != 0;
		}
		ranks[v[i].at] = rank;
		ties[v[i].at] = tie;
	}
	free(v);
	return true;
}

/* Memory for as many as there are rows. */
struct scratch {
	u64 *numbers;
	u64 *spare; /* twice as many */
	u32 *order;
	u32 *ranks, *ties; /* of different values */
};

/* Find the distinct values, in rising order; which[] gets the one of each row. Returns how many. */
static u32 find_different(struct ranking *r, struct scratch *s, u32 *which)
{
	const struct report_entries *rows = r->view->entries;
	u32 i, nr = 0;

	for (i = 0; i < rows->v.nr; i++)
		s->numbers[i] = number_of(r, &rows->v.v[i]);
	radix_order(s->numbers, s->spare, rows->v.nr, s->order);
	for (i = 0; i < rows->v.nr; i++) {
		u64 number = s->numbers[s->order[i]];

		if (!nr || s->spare[nr - 1] != number)
			s->spare[nr++] = number;
		which[s->order[i]] = nr - 1;
	}
	r->values = s->spare;
	return nr;
}

static bool rank_rows(struct report_ranks *to, struct ranking *r, struct scratch *s)
{
	u32 i, nr = find_different(r, s, to->ranks);

	if (r->column->key == ID_NONE) {
		memcpy(to->ties, to->ranks, r->view->entries->v.nr * sizeof(*to->ties));
		return true;
	}
	if (!rank_values(r, nr, s->ranks, s->ties))
		return false;
	for (i = 0; i < r->view->entries->v.nr; i++) {
		to->ties[i] = s->ties[to->ranks[i]];
		to->ranks[i] = s->ranks[to->ranks[i]];
	}
	return true;
}

static void report_ranks_free(struct report_ranks *r)
{
	free(r->ranks);
	free(r->ties);
	*r = (struct report_ranks){0};
}

/* The caller frees; false when memory is out, and there is nothing to free. */
static bool report_ranks_make(struct report_ranks *to, const struct report_view *v,
			      const struct report_column *column)
{
	struct ranking r = {.view = v, .column = column};
	size_t nr = v->entries->v.nr + 1ul;
	struct scratch s = {.numbers = malloc(nr * sizeof(u64)),
			    .spare = malloc(nr * 2 * sizeof(u64)),
			    .order = malloc(nr * sizeof(u32)),
			    .ranks = malloc(nr * sizeof(u32)),
			    .ties = malloc(nr * sizeof(u32))};
	bool ok;

	to->ranks = malloc(nr * sizeof(*to->ranks));
	to->ties = malloc(nr * sizeof(*to->ties));
	ok = s.numbers && s.spare && s.order && s.ranks && s.ties && to->ranks && to->ties &&
	     rank_rows(to, &r, &s);
	free(s.numbers);
	free(s.spare);
	free(s.order);
	free(s.ranks);
	free(s.ties);
	if (!ok)
		report_ranks_free(to);
	return ok;
}

static int compare_u64(u64 a, u64 b)
{
	return a < b ? -1 : a > b ? 1 : 0;
}

int report_order_compare_key(const struct report_view *v, const struct report_entry *x,
			     const struct report_entry *y, const struct report_column *c)
{
	return compare_fully(v, c, report_view_value(v, x, c->key),
			     report_view_value(v, y, c->key));
}

static int compare_members(const struct report_view *v, const struct report_entry *x,
			   const struct report_entry *y, enum sample_key_kind kind)
{
	const struct report_numbers *a = report_group_row(v->group, x);
	const struct report_numbers *b = report_group_row(v->group, y);
	u32 first = v->sort_member < v->group->nr ? v->sort_member : 0, i;
	int ret = compare_u64(report_view_member(v, &b[first], kind),
			      report_view_member(v, &a[first], kind));

	for (i = 1; i < v->group->nr && !ret; i++)
		ret = compare_u64(report_view_member(v, &b[i], kind),
				  report_view_member(v, &a[i], kind));
	return ret;
}

static int compare_numbers(const struct report_view *v, const struct report_entry *x,
			   const struct report_entry *y, enum sample_key_kind kind)
{
	if (v->group && kind != KEY_CHILDREN)
		return compare_members(v, x, y, kind);
	return compare_u64(report_view_number(v, y, kind), report_view_number(v, x, kind));
}

struct order_column {
	const struct report_column *column;
	struct report_ranks by; /* of numbers of a group: none */
};

struct order {
	const struct report_view *view;
	struct order_column *columns;
	u32 nr;
	u32 *rows; /* in their order */
};

static u64 place_of(const struct report_entry *e)
{
	return (u64)e->root << 32 | e->place;
}

static int compare_rows(const void *a, const void *b, void *order)
{
	const struct order *o = order;
	const u32 i = *(const u32 *)a, j = *(const u32 *)b;
	const struct report_entry *rows = o->view->entries->v.v;
	const struct order_column *c, *end = o->columns + o->nr;
	int ret = 0;

	for (c = o->columns; c < end && !ret; c++)
		ret = c->by.ranks ? compare_u64(c->by.ranks[i], c->by.ranks[j])
				  : compare_numbers(o->view, &rows[i], &rows[j], c->column->kind);
	for (c = o->columns; c < end && !ret; c++)
		if (is_symbol(c->column->kind))
			ret = compare_u64(c->by.ties[i], c->by.ties[j]);
	return ret ? ret : compare_u64(place_of(&rows[i]), place_of(&rows[j]));
}

/* Sort by one number of each row; what has the same stays in order. */
static void sort_by(struct order *o, const u32 *number, u64 *keys)
{
	u32 i, nr = o->view->entries->v.nr, all = 1;

	for (i = 0; i < nr; i++) {
		keys[i] = (u64)number[o->rows[i]] << 32 | o->rows[i];
		all |= number[o->rows[i]];
	}
	keys = radix_sort(keys, keys + nr, nr, 32, 64 - (unsigned int)__builtin_clz(all));
	for (i = 0; i < nr; i++)
		o->rows[i] = (u32)keys[i];
}

/* By root and place. */
static void sort_by_places(struct order *o, u64 *keys)
{
	const struct report_entries *rows = o->view->entries;
	u32 *number = (u32 *)(keys + rows->v.nr * 2ul), i;

	for (i = 0; i < rows->v.nr; i++)
		number[i] = rows->v.v[i].place;
	sort_by(o, number, keys);
	for (i = 0; i < rows->v.nr; i++)
		number[i] = rows->v.v[i].root;
	sort_by(o, number, keys);
}

/* What decides last first. */
static void sort_by_ranks(struct order *o, u64 *keys)
{
	u32 i;

	sort_by_places(o, keys);
	for (i = o->nr; i-- > 0;)
		if (is_symbol(o->columns[i].column->kind))
			sort_by(o, o->columns[i].by.ties, keys);
	for (i = o->nr; i-- > 0;)
		sort_by(o, o->columns[i].by.ranks, keys);
}

/* Do two rows differ in a column up to `last`? */
static bool differ(const struct order *o, u32 i, u32 j, u32 last)
{
	const struct report_entry *rows = o->view->entries->v.v;
	const struct order_column *c;
	bool ret = false;

	for (c = o->columns; c <= o->columns + last && !ret; c++)
		ret = c->by.ranks ? c->by.ranks[i] != c->by.ranks[j]
				  : compare_numbers(o->view, &rows[i], &rows[j], c->column->kind);
	return ret;
}

/* A row among those that weigh the same with what they called. */
struct caller {
	u32 run; /* which of those */
	u32 thread;
	s32 rank;
	u32 place; /* by all else */
	u32 row;
};

static int compare_callers(const void *a, const void *b)
{
	const struct caller *x = a, *y = b;

	if (x->run != y->run)
		return x->run < y->run ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/*
 * The rows of a thread in the order of their ranks, each as near as that allows to its place by all else: behind the
 * last place of those before it. To compare two rows at a time, by rank if of one thread and else by place, would lead
 * in a circle.
 */
static bool callers_first(struct order *o, u32 column, u64 *keys)
{
	u32 i, nr = o->view->entries->v.nr;
	u32 *number = (u32 *)(keys + nr * 2ul), last = 0;
	struct caller *v = malloc(nr * sizeof(*v));

	if (!v)
		return false;
	for (i = 0; i < nr; i++) {
		const struct report_entry *e = &o->view->entries->v.v[o->rows[i]];
		bool same = i && !differ(o, o->rows[i - 1], o->rows[i], column);

		v[i] = (struct caller){.run = same ? v[i - 1].run : i,
				       .thread = e->thread,
				       .rank = e->rank,
				       .place = i,
				       .row = o->rows[i]};
	}
	qsort(v, nr, sizeof(*v), compare_callers);
	for (i = 0; i < nr; i++) {
		bool same = i && v[i - 1].run == v[i].run && v[i - 1].thread == v[i].thread;

		last = same ? MAX(last, v[i].place) : v[i].place;
		number[v[i].row] = last;
		o->rows[i] = v[i].row;
	}
	sort_by(o, number, keys);
	free(v);
	return true;
}

/* False when memory is out. */
static bool order_rows(struct order *o, u64 *keys)
{
	u32 i, nr = o->view->entries->v.nr, ranked = 0;

	for (i = 0; i < nr; i++)
		o->rows[i] = i;
	while (ranked < o->nr && o->columns[ranked].by.ranks)
		ranked++;
	/* numbers of a group are many */
	if (ranked == o->nr)
		sort_by_ranks(o, keys);
	else
		qsort_r(o->rows, nr, sizeof(*o->rows), compare_rows, o);
	for (i = 0; i < o->nr; i++)
		if (o->columns[i].column->kind == KEY_CHILDREN)
			return callers_first(o, i, keys);
	return true;
}

/* False when memory is out; nothing has moved then. */
static bool sort_rows(struct order *o)
{
	struct report_entries *rows = o->view->entries;
	struct report_entry *sorted = malloc(rows->v.nr * sizeof(*sorted));
	u64 *keys = malloc(rows->v.nr * 3ul * sizeof(*keys));
	bool ok;
	u32 i;

	o->rows = malloc(rows->v.nr * sizeof(*o->rows));
	ok = sorted && keys && o->rows && order_rows(o, keys);
	if (ok) {
		for (i = 0; i < rows->v.nr; i++)
			sorted[i] = rows->v.v[o->rows[i]];
		memcpy(rows->v.v, sorted, rows->v.nr * sizeof(*sorted));
	}
	free(sorted);
	free(keys);
	return ok;
}

bool report_order_sort(struct report_view *v)
{
	const struct report_columns *by = &v->keys->order;
	struct order o = {.view = v, .nr = by->nr};
	bool ok = true;
	u32 i;

	if (v->entries->v.nr < 2)
		return true;
	o.columns = calloc((size_t)by->nr + 1, sizeof(*o.columns));
	if (!o.columns)
		return false;
	for (i = 0; i < by->nr && ok; i++) {
		o.columns[i].column = &by->v[i];
		if (by->v[i].key != ID_NONE || !v->group)
			ok = report_ranks_make(&o.columns[i].by, v, &by->v[i]);
	}
	ok = ok && sort_rows(&o);
	for (i = 0; i < by->nr; i++)
		report_ranks_free(&o.columns[i].by);
	free(o.columns);
	free(o.rows);
	return ok;
}
