// SPDX-License-Identifier: GPL-2.0
#include "util/format/diff_view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool reach_nodes(struct diff_tree *t)
{
	while (t->nodes.nr < t->frames.nodes.nr)
		if (!vec_push(&t->nodes))
			return false;
	return true;
}

static int add_count(struct diff_tree *t, u32 node, enum stack_diff_side side,
		     const struct stack_count *c, struct err *err)
{
	int ret;

	if (node == ID_NONE || !reach_nodes(t))
		return err_nomem(err);
	ret = side == STACK_DIFF_OLD ? frame_tree_add_old(&t->frames, node, c->weight, err)
				     : frame_tree_add(&t->frames, node, c->weight, err);
	if (ret)
		return ret;
	stack_count_add(&t->nodes.v[node].count[side], c);
	stack_count_add(&t->all[side], c);
	return 0;
}

static u32 *make_labels(struct stack_frames *f, const struct strtab *comms, struct err *err)
{
	u32 *labels = calloc(comms->nr + (size_t)1, sizeof(*labels)), i;

	for (i = 0; labels && i < comms->nr; i++) {
		labels[i] = stack_frames_group(f, strtab_get(comms, i));
		if (labels[i] == ID_NONE) {
			free(labels);
			labels = NULL;
		}
	}
	if (!labels)
		err_nomem(err);
	return labels;
}

int diff_tree_add_stacks(struct diff_tree *t, enum stack_diff_side side,
			 const struct stack_tree *stacks, const struct stack_weights *w,
			 const struct strtab *comms, enum stack_frames_form form, struct err *err)
{
	struct stack_weight e;
	struct stack_frames f;
	struct stack_count c;
	int ret = 0;
	u32 *labels, i;

	stack_frames_init(&f, stacks, &t->frames, form);
	labels = make_labels(&f, comms, err);
	if (!labels)
		ret = -ENOMEM;
	for (i = 0; i < w->v.nr && !ret; i++) {
		e = w->v.v[i];
		if (e.root != ID_NONE)
			e.root = labels[e.root];
		c = (struct stack_count){e.samples, e.weight, e.squares};
		ret = add_count(t, stack_frames_node(&f, &e), side, &c, err);
	}
	free(labels);
	stack_frames_free(&f);
	return ret;
}

static u64 common_divisor(const struct frame_tree *t)
{
	u64 a = 0, b, rest;
	u32 i;

	for (i = 0; i < t->nodes.nr; i++)
		for (b = t->nodes.v[i].self; b; b = rest) {
			rest = a % b;
			a = b;
		}
	return a ? a : 1;
}

int diff_tree_add_folded(struct diff_tree *t, enum stack_diff_side side,
			 const struct frame_tree *folded, u64 *unit, struct err *err)
{
	u32 *nodes = calloc(folded->nodes.nr + (size_t)1, sizeof(*nodes)), i;
	const struct frame_node *n;
	struct stack_count c;
	const char *name;
	size_t len;
	int ret = 0;

	if (!nodes)
		return err_nomem(err);
	*unit = common_divisor(folded);
	for (i = 1; i < folded->nodes.nr && !ret; i++) {
		n = &folded->nodes.v[i];
		name = frame_tree_node_name(folded, i, &len);
		nodes[i] = frame_tree_child(&t->frames, nodes[n->parent],
					    frame_tree_name(&t->frames, name, len));
		c = (struct stack_count){n->self / *unit, n->self, (double)n->self * (double)*unit};
		if (nodes[i] == ID_NONE)
			ret = err_nomem(err);
		else if (n->self)
			ret = add_count(t, nodes[i], side, &c, err);
	}
	free(nodes);
	return ret;
}

int diff_tree_finish(struct diff_tree *t, struct err *err)
{
	return reach_nodes(t) ? frame_tree_finish(&t->frames, err) : err_nomem(err);
}

/* ---- walking ---- */

/* The node that follows in the order of a reading from the root, children after their parent. */
static u32 leave_up_to(const struct frame_tree *t, u32 node, void (*leave)(void *arg, u32 node),
		       void *arg)
{
	while (node) {
		const struct frame_node *n = &t->nodes.v[node];

		if (leave)
			leave(arg, node);
		if (n->sibling != ID_NONE)
			return n->sibling;
		node = n->parent;
	}
	return ID_NONE;
}

static u32 first_node(const struct frame_tree *t)
{
	return t->nodes.nr ? t->nodes.v[0].child : ID_NONE;
}

static u32 next_node(const struct frame_tree *t, u32 node, void (*leave)(void *arg, u32 node),
		     void *arg)
{
	const u32 child = t->nodes.v[node].child;

	return child != ID_NONE ? child : leave_up_to(t, node, leave, arg);
}

static bool set_row(struct stack_diff *d, u32 row, const struct diff_node *n)
{
	int side;

	for (side = 0; side < STACK_DIFF_SIDES; side++) {
		struct stack_count *c = stack_diff_count(d, row, side);

		if (!c)
			return false;
		stack_count_add(c, &n->count[side]);
	}
	return true;
}

static void set_all(const struct diff_tree *t, struct stack_diff *d)
{
	memcpy(d->all, t->all, sizeof(d->all));
}

static bool has_samples(const struct diff_node *n)
{
	return n->count[STACK_DIFF_OLD].samples || n->count[STACK_DIFF_NEW].samples;
}

int diff_tree_stacks(const struct diff_tree *t, struct diff_stacks *d, struct err *err)
{
	u32 node, *slot;

	set_all(t, &d->diff);
	for (node = first_node(&t->frames); node != ID_NONE;
	     node = next_node(&t->frames, node, NULL, NULL)) {
		if (!has_samples(&t->nodes.v[node]))
			continue;
		slot = vec_push(&d->nodes);
		if (!slot || !set_row(&d->diff, d->nodes.nr - 1, &t->nodes.v[node]))
			return err_nomem(err);
		*slot = node;
	}
	return 0;
}

/* ---- functions ---- */

struct rows {
	const struct diff_tree *t;
	struct diff_functions *f;
	unsigned int by;
	struct diff_node *totals; /* by node: what ends there, or below */
	u32 *row;                 /* by node, + 1; 0: not asked for */
	u32 *inside;              /* by row: so many of the nodes that lead to the current one */
	u32 nr_inside;
	struct hmap ids[2]; /* two numbers -> one: name and file, that with the command */
	bool failed;
};

static u32 pair(struct rows *r, u32 which, u32 a, u32 b)
{
	const u64 key = (u64)a << 32 | b;
	u32 id = hmap_get(&r->ids[which], key);

	if (id == ID_NONE) {
		id = r->ids[which].nr;
		if (!hmap_set(&r->ids[which], key, id))
			r->failed = true;
	}
	return id;
}

static u32 row_of_function(struct rows *r, const struct diff_function *fn)
{
	const u32 row = pair(r, 1, pair(r, 0, fn->name, fn->file), fn->comm);
	struct diff_function *new;

	if (row < r->f->functions.nr || r->failed)
		return row;
	new = vec_push(&r->f->functions);
	if (new)
		*new = *fn;
	else
		r->failed = true;
	return row;
}

/* The name at the bottom of the stack: its first frame. */
static u32 comm_of(const struct rows *r, u32 node)
{
	const struct frame_tree *t = &r->t->frames;

	while (t->nodes.v[node].parent)
		node = t->nodes.v[node].parent;
	return frame_tree_node_label(t, node)->name;
}

static bool is_group(const struct rows *r, u32 node)
{
	return frame_tree_node_label(&r->t->frames, node)->class == FRAME_CLASS_GROUP;
}

/* A command is not a function: a stack of nothing else has none. */
static u32 row_of(struct rows *r, u32 node, u32 comm)
{
	const struct frame_label *l = frame_tree_node_label(&r->t->frames, node);
	const bool known = l->class != FRAME_CLASS_GROUP;

	return row_of_function(r, &(struct diff_function){
					  .comm = r->by & DIFF_BY_COMM ? comm : ID_NONE,
					  .file = known && r->by & DIFF_BY_FILE ? l->file : ID_NONE,
					  .name = known && r->by & DIFF_BY_NAME ? l->name : ID_NONE,
				  });
}

/* Counts of nodes that end at each, or below. */
static bool add_totals(struct rows *r)
{
	const struct diff_tree *t = r->t;
	u32 i;
	int side;

	r->totals = malloc((t->nodes.nr + (size_t)1) * sizeof(*r->totals));
	if (!r->totals)
		return false;
	if (t->nodes.nr)
		memcpy(r->totals, t->nodes.v, t->nodes.nr * sizeof(*r->totals));
	for (i = t->nodes.nr; i-- > 1;)
		for (side = 0; side < STACK_DIFF_SIDES; side++)
			stack_count_add(&r->totals[t->frames.nodes.v[i].parent].count[side],
					&r->totals[i].count[side]);
	return true;
}

static void leave(void *arg, u32 node)
{
	struct rows *r = arg;

	if (r->row[node])
		r->inside[r->row[node] - 1]--;
}

static bool reach_row(struct rows *r, u32 row)
{
	u32 cap = r->nr_inside;

	if (row < cap)
		return true;
	if (!vec_grow((void **)&r->inside, &cap, (u64)row + 1, sizeof(*r->inside)))
		return false;
	memset(r->inside + r->nr_inside, 0, (cap - r->nr_inside) * sizeof(*r->inside));
	r->nr_inside = cap;
	return true;
}

/* A stack counts once for a function, however often it is in it: where it is first. */
static bool enter(struct rows *r, u32 node, u32 comm)
{
	const struct diff_node *self = &r->t->nodes.v[node];
	const bool alone = is_group(r, node) && r->by != DIFF_BY_COMM;
	u32 row;

	if (alone && !has_samples(self))
		return true;
	row = row_of(r, node, comm);
	if (r->failed || !reach_row(r, row) || !set_row(&r->f->self, row, self))
		return false;
	if (alone)
		return set_row(&r->f->total, row, self);
	r->row[node] = row + 1;
	return r->inside[row]++ ? true : set_row(&r->f->total, row, &r->totals[node]);
}

int diff_tree_functions(const struct diff_tree *t, unsigned int by, struct diff_functions *f,
			struct err *err)
{
	struct rows r = {.t = t, .f = f, .by = by};
	u32 node, comm = ID_NONE;
	bool ok;

	set_all(t, &f->self);
	set_all(t, &f->total);
	r.row = calloc(t->nodes.nr + (size_t)1, sizeof(*r.row));
	ok = r.row && add_totals(&r);
	for (node = first_node(&t->frames); node != ID_NONE && ok;
	     node = next_node(&t->frames, node, leave, &r)) {
		if (!t->frames.nodes.v[node].parent)
			comm = comm_of(&r, node);
		ok = enter(&r, node, comm);
	}
	free(r.row);
	free(r.totals);
	free(r.inside);
	hmap_free(&r.ids[0]);
	hmap_free(&r.ids[1]);
	return ok ? 0 : err_nomem(err);
}

void diff_functions_free(struct diff_functions *f)
{
	vec_free(&f->functions);
	stack_diff_free(&f->self);
	stack_diff_free(&f->total);
}

void diff_stacks_free(struct diff_stacks *d)
{
	vec_free(&d->nodes);
	stack_diff_free(&d->diff);
}

void diff_tree_free(struct diff_tree *t)
{
	frame_tree_free(&t->frames);
	vec_free(&t->nodes);
}
