// SPDX-License-Identifier: GPL-2.0
#include "util/report/report_order.h"

#include <stdlib.h>
#include <string.h>

#include "util/base/num.h"
#include "util/base/radix.h"
#include "util/report/report_costs.h"

static int compare_u64(u64 a, u64 b)
{
	return a < b ? -1 : a > b ? 1 : 0;
}

/* What is not there comes last. */
static int compare_names(const char *a, const char *b)
{
	if (!a || !b)
		return !a - !b;
	return strcmp(a, b);
}

static int compare_comms(const struct report_view *v, u64 a, u64 b)
{
	struct buf x = {0}, y = {0};
	int ret;

	report_view_put_comm(v, a, &x);
	report_view_put_comm(v, b, &y);
	ret = strcmp(buf_str(&x), buf_str(&y));
	buf_free(&x);
	buf_free(&y);
	return ret;
}

/* Numbers as numbers, which come before all else. */
static int compare_texts(const char *a, const char *b)
{
	s64 x, y;
	bool is_x = num_s64(a, &x), is_y = num_s64(b, &y);

	if (is_x && is_y)
		return x < y ? -1 : x > y ? 1 : 0;
	return is_x == is_y ? strcmp(a, b) : is_x ? -1 : 1;
}

/* "9/0xf0000001": device and inode, falling. */
static int compare_namespaces(const char *a, const char *b)
{
	char *left, *right;
	u64 x = strtoull(a, &left, 10), y = strtoull(b, &right, 10);

	if (x != y || !*left || !*right)
		return compare_u64(y, x);
	return compare_u64(strtoull(right + 1, NULL, 16), strtoull(left + 1, NULL, 16));
}

static const char *dso_name(const struct report_places *p, u64 dso)
{
	return (u32)dso == ID_NONE ? NULL : strtab_get(&p->dsos, (u32)dso);
}

static int compare_values(const struct report_view *v, enum report_kind kind, u64 a, u64 b)
{
	const struct report_places *p = v->places;

	if (a == b)
		return 0;
	switch (kind) {
	case REPORT_COMM:
		return compare_comms(v, a, b);
	case REPORT_PID:
	case REPORT_TGID:
	case REPORT_CPU:
	case REPORT_TIME:
		return compare_u64(a, b);
	case REPORT_SYMBOL_SIZE:
	case REPORT_DSO_SIZE:
		return compare_u64(a, b);
	case REPORT_CGROUP_ID:
		return compare_namespaces(v->texts->text(v->texts, (u32)a),
					  v->texts->text(v->texts, (u32)b));
	case REPORT_DSO:
		return compare_names(dso_name(p, a), dso_name(p, b));
	case REPORT_SYMBOL:
	case REPORT_IPC:
		return compare_names(p->symbols.v[a].name, p->symbols.v[b].name);
	case REPORT_SRCLINE:
	case REPORT_SRCFILE:
		return strcmp(strtab_get(&p->lines, (u32)a), strtab_get(&p->lines, (u32)b));
	default:
		if (report_costs_knows(kind))
			return compare_u64(b, a);
		return compare_texts(v->texts->text(v->texts, (u32)a),
				     v->texts->text(v->texts, (u32)b));
	}
}

static bool is_symbol(enum report_kind kind)
{
	return kind == REPORT_SYMBOL || kind == REPORT_IPC;
}

/* Functions that are called the same. */
static int compare_symbols(const struct report_places *p, u64 a, u64 b)
{
	const struct report_symbol *x = &p->symbols.v[a], *y = &p->symbols.v[b];
	int ret = x->name && y->name ? compare_names(dso_name(p, x->dso), dso_name(p, y->dso)) : 0;

	/* as perf, which takes differences of addresses for signed numbers */
	return ret ? ret : ((s64)x->start > (s64)y->start) - ((s64)x->start < (s64)y->start);
}

/* Values of one key, those of functions further by their addresses. */
static int compare_fully(const struct report_view *v, enum report_kind kind, u64 a, u64 b)
{
	int ret = compare_values(v, kind, a, b);

	return !ret && is_symbol(kind) ? compare_symbols(v->places, a, b) : ret;
}

int report_order_compare_key(const struct report_view *v, const struct report_entry *x,
			     const struct report_entry *y, const struct report_column *c)
{
	return compare_fully(v, c->kind, report_view_value(v, x, c->key),
			     report_view_value(v, y, c->key));
}

static int compare_members(const struct report_view *v, const struct report_entry *x,
			   const struct report_entry *y, enum report_kind kind)
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
			   const struct report_entry *y, enum report_kind kind)
{
	int ret;

	if (v->group && kind != REPORT_CHILDREN)
		return compare_members(v, x, y, kind);
	ret = compare_u64(report_view_number(v, y, kind), report_view_number(v, x, kind));

	if (!ret && kind == REPORT_CHILDREN && x->thread == y->thread && x->rank != y->rank)
		ret = x->rank < y->rank ? -1 : 1;
	return ret;
}

/* By one column, rows have a rank: the same where they compare the same. */
struct order_column {
	const struct report_view *view;
	const struct report_column *column;
	const u64 *different; /* values, rising */
	u32 *ranks; /* of rows; NULL: numbers of theirs that only two rows together tell */
	u32 *ties;  /* of functions: among those that are called the same */
};

struct order {
	const struct report_view *view;
	struct order_column *columns;
	u32 nr;
	u32 *rows; /* in their order */
};

/* What is the larger, the further behind; of keys, their values. */
static u64 number_of(const struct order_column *c, const struct report_entry *e)
{
	if (c->column->key != ID_NONE)
		return report_view_value(c->view, e, c->column->key);
	return UINT64_MAX - report_view_number(c->view, e, c->column->kind);
}

static int compare_ranked(const void *a, const void *b, void *column)
{
	const struct order_column *c = column;

	return compare_fully(c->view, c->column->kind, c->different[*(const u32 *)a],
			     c->different[*(const u32 *)b]);
}

/* Leave each value once; returns how many there are. */
static u32 leave_different(u64 *sorted, u32 nr)
{
	u32 i, to = 0;

	for (i = 0; i < nr; i++)
		if (!i || sorted[i] != sorted[to - 1])
			sorted[to++] = sorted[i];
	return to;
}

static u32 index_of(const u64 *sorted, u32 nr, u64 value)
{
	u32 first = 0, half;

	for (; nr > 1; nr -= half) {
		half = nr / 2;
		first += sorted[first + half] <= value ? half : 0;
	}
	return first;
}

/* The ranks of the different values: names are compared here, each with few others. */
static void rank_values(struct order_column *c, u32 nr, u32 *order, u32 *ranks, u32 *ties)
{
	u32 i, rank = 0, tie = 0;

	for (i = 0; i < nr; i++)
		order[i] = i;
	if (c->column->key != ID_NONE)
		qsort_r(order, nr, sizeof(*order), compare_ranked, c);
	for (i = 0; i < nr; i++) {
		if (i && c->column->key != ID_NONE) {
			rank += compare_values(c->view, c->column->kind, c->different[order[i - 1]],
					       c->different[order[i]]) != 0;
			tie += compare_ranked(&order[i - 1], &order[i], c) != 0;
		} else if (i) {
			rank++;
		}
		ranks[order[i]] = rank;
		ties[order[i]] = tie;
	}
}

static void rank_rows(struct order_column *c, u64 *sorted, u32 *scratch)
{
	const struct report_entries *rows = c->view->entries;
	u32 *ranks = scratch + rows->v.nr, *ties = ranks + rows->v.nr;
	u32 i, nr, at;
	u64 all = 1;

	for (i = 0; i < rows->v.nr; i++) {
		sorted[i] = number_of(c, &rows->v.v[i]);
		all |= sorted[i];
	}
	sorted = radix_sort(sorted, sorted + rows->v.nr, rows->v.nr, 0,
			    64 - (unsigned int)__builtin_clzll(all));
	nr = leave_different(sorted, rows->v.nr);
	c->different = sorted;
	rank_values(c, nr, scratch, ranks, ties);
	for (i = 0; i < rows->v.nr; i++) {
		at = index_of(sorted, nr, number_of(c, &rows->v.v[i]));
		c->ranks[i] = ranks[at];
		c->ties[i] = ties[at];
	}
}

/* False when memory is out. */
static bool rank_column(struct order_column *c)
{
	size_t nr = c->view->entries->v.nr;
	u64 *sorted = malloc(nr * 2 * sizeof(*sorted));
	u32 *scratch = malloc(nr * 3 * sizeof(*scratch));

	c->ranks = malloc(nr * sizeof(*c->ranks));
	c->ties = malloc(nr * sizeof(*c->ties));
	if (sorted && scratch && c->ranks && c->ties)
		rank_rows(c, sorted, scratch);
	free(sorted);
	free(scratch);
	return sorted && scratch && c->ranks && c->ties;
}

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
		ret = c->ranks ? compare_u64(c->ranks[i], c->ranks[j])
			       : compare_numbers(o->view, &rows[i], &rows[j], c->column->kind);
	for (c = o->columns; c < end && !ret; c++)
		if (is_symbol(c->column->kind))
			ret = compare_u64(c->ties[i], c->ties[j]);
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

static int compare_places(const void *a, const void *b, void *order)
{
	const struct report_entry *rows = ((struct order *)order)->view->entries->v.v;

	return compare_u64(place_of(&rows[*(const u32 *)a]), place_of(&rows[*(const u32 *)b]));
}

/* By what decides last first. */
static void sort_by_ranks(struct order *o, u64 *keys)
{
	u32 i;

	qsort_r(o->rows, o->view->entries->v.nr, sizeof(*o->rows), compare_places, o);
	for (i = o->nr; i-- > 0;)
		if (is_symbol(o->columns[i].column->kind))
			sort_by(o, o->columns[i].ties, keys);
	for (i = o->nr; i-- > 0;)
		sort_by(o, o->columns[i].ranks, keys);
}

/* False when memory is out; nothing has moved then. */
static bool sort_rows(struct order *o, bool by_ranks)
{
	struct report_entries *rows = o->view->entries;
	struct report_entry *sorted = malloc(rows->v.nr * sizeof(*sorted));
	u64 *keys = malloc(rows->v.nr * 2ul * sizeof(*keys));
	bool ok;
	u32 i;

	o->rows = malloc(rows->v.nr * sizeof(*o->rows));
	ok = sorted && keys && o->rows;
	if (ok) {
		for (i = 0; i < rows->v.nr; i++)
			o->rows[i] = i;
		if (by_ranks)
			sort_by_ranks(o, keys);
		else
			qsort_r(o->rows, rows->v.nr, sizeof(*o->rows), compare_rows, o);
		for (i = 0; i < rows->v.nr; i++)
			sorted[i] = rows->v.v[o->rows[i]];
		memcpy(rows->v.v, sorted, rows->v.nr * sizeof(*sorted));
	}
	free(sorted);
	free(keys);
	return ok;
}

/* Numbers of a group are many, and with their callees rows of one thread have ranks of their own. */
static bool is_ranked(const struct report_view *v, const struct report_column *c)
{
	return c->key != ID_NONE || (!v->group && c->kind != REPORT_CHILDREN);
}

bool report_order_sort(struct report_view *v)
{
	const struct report_columns *by = &v->keys->order;
	struct order o = {.view = v, .nr = by->nr};
	bool ok = true, by_ranks = true;
	u32 i;

	if (v->entries->v.nr < 2)
		return true;
	o.columns = calloc((size_t)by->nr + 1, sizeof(*o.columns));
	if (!o.columns)
		return false;
	for (i = 0; i < by->nr && ok; i++) {
		o.columns[i].view = v;
		o.columns[i].column = &by->v[i];
		if (is_ranked(v, &by->v[i]))
			ok = rank_column(&o.columns[i]);
		else
			by_ranks = false;
	}
	ok = ok && sort_rows(&o, by_ranks);
	for (i = 0; i < by->nr; i++) {
		free(o.columns[i].ranks);
		free(o.columns[i].ties);
	}
	free(o.columns);
	free(o.rows);
	return ok;
}
