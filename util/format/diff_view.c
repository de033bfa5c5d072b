// SPDX-License-Identifier: GPL-2.0
#include "util/format/diff_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN "[unknown]"

/* ---- names ---- */

static const char *name_of(const struct diff_section *s, bool wanted, u32 id)
{
	if (!wanted)
		return NULL;
	return id == ID_NONE ? UNKNOWN : strtab_get(&s->tree.frames.names, id);
}

const char *diff_view_comm(const struct diff_view *v, const struct diff_section *s, u32 row)
{
	return name_of(s, v->by & DIFF_BY_COMM, s->functions.functions.v[row].comm);
}

const char *diff_view_file(const struct diff_view *v, const struct diff_section *s, u32 row)
{
	return name_of(s, v->by & DIFF_BY_FILE, s->functions.functions.v[row].file);
}

const char *diff_view_name(const struct diff_view *v, const struct diff_section *s, u32 row)
{
	return name_of(s, v->by & DIFF_BY_NAME, s->functions.functions.v[row].name);
}

/* Does the recording of that side alone have samples in it? */
static bool is_of_one(const struct diff_section *s, u32 row, enum stack_diff_side side)
{
	const struct stack_count *c = s->functions.self.rows.v[row].count;

	return c[side].samples && !c[!side].samples;
}

int diff_view_renamed(const struct diff_view *v, const struct diff_section *s, u32 rows[2],
		      struct err *err)
{
	const struct diff_function *f = s->functions.functions.v;
	const u32 nr = MIN(s->functions.functions.nr, s->functions.self.rows.nr);
	struct hmap gone = {0}, pairs = {0};
	u32 i, row, seen, most = 0;
	bool ok = true;
	u64 pair;

	if ((v->by & (DIFF_BY_FILE | DIFF_BY_NAME)) != (DIFF_BY_FILE | DIFF_BY_NAME))
		return 0;
	for (i = 0; i < nr && ok; i++)
		if (f[i].name != ID_NONE && f[i].file != ID_NONE && is_of_one(s, i, STACK_DIFF_OLD))
			ok = hmap_set(&gone, f[i].name, i);
	for (i = 0; i < nr && ok; i++) {
		row = f[i].name != ID_NONE && f[i].file != ID_NONE &&
				      is_of_one(s, i, STACK_DIFF_NEW)
			      ? hmap_get(&gone, f[i].name)
			      : ID_NONE;
		if (row == ID_NONE || f[row].file == f[i].file)
			continue;
		pair = (u64)f[row].file << 32 | f[i].file;
		seen = hmap_get(&pairs, pair);
		seen = seen == ID_NONE ? 1 : seen + 1;
		ok = hmap_set(&pairs, pair, seen);
		if (seen <= most)
			continue;
		most = seen;
		rows[STACK_DIFF_OLD] = row;
		rows[STACK_DIFF_NEW] = i;
	}
	hmap_free(&gone);
	hmap_free(&pairs);
	return ok ? (int)most : err_nomem(err);
}

bool diff_view_path(const struct diff_section *s, u32 row, struct diff_list *path)
{
	const struct frame_tree *t = &s->tree.frames;
	u32 node, i, swap, *slot;

	path->nr = 0;
	for (node = s->stacks.nodes.v[row]; node; node = t->nodes.v[node].parent) {
		slot = vec_push(path);
		if (!slot)
			return false;
		*slot = node;
	}
	for (i = 0; i < path->nr / 2; i++) {
		swap = path->v[i];
		path->v[i] = path->v[path->nr - 1 - i];
		path->v[path->nr - 1 - i] = swap;
	}
	return true;
}

bool diff_view_stack(const struct diff_section *s, u32 row, struct diff_list *path, struct buf *out)
{
	const char *name;
	size_t len;
	u32 i;

	if (!diff_view_path(s, row, path))
		return false;
	for (i = 0; i < path->nr; i++) {
		if (i)
			buf_addc(out, ';');
		name = frame_tree_node_name(&s->tree.frames, path->v[i], &len);
		buf_add(out, name, len);
	}
	return true;
}

double diff_view_ratio(const struct stack_diff_row *r)
{
	const double old = r->value[STACK_DIFF_OLD];

	return old > 0 ? r->value[STACK_DIFF_NEW] / old : NAN;
}

const char *diff_view_scale_name(enum stack_diff_scale scale)
{
	static const char *const names[] = {[STACK_DIFF_SHARE] = "share",
					    [STACK_DIFF_SECOND] = "second",
					    [STACK_DIFF_NONE] = "none"};

	return names[scale];
}

/* ---- which rows, in which order ---- */

struct order {
	const struct diff_view *v;
	const struct diff_section *s;
	const struct stack_diff *d;
	bool stacks; /* whose rows are in the order of their names */
};

static int by_string(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : 0;
}

static int by_name(const struct order *o, u32 a, u32 b)
{
	int d = 0;

	if (!o->stacks)
		d = by_string(diff_view_name(o->v, o->s, a), diff_view_name(o->v, o->s, b));
	if (!o->stacks && !d)
		d = by_string(diff_view_file(o->v, o->s, a), diff_view_file(o->v, o->s, b));
	if (!o->stacks && !d)
		d = by_string(diff_view_comm(o->v, o->s, a), diff_view_comm(o->v, o->s, b));
	return d ? d : (a > b) - (a < b);
}

/* What is shown first is greatest. */
static double weight_of(const struct order *o, u32 row)
{
	const struct stack_diff_row *r = &o->d->rows.v[row];

	switch (o->v->sort) {
	case DIFF_SORT_CHANGE:
		return fabs(r->change);
	case DIFF_SORT_OLD:
		return r->value[STACK_DIFF_OLD];
	case DIFF_SORT_NEW:
		return r->value[STACK_DIFF_NEW];
	default:
		return 0;
	}
}

static int in_order(const void *a, const void *b, void *arg)
{
	const struct order *o = arg;
	const u32 x = *(const u32 *)a, y = *(const u32 *)b;
	const double v = weight_of(o, x), w = weight_of(o, y);

	return v != w ? (v < w) - (v > w) : by_name(o, x, y);
}

static double share(const struct stack_diff *d, const struct stack_diff_row *r, int side)
{
	const u64 all = d->all[side].weight;

	return all ? 100 * (double)r->count[side].weight / (double)all : 0;
}

static bool is_shown(const struct order *o, const struct stack_diff_row *r, enum diff_rows rows)
{
	if (rows == DIFF_ROWS_CHANGED && r->verdict == STACK_DIFF_NOISE)
		return false;
	if (rows == DIFF_ROWS_COUNTED && !r->count[STACK_DIFF_OLD].samples &&
	    !r->count[STACK_DIFF_NEW].samples)
		return false;
	return share(o->d, r, STACK_DIFF_OLD) >= o->v->percent_limit ||
	       share(o->d, r, STACK_DIFF_NEW) >= o->v->percent_limit;
}

static int pick(struct order *o, enum diff_rows rows, struct diff_list *list, struct err *err)
{
	u32 i, *slot;

	list->nr = 0;
	for (i = 0; i < o->d->rows.nr; i++) {
		if (!is_shown(o, &o->d->rows.v[i], rows))
			continue;
		slot = vec_push(list);
		if (!slot)
			return err_nomem(err);
		*slot = i;
	}
	if (list->nr)
		qsort_r(list->v, list->nr, sizeof(*list->v), in_order, o);
	if (o->v->limit)
		list->nr = (u32)MIN((u64)list->nr, o->v->limit);
	return 0;
}

int diff_view_functions(const struct diff_view *v, const struct diff_section *s,
			enum diff_rows rows, struct diff_list *list, struct err *err)
{
	struct order o = {.v = v, .s = s, .d = diff_view_diff(v, s)};

	return pick(&o, rows, list, err);
}

int diff_view_stacks(const struct diff_view *v, const struct diff_section *s, enum diff_rows rows,
		     struct diff_list *list, struct err *err)
{
	struct order o = {.v = v, .s = s, .d = &s->stacks.diff, .stacks = true};

	return pick(&o, rows, list, err);
}
