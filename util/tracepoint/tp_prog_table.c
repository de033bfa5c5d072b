// SPDX-License-Identifier: GPL-2.0
#include "util/tracepoint/tp_prog_internal.h"

#include <stdlib.h>

void tp_table_text(struct buf *text, const char *s, size_t len, const struct tp_spec *spec)
{
	size_t start = text->len;

	buf_add(text, s, len);
	tp_printk_pad(text, spec, start);
}

/*
 * The value to compare with; false if the name stands for none. perf takes a name that it cannot
 * translate for -1, inside a larger expression for 0, and every value past INT64_MAX for -1, too.
 */
static bool pair_value(const struct tp_prog *p, const struct tp_pair *pair, u64 *v)
{
	const struct tp_node *n = pair->value;

	*v = n->value;
	if (!p->compat)
		return !n->unresolved;
	if (n->bare || (s64)*v < 0)
		*v = UINT64_MAX;
	return true;
}

static bool add_names(struct tp_prog *p, const struct tp_pair *pair, const struct tp_spec *each)
{
	struct tp_name *name;
	u64 v;

	for (; pair; pair = pair->next) {
		if (!pair_value(p, pair, &v))
			continue;
		name = vec_push(&p->names);
		if (!name)
			return false;
		name->value = v;
		name->text = (u32)p->text.len;
		tp_table_text(&p->text, pair->str, pair->len, each);
		name->len = (u32)p->text.len - name->text;
	}
	return true;
}

/* By value; of equal values the first of the list, whose text comes first, wins. */
static int compare(const void *a, const void *b)
{
	const struct tp_name *l = a, *r = b;

	if (l->value != r->value)
		return l->value < r->value ? -1 : 1;
	return l->text < r->text ? -1 : l->text > r->text;
}

static void sort_names(struct tp_prog *p, struct tp_table *t)
{
	struct tp_name *names = p->names.v + t->first;
	u32 i, nr = 0;

	qsort(names, t->nr, sizeof(*names), compare);
	for (i = 0; i < t->nr; i++)
		if (!nr || names[nr - 1].value != names[i].value)
			names[nr++] = names[i];
	p->names.nr -= t->nr - nr;
	t->nr = nr;
}

/* A direct index where it is not much larger than the list. */
static bool index_names(struct tp_prog *p, struct tp_table *t)
{
	const struct tp_name *names = p->names.v + t->first;
	u64 range = t->nr ? names[t->nr - 1].value - names[0].value : UINT64_MAX;
	u32 i, *slot;

	if (range > 4 * (u64)t->nr + 16)
		return true;
	t->base = names[0].value;
	t->index = p->index.nr;
	t->index_nr = (u32)range + 1;
	for (i = 0; i < t->index_nr; i++) {
		slot = vec_push(&p->index);
		if (!slot)
			return false;
	}
	for (i = 0; i < t->nr; i++)
		p->index.v[t->index + (names[i].value - t->base)] = i + 1;
	return true;
}

bool tp_table_add(struct tp_prog *p, const struct tp_node *n, const struct tp_spec *each,
		  u32 *table)
{
	struct tp_table t = {.first = p->names.nr, .delim = (u32)p->text.len};
	struct tp_table *slot;

	if (n->kind == TP_NODE_FLAGS) {
		buf_add(&p->text, n->str, n->len);
		t.delim_len = (u32)n->len;
	}
	if (!add_names(p, n->list, each))
		return false;
	t.nr = p->names.nr - t.first;
	if (n->kind == TP_NODE_SYMBOLIC && t.nr) {
		sort_names(p, &t);
		if (!index_names(p, &t))
			return false;
	}
	slot = vec_push(&p->tables);
	if (!slot)
		return false;
	*slot = t;
	*table = p->tables.nr - 1;
	return true;
}
