// SPDX-License-Identifier: GPL-2.0
#include "util/report/report_tree.h"

#include <stdlib.h>

#include "util/base/num.h"
#include "util/report/report_order.h"

static const struct report_entry *entry_at(const struct report_tree *t, u32 i)
{
	return &t->view->entries->v.v[t->order[i]];
}

static u64 value_at(const struct report_tree *t, u32 i, u32 level)
{
	return report_view_value(t->view, entry_at(t, i), t->levels.v[level]->key);
}

/* Compare raw key values: rows with a common prefix come together. */
static int compare_values(const void *a, const void *b, void *tree)
{
	const struct report_tree *t = tree;
	u32 x = *(const u32 *)a, y = *(const u32 *)b, i, key;
	const struct report_entry *rows = t->view->entries->v.v;
	u64 left, right;

	for (i = 0; i < t->levels.nr; i++) {
		key = t->levels.v[i]->key;
		left = report_view_value(t->view, &rows[x], key);
		right = report_view_value(t->view, &rows[y], key);
		if (left != right)
			return left < right ? -1 : 1;
	}
	return x < y ? -1 : x > y;
}

static bool choose_levels(struct report_tree *t)
{
	const struct report_columns *shown = &t->view->keys->shown;
	const struct report_column **to;
	u32 i;

	for (i = 0; i < shown->nr; i++) {
		if (shown->v[i].key == ID_NONE || !report_view_shows(t->view, &shown->v[i]))
			continue;
		to = vec_push(&t->levels);
		if (!to)
			return false;
		*to = &shown->v[i];
	}
	return true;
}

static void add_numbers(struct report_numbers *to, const struct report_numbers *n)
{
	u32 i;

	to->samples += n->samples;
	to->weight = num_sum(to->weight, n->weight);
	for (i = 0; i < REPORT_NR_MODES; i++)
		to->modes.weight[i] = num_sum(to->modes.weight[i], n->modes.weight[i]);
}

/* The sums of the rows of a node. */
static void sum_up(struct report_tree *t, struct report_tree_node *n)
{
	struct report_numbers *to = &t->numbers.v[n->numbers], own;
	const struct report_numbers *from;
	const struct report_entry *e;
	u32 i, m;

	for (m = 0; m < t->nr_members; m++)
		to[m] = (struct report_numbers){0};
	for (i = n->first; i < n->first + n->nr; i++) {
		e = entry_at(t, i);
		own = report_entries_numbers(t->view->entries, e);
		from = t->view->group ? report_group_row(t->view->group, e) : &own;
		for (m = 0; m < t->nr_members; m++)
			add_numbers(&to[m], &from[m]);
	}
	n->entry = *entry_at(t, n->first);
	n->entry.samples = to[0].samples;
	n->entry.weight = to[0].weight;
}

/* A node for each value that rows first..first+nr have at a level; false when memory is out. */
static bool add_nodes(struct report_tree *t, u32 level, u32 first, u32 nr)
{
	struct report_tree_node *n;
	u32 at = first, end;

	for (; at < first + nr; at = end) {
		for (end = at + 1;
		     end < first + nr && value_at(t, end, level) == value_at(t, at, level); end++)
			;
		n = vec_push(&t->nodes);
		if (!n || !vec_reserve(&t->numbers, (u64)t->numbers.nr + t->nr_members))
			return false;
		*n = (struct report_tree_node){
			.level = level, .first = at, .nr = end - at, .numbers = t->numbers.nr};
		t->numbers.nr += t->nr_members;
		sum_up(t, n);
	}
	return true;
}

/* Numbers fall, keys rise. */
static int compare_nodes(const void *a, const void *b, void *tree)
{
	const struct report_tree *t = tree;
	const struct report_tree_node *x = a, *y = b;
	const struct report_numbers *left = report_tree_numbers(t, x);
	const struct report_numbers *right = report_tree_numbers(t, y);
	u32 first = t->view->sort_member < t->nr_members ? t->view->sort_member : 0, i;

	if (left[first].weight != right[first].weight)
		return left[first].weight > right[first].weight ? -1 : 1;
	for (i = 1; i < t->nr_members; i++)
		if (left[i].weight != right[i].weight)
			return left[i].weight > right[i].weight ? -1 : 1;
	return report_order_compare_key(t->view, &x->entry, &y->entry, t->levels.v[x->level]);
}

/* Sorting moves nodes before they have children, so nothing points at what moves. */
static bool add_level(struct report_tree *t, u32 level, u32 first, u32 nr)
{
	u32 at = t->nodes.nr;

	if (!add_nodes(t, level, first, nr))
		return false;
	if (t->nodes.nr > at)
		qsort_r(&t->nodes.v[at], t->nodes.nr - at, sizeof(*t->nodes.v), compare_nodes, t);
	return true;
}

int report_tree_make(struct report_tree *t, const struct report_view *v, struct err *err)
{
	u32 nr = v->entries->v.nr, i, child;

	t->view = v;
	t->nr_members = v->group ? v->group->nr : 1;
	t->order = calloc((size_t)nr + 1, sizeof(*t->order));
	if (!t->order || !choose_levels(t))
		return err_nomem(err);
	if (!t->levels.nr || !nr)
		return 0;
	for (i = 0; i < nr; i++)
		t->order[i] = i;
	qsort_r(t->order, nr, sizeof(*t->order), compare_values, t);
	if (!add_level(t, 0, 0, nr))
		return err_nomem(err);
	t->nr_roots = t->nodes.nr;
	for (i = 0; i < t->nodes.nr; i++) {
		if (t->nodes.v[i].level + 1 == t->levels.nr)
			continue;
		child = t->nodes.nr;
		if (!add_level(t, t->nodes.v[i].level + 1, t->nodes.v[i].first, t->nodes.v[i].nr))
			return err_nomem(err);
		t->nodes.v[i].child = child;
		t->nodes.v[i].nr_children = t->nodes.nr - child;
	}
	return 0;
}

const struct report_numbers *report_tree_numbers(const struct report_tree *t,
						 const struct report_tree_node *n)
{
	return &t->numbers.v[n->numbers];
}

void report_tree_free(struct report_tree *t)
{
	vec_free(&t->levels);
	vec_free(&t->nodes);
	vec_free(&t->numbers);
	free(t->order);
}
