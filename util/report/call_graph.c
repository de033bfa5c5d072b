// SPDX-License-Identifier: GPL-2.0
#include "util/report/call_graph.h"

#include <math.h>
#include <stdlib.h>

/* Stacks that have come to a node of the tree, and where they go on. */
struct call_graph_member {
	u32 node;
	u32 function; /* `same` of the node's */
	bool whole;   /* of the row's own samples, from the outermost caller on */
	u64 samples, weight;
};

struct amount {
	u64 samples, weight;
};

struct growing {
	struct call_graph *g;
	const struct call_graph_stacks *s;
	const struct call_graph_options *o;
	struct call_graph_span self; /* stacks of the samples whose innermost frame is the row */
	u64 least;                   /* weight that a branch must have */
	bool failed;                 /* memory is out */
};

/* The first of `self` that is not before a node. */
static u32 self_from(const struct growing *w, u32 node)
{
	const struct call_graph_stack *v = w->s->stacks.v;
	u32 from = w->self.first, to = from + w->self.nr, mid;

	while (from < to) {
		mid = from + (to - from) / 2;
		if (v[mid].node < node)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

/* How much of `self` is in a branch. */
static struct amount self_in(const struct growing *w, u32 node)
{
	const struct call_graph_stack *v = w->s->stacks.v;
	u32 first = self_from(w, node), end = self_from(w, w->s->nodes.v[node].end);

	return (struct amount){v[end].samples_before - v[first].samples_before,
			       v[end].weight_before - v[first].weight_before};
}

/* How much of other rows' stacks is in it. */
static struct amount amount_at(const struct growing *w, u32 node)
{
	const struct call_graph_node *n = &w->s->nodes.v[node];
	struct amount self = {0};

	if (w->self.nr)
		self = self_in(w, node);
	return (struct amount){n->samples - self.samples, n->weight - self.weight};
}

static void push(struct growing *w, u32 node, bool whole, struct amount a)
{
	struct call_graph_member *m;
	u32 function = w->s->nodes.v[node].function;

	if (!a.samples || w->failed)
		return;
	m = vec_push(&w->g->members);
	if (!m) {
		w->failed = true;
		return;
	}
	*m = (struct call_graph_member){.node = node,
					.function = w->s->functions.v.v[function].same,
					.whole = whole,
					.samples = a.samples,
					.weight = a.weight};
}

/* Of whole stacks: a row has few of all that begin with a node. */
static void push_next_whole(struct growing *w, u32 node)
{
	const struct call_graph_node *nodes = w->s->nodes.v;
	u32 end = w->self.first + w->self.nr, i = self_from(w, node + 1), child;

	while (i < end && w->s->stacks.v[i].node < nodes[node].end) {
		child = w->s->stacks.v[i].node;
		while (nodes[child].parent != node)
			child = nodes[child].parent;
		push(w, child, true, self_in(w, child));
		i = self_from(w, nodes[child].end);
	}
}

/* Where the stacks of a member go on. */
static void push_next(struct growing *w, struct call_graph_member m)
{
	const struct call_graph_node *nodes = w->s->nodes.v;
	u32 next;

	if (!w->o->caller) {
		next = nodes[m.node].parent;
		if (nodes[next].parent != ID_NONE)
			push(w, next, false, (struct amount){m.samples, m.weight});
		return;
	}
	if (m.whole) {
		push_next_whole(w, m.node);
		return;
	}
	for (next = m.node + 1; next < nodes[m.node].end; next = nodes[next].end)
		push(w, next, false, amount_at(w, next));
}

static int compare_members(const void *a, const void *b)
{
	const struct call_graph_member *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return x->whole - y->whole;
}

/* Members from `from` on by function; those at one node become one. */
static void gather(struct growing *w, u32 from)
{
	struct call_graph_member *v = w->g->members.v, *last = NULL;
	u32 nr = w->g->members.nr, to = from, i;

	for (i = from + 1; i < nr && compare_members(&v[i - 1], &v[i]) < 0; i++)
		;
	if (i >= nr)
		return;
	qsort(&v[from], nr - from, sizeof(*v), compare_members);
	for (i = from; i < nr; i++) {
		if (last && !compare_members(last, &v[i])) {
			last->samples += v[i].samples;
			last->weight += v[i].weight;
			continue;
		}
		last = &v[to++];
		*last = v[i];
	}
	w->g->members.nr = to;
}

static struct amount sum(const struct call_graph *g, u32 from, u32 to)
{
	struct amount a = {0};

	for (; from < to; from++) {
		a.samples += g->members.v[from].samples;
		a.weight += g->members.v[from].weight;
	}
	return a;
}

/* A sibling while it is not known yet whether it stays: members from `from` up to `to`. */
struct group {
	u32 from, to;
	struct amount a;
};

static bool before(const struct growing *w, const struct group *a, const struct group *b)
{
	bool by_weight = w->o->type == CALL_GRAPH_ABSOLUTE || w->o->type == CALL_GRAPH_FRACTAL;
	const struct call_graph_member *m = w->g->members.v;
	u32 x = w->s->nodes.v[m[a->from].node].function,
	    y = w->s->nodes.v[m[b->from].node].function;
	int ret;

	if (by_weight && a->a.weight != b->a.weight)
		return a->a.weight > b->a.weight;
	ret = call_graph_functions_compare(&w->s->functions, x, y);
	return ret ? ret < 0 : a->from < b->from;
}

static int compare_groups(const void *a, const void *b, void *growing)
{
	const struct group *x = a, *y = b;

	return before(growing, x, y) ? -1 : before(growing, y, x) ? 1 : 0;
}

struct group_list {
	struct group *v;
	u32 nr, cap;
};

/* The siblings that stay, of members from `from` on; in their order. */
static bool choose(struct growing *w, u32 from, struct amount all, struct group_list *l)
{
	const struct call_graph_member *m = w->g->members.v;
	u32 nr = w->g->members.nr, at, next;
	u64 least = w->least;
	struct group *group;

	if (w->o->type == CALL_GRAPH_FRACTAL)
		least = (u64)ceil((double)all.weight * (w->o->threshold / 100));
	for (at = from; at < nr; at = next) {
		for (next = at; next < nr && m[next].function == m[at].function; next++)
			;
		group = vec_push(l);
		if (!group)
			return false;
		*group = (struct group){at, next, sum(w->g, at, next)};
		if (group->a.weight < least)
			l->nr--;
	}
	if (l->nr)
		qsort_r(l->v, l->nr, sizeof(*l->v), compare_groups, w);
	return true;
}

/* Put copies of some members behind all. */
static bool copy_members(struct call_graph *g, u32 from, u32 to)
{
	u32 at = g->members.nr, nr = to - from;

	if (!vec_reserve(&g->members, (u64)at + nr))
		return false;
	if (nr)
		memcpy(&g->members.v[at], &g->members.v[from], nr * sizeof(*g->members.v));
	g->members.nr += nr;
	return true;
}

/*
 * The functions of a branch, from the one of the members from `from` on, as long as there is one way only.
 * Behind it the members from there on, which are gathered, are those of its children.
 */
static bool grow_branch(struct growing *w, u32 branch, u32 from)
{
	struct call_graph *g = w->g;
	struct amount here = sum(g, from, g->members.nr), next;
	u32 nr, i, *function;

	g->v.v[branch].function = g->functions.nr;
	for (;;) {
		function = vec_push(&g->functions);
		if (!function)
			return false;
		*function = w->s->nodes.v[g->members.v[from].node].function;
		nr = g->members.nr;
		for (i = from; i < nr; i++)
			push_next(w, g->members.v[i]);
		gather(w, nr);
		next = sum(g, nr, g->members.nr);
		memmove(&g->members.v[from], &g->members.v[nr],
			(g->members.nr - nr) * sizeof(*g->members.v));
		g->members.nr -= nr - from;
		if (w->failed || next.samples != here.samples ||
		    g->members.v[from].function != g->members.v[g->members.nr - 1].function)
			break;
	}
	g->v.v[branch].nr_functions = g->functions.nr - g->v.v[branch].function;
	g->v.v[branch].self_samples = here.samples - next.samples;
	g->v.v[branch].self_weight = here.weight - next.weight;
	return !w->failed;
}

/* The branches that members from `from` on make: children of one, or the first (ID_NONE). */
static bool grow(struct growing *w, u32 parent, u32 from)
{
	struct call_graph *g = w->g;
	struct amount all = sum(g, from, g->members.nr);
	struct group_list groups = {0};
	u32 first = g->v.nr, at = g->members.nr, i;
	bool ok = choose(w, from, all, &groups) && vec_reserve(&g->v, (u64)first + groups.nr);

	for (i = 0; ok && i < groups.nr; i++)
		g->v.v[g->v.nr++] = (struct call_graph_branch){.parent = parent,
							       .samples = groups.v[i].a.samples,
							       .weight = groups.v[i].a.weight};
	if (parent == ID_NONE) {
		g->nr_roots = groups.nr;
		g->samples = all.samples;
	} else if (ok) {
		g->v.v[parent].child = first;
		g->v.v[parent].nr_children = groups.nr;
		g->v.v[parent].all_samples = all.samples;
		g->v.v[parent].all_weight = all.weight;
	}
	for (i = 0; ok && i < groups.nr; i++) {
		ok = copy_members(g, groups.v[i].from, groups.v[i].to) &&
		     grow_branch(w, first + i, at) && grow(w, first + i, at);
		g->members.nr = at;
	}
	vec_free(&groups);
	return ok;
}

/* Whole stacks. */
static void push_self(struct growing *w)
{
	const struct call_graph_stack *v = &w->s->stacks.v[w->self.first];
	u32 node, i;

	if (!w->self.nr)
		return;
	if (w->o->caller) {
		for (node = v->node; w->s->nodes.v[node].parent != ID_NONE;)
			node = w->s->nodes.v[node].parent;
		push_next(w, (struct call_graph_member){.node = node, .whole = true});
		return;
	}
	for (i = 0; i < w->self.nr; i++)
		push(w, v[i].node, false, (struct amount){v[i].samples, v[i].weight});
}

/* Of what goes through the row's place several times, the outermost time counts. */
static void push_called(struct growing *w, struct call_graph_span sites)
{
	const struct call_graph_site *v = &w->s->sites.v[sites.first];
	u32 end = 0, i;

	for (i = 0; i < sites.nr; i++) {
		if (v[i].node < end)
			continue;
		end = w->s->nodes.v[v[i].node].end;
		push(w, v[i].node, false, amount_at(w, v[i].node));
	}
}

/* The innermost time counts: what goes on to another site is taken off again. */
static void push_callers(struct growing *w, struct call_graph_span sites)
{
	const struct call_graph_site *v = &w->s->sites.v[sites.first];
	struct call_graph_numbers open = {0}; /* members that contain the site */
	struct call_graph_member *m;
	struct amount a;
	u32 i;

	for (i = 0; i < sites.nr && !w->failed; i++) {
		a = amount_at(w, v[i].node);
		if (!a.samples)
			continue;
		m = w->g->members.v;
		while (open.nr && w->s->nodes.v[m[open.v[open.nr - 1]].node].end <= v[i].node)
			open.nr--;
		if (open.nr) {
			m[open.v[open.nr - 1]].samples -= a.samples;
			m[open.v[open.nr - 1]].weight -= a.weight;
		}
		push(w, v[i].node, false, a);
		w->failed = w->failed || !vec_push(&open);
		if (!w->failed)
			open.v[open.nr - 1] = w->g->members.nr - 1;
	}
	vec_free(&open);
}

/* Without those that nothing is left of. */
static void drop_empty(struct call_graph *g)
{
	u32 i, to = 0;

	for (i = 0; i < g->members.nr; i++)
		if (g->members.v[i].samples)
			g->members.v[to++] = g->members.v[i];
	g->members.nr = to;
}

int call_graph_make(struct call_graph *g, const struct call_graph_stacks *s, u32 root, u32 place,
		    const struct call_graph_options *o, u64 total, struct err *err)
{
	struct growing w = {.g = g,
			    .s = s,
			    .o = o,
			    .self = call_graph_stacks_of(s, root, place),
			    .least = (u64)((double)total * (o->threshold / 100))};
	struct call_graph_span sites = call_graph_stacks_sites(s, root, place);

	g->stacks = s;
	g->v.nr = g->nr_roots = g->functions.nr = g->members.nr = 0;
	push_self(&w);
	if (o->caller)
		push_called(&w, sites);
	else
		push_callers(&w, sites);
	drop_empty(g);
	gather(&w, 0);
	if (w.failed || !grow(&w, ID_NONE, 0))
		return err_nomem(err);
	return 0;
}

void call_graph_free(struct call_graph *g)
{
	vec_free(&g->v);
	vec_free(&g->functions);
	vec_free(&g->members);
}
