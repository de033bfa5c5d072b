// SPDX-License-Identifier: GPL-2.0
#include "util/report/report_entries.h"

#include <stdlib.h>

#include "util/base/num.h"
#include "util/profile/symboliser.h"
#include "util/report/report_places.h"

/*
 * the stacks of a tree as steps from place to place.
 *
 * Each node is one step, and one more for each function that was inlined there, innermost first.
 */

struct report_step {
	u32 place : 31;
	bool again : 1; /* a step further out on the same stack is in this place, too */
};

struct report_steps {
	VEC(struct report_step) v;
	u32 *first; /* of each node; one more behind the last */
};

/* The nodes as a tree that can be walked downwards. */
struct walk {
	u32 *child, *sibling; /* by node, 0: none */
	u32 *inside;          /* steps of the path that are in a place, by place */
};

static bool add_step(struct report_steps *s, u32 place)
{
	struct report_step *step = place > INT32_MAX ? NULL : vec_push(&s->v);

	if (step)
		step->place = place;
	return step != NULL;
}

static bool add_node(struct report_steps *s, struct report_places *p, u32 node)
{
	u32 frame = p->stacks->nodes.v[node].frame, i, inlined;

	if (!stack_tree_frame(p->stacks, node))
		return true;
	if (!report_places_inlined(p, node, &inlined))
		return false;
	for (i = 0; i < inlined; i++)
		if (!add_step(s, report_places_get_inlined(p, frame, i)))
			return false;
	return add_step(s, report_places_get_caller(p, frame));
}

static bool add_nodes(struct report_steps *s, struct report_places *p)
{
	u32 node, nr = p->stacks->nodes.nr;

	s->first = calloc((size_t)nr + 1, sizeof(*s->first));
	if (!s->first)
		return false;
	for (node = 0; node < nr; node++) {
		s->first[node] = s->v.nr;
		if (!add_node(s, p, node))
			return false;
	}
	s->first[nr] = s->v.nr;
	return true;
}

static void enter(struct report_steps *s, struct walk *w, u32 node)
{
	u32 i;

	for (i = s->first[node + 1]; i-- > s->first[node];)
		s->v.v[i].again = w->inside[s->v.v[i].place]++ > 0;
}

static void leave(const struct report_steps *s, struct walk *w, u32 node)
{
	u32 i;

	for (i = s->first[node]; i < s->first[node + 1]; i++)
		w->inside[s->v.v[i].place]--;
}

/* Every node once, between its parent and its children. */
static void walk_all(struct report_steps *s, struct walk *w, const struct stack_tree *t)
{
	u32 node = 0;

	enter(s, w, node);
	while (node != ID_NONE) {
		if (w->child[node]) {
			node = w->child[node];
			enter(s, w, node);
			continue;
		}
		while (node != ID_NONE && !w->sibling[node]) {
			leave(s, w, node);
			node = t->nodes.v[node].parent;
		}
		if (node == ID_NONE)
			break;
		leave(s, w, node);
		node = w->sibling[node];
		enter(s, w, node);
	}
}

static bool find_again(struct report_steps *s, const struct report_places *p)
{
	u32 nr = p->stacks->nodes.nr, i, parent;
	struct walk w = {0};
	bool ok;

	w.child = calloc(nr, sizeof(u32));
	w.sibling = calloc(nr, sizeof(u32));
	w.inside = calloc((size_t)p->nr + 1, sizeof(u32));
	ok = w.child && w.sibling && w.inside;
	for (i = nr; ok && i-- > 1;) {
		parent = p->stacks->nodes.v[i].parent;
		w.sibling[i] = w.child[parent];
		w.child[parent] = i;
	}
	if (ok)
		walk_all(s, &w, p->stacks);
	free(w.child);
	free(w.sibling);
	free(w.inside);
	return ok;
}

static int report_steps_make(struct report_steps *s, struct report_places *places, struct err *err)
{
	*s = (struct report_steps){0};
	if (add_nodes(s, places) && find_again(s, places))
		return 0;
	return err_nomem(err);
}

static void report_steps_free(struct report_steps *s)
{
	vec_free(&s->v);
	free(s->first);
	s->first = NULL;
}

struct total {
	u64 samples, weight;
};

/* One root after the other; what is by node, step or place is empty between two. */
struct expand {
	struct report_entries *e;
	struct report_samples *s;
	struct report_places *places;
	bool callers;
	const struct report_steps
		*steps; /* NULL: no key of a row comes from frames, or no callers */
	u32 root, first_entry;
	u32 *order;       /* weights by root */
	u32 *entry;       /* by place, + 1 */
	u32 nr_places;    /* that `entry` has room for */
	struct total *at; /* by node: what goes through it */
	VEC(u32) touched; /* nodes */
};

static void add_total(struct total *to, struct total t)
{
	to->samples += t.samples;
	to->weight = num_sum(to->weight, t.weight);
}

static int compare_numbers(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

static bool room_for(struct expand *x, u32 place)
{
	u32 *v, nr = x->places->nr;

	if (place < x->nr_places)
		return true;
	v = realloc(x->entry, (size_t)nr * 2 * sizeof(*v));
	if (!v)
		return false;
	memset(v + x->nr_places, 0, ((size_t)nr * 2 - x->nr_places) * sizeof(*v));
	x->entry = v;
	x->nr_places = nr * 2;
	return true;
}

/* The row of a place on the root that is dealt with; ID_NONE when memory is out. */
static u32 entry_at(struct expand *x, u32 place)
{
	struct report_entry *e;

	if (place == ID_NONE || !room_for(x, place))
		return ID_NONE;
	if (x->entry[place])
		return x->entry[place] - 1;
	e = vec_push(&x->e->v);
	if (!e)
		return ID_NONE;
	e->root = x->root;
	e->place = place;
	x->entry[place] = x->e->v.nr;
	return x->e->v.nr - 1;
}

static void add_all(struct report_entry *e, struct total t)
{
	e->all_samples += t.samples;
	e->all_weight = num_sum(e->all_weight, t.weight);
}

static bool on_stack(const struct expand *x, u32 node, u32 place)
{
	u32 i;

	for (; node != ID_NONE; node = x->places->stacks->nodes.v[node].parent)
		for (i = x->steps->first[node]; i < x->steps->first[node + 1]; i++)
			if (x->steps->v.v[i].place == place)
				return true;
	return false;
}

/* Remember what goes through a node, and through all further out. */
static bool touch(struct expand *x, u32 node, struct total t)
{
	u32 *to, at;

	for (at = node; at != ID_NONE && !x->at[at].samples;
	     at = x->places->stacks->nodes.v[at].parent) {
		to = vec_push(&x->touched);
		if (!to)
			return false;
		*to = at;
		x->at[at].samples = 1; /* taken off again below */
	}
	add_total(&x->at[node], t);
	return true;
}

/* The innermost frame of the samples of a weight. */
static u32 frame_of(const struct expand *x, const struct stack_weight *w)
{
	return w->top == STACK_CUT ? x->places->stacks->nodes.v[w->node].frame : w->top;
}

static bool is_unresolved(const struct expand *x, u32 frame)
{
	const struct symboliser *r = x->places->stacks->symboliser;

	return frame >= r->frames.nr || !r->frames.v[frame].symbol;
}

/* The samples themselves. */
static bool add_self(struct expand *x, const struct stack_weight *w)
{
	u32 frame = frame_of(x, w), place = report_places_get(x->places, frame), rows = x->e->v.nr;
	u32 at = entry_at(x, place);
	struct total t = {w->samples, w->weight};
	struct report_entry *e;

	if (at == ID_NONE)
		return false;
	e = &x->e->v.v[at];
	x->e->unresolved |= at == rows && is_unresolved(x, frame);
	e->samples += t.samples;
	e->weight = num_sum(e->weight, t.weight);
	if (!x->steps) {
		if (x->callers)
			add_all(e, t);
		return true;
	}
	if (!on_stack(x, w->node, place))
		add_all(e, t);
	return touch(x, w->node, t);
}

/* What goes through a node counts once for each place on the stack, where that is outermost. */
static bool called_from(struct expand *x, u32 node, struct total t)
{
	const struct report_step *step;
	u32 i, entry;

	for (i = x->steps->first[node]; i < x->steps->first[node + 1]; i++) {
		step = &x->steps->v.v[i];
		if (step->again)
			continue;
		entry = entry_at(x, step->place);
		if (entry == ID_NONE)
			return false;
		add_all(&x->e->v.v[entry], t);
	}
	return true;
}

/* From the innermost nodes outwards: a node has a higher number than its parent. */
static bool add_callers(struct expand *x)
{
	const struct stack_node *nodes = x->places->stacks->nodes.v;
	struct total t;
	u32 i, node;

	if (x->touched.nr)
		qsort(x->touched.v, x->touched.nr, sizeof(u32), compare_numbers);
	for (i = 0; i < x->touched.nr; i++) {
		node = x->touched.v[i];
		t = x->at[node];
		t.samples--;
		x->at[node] = (struct total){0};
		if (nodes[node].parent != ID_NONE)
			add_total(&x->at[nodes[node].parent], t);
		if (!called_from(x, node, t))
			return false;
	}
	x->touched.nr = 0;
	return true;
}

/* The rows of one root: nr weights, by their numbers. */
static bool expand_root(struct expand *x, const u32 *weights, u32 nr)
{
	u32 i;

	x->first_entry = x->e->v.nr;
	x->root = x->s->weights.v.v[weights[0]].root;
	for (i = 0; i < nr; i++)
		if (!add_self(x, &x->s->weights.v.v[weights[i]]))
			return false;
	if (x->steps && !add_callers(x))
		return false;
	for (i = x->first_entry; i < x->e->v.nr; i++)
		x->entry[x->e->v.v[i].place] = 0;
	return true;
}

/* Number the weights by root, in each in the order of first sight. */
static bool order_by_root(struct expand *x)
{
	const struct stack_weights *w = &x->s->weights;
	u32 *at = calloc((size_t)x->s->nr_roots + 1, sizeof(*at)), i;

	x->order = calloc((size_t)w->v.nr + 1, sizeof(*x->order));
	if (!at || !x->order) {
		free(at);
		return false;
	}
	for (i = 0; i < w->v.nr; i++)
		at[w->v.v[i].root + 1]++;
	for (i = 1; i <= x->s->nr_roots; i++)
		at[i] += at[i - 1];
	for (i = 0; i < w->v.nr; i++)
		x->order[at[w->v.v[i].root]++] = i;
	free(at);
	return true;
}

static bool expand_all(struct expand *x)
{
	const struct stack_weights *w = &x->s->weights;
	u32 first = 0, i;

	if (x->steps) {
		x->at = calloc(x->places->stacks->nodes.nr, sizeof(*x->at));
		if (!x->at)
			return false;
	}
	if (!order_by_root(x))
		return false;
	for (i = 1; i <= w->v.nr; i++) {
		if (i < w->v.nr && w->v.v[x->order[i]].root == w->v.v[x->order[first]].root)
			continue;
		if (!expand_root(x, &x->order[first], i - first))
			return false;
		first = i;
	}
	return true;
}

/* The rows by root and place; false when memory is out. */
static bool index_rows(const struct report_entries *e, struct hmap *rows)
{
	u32 i;

	for (i = 0; i < e->v.nr; i++)
		if (!hmap_set(rows, (u64)e->v.v[i].root << 32 | e->v.v[i].place, i))
			return false;
	return true;
}

/* Add to each row its samples in each CPU mode. */
static bool add_modes(struct expand *x)
{
	const struct stack_weight *w = x->s->modes.v.v;
	struct report_modes *to;
	struct report_entry *e;
	struct hmap rows = {0};
	bool ok = index_rows(x->e, &rows);
	u32 i, at, place;

	for (i = 0; i < x->s->modes.v.nr && ok; i++) {
		place = report_places_get(x->places, w[i].top);
		at = hmap_get(&rows, (u64)w[i].root << 32 | place);
		if (place == ID_NONE || at == ID_NONE) {
			ok = place != ID_NONE;
			continue;
		}
		e = &x->e->v.v[at];
		to = e->modes ? &x->e->modes.v[e->modes - 1] : vec_push(&x->e->modes);
		if (!to) {
			ok = false;
			continue;
		}
		if (!e->modes)
			e->modes = x->e->modes.nr;
		to->weight[w[i].node] = num_sum(to->weight[w[i].node], w[i].weight);
	}
	hmap_free(&rows);
	return ok;
}

int report_entries_make(struct report_entries *e, struct report_samples *s,
			struct report_places *places, bool callers, struct err *err)
{
	struct expand x = {.e = e, .s = s, .places = places, .callers = callers};
	struct report_steps steps = {0};
	int ret = 0;

	*e = (struct report_entries){.samples = s->all_samples, .weight = s->all_weight};
	if (callers && places->keys->nr_frame) {
		ret = report_steps_make(&steps, places, err);
		x.steps = &steps;
	}
	if (!ret && (!expand_all(&x) || (places->keys->modes && !add_modes(&x))))
		ret = err_nomem(err);
	report_steps_free(&steps);
	free(x.order);
	free(x.entry);
	free(x.at);
	vec_free(&x.touched);
	return ret;
}

struct report_numbers report_entries_numbers(const struct report_entries *e,
					     const struct report_entry *row)
{
	struct report_numbers n = {
		row->samples, row->weight, row->all_samples, row->all_weight, {{0}}};

	if (row->modes)
		n.modes = e->modes.v[row->modes - 1];
	return n;
}

void report_entries_free(struct report_entries *e)
{
	vec_free(&e->modes);
	vec_free(&e->v);
}
