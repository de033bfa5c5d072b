// SPDX-License-Identifier: GPL-2.0
#include "util/report/call_graph.h"

#include <stdlib.h>
#include <string.h>

/* A node of the tree in the order in which they are made: a parent comes before its children. */
struct made_node {
	u32 parent, function, place;
	u32 size, first; /* of the branch */
	u64 samples, weight;
};

struct making {
	struct call_graph_stacks *s;
	const struct report_samples *samples;
	struct report_places *places;
	bool callers;
	VEC(struct made_node) nodes;
	struct hmap children; /* (parent, step) -> node */
	struct hmap steps;    /* (function, place) -> step */
	u32 nr_steps;
	u32 *of_root;     /* + 1, by root */
	u32 *of_node;     /* + 1, by node of the stack tree, on the root that is dealt with */
	VEC(u32) touched; /* in of_node */
	VEC(u32) path;    /* of nodes of the stack tree, innermost first */
	u32 *moved;       /* where nodes are in preorder */
};

static u64 pair(u32 a, u32 b)
{
	return (u64)a << 32 | b;
}

static u32 add_node(struct making *m, u32 parent, u32 function, u32 place)
{
	struct made_node *n = m->nodes.nr < INT32_MAX ? vec_push(&m->nodes) : NULL;

	if (!n)
		return ID_NONE;
	*n = (struct made_node){.parent = parent,
				.function = function,
				.place = place,
				.size = 1,
				.first = ID_NONE};
	return m->nodes.nr - 1;
}

/* The key of a node among its siblings. */
static u32 step_of(struct making *m, u32 function, u32 place)
{
	u32 same = m->s->functions.v.v[function].same, step;

	if (!m->callers)
		return same;
	step = hmap_get(&m->steps, pair(same, place));
	if (step != ID_NONE)
		return step;
	return hmap_set(&m->steps, pair(same, place), m->nr_steps) ? m->nr_steps++ : ID_NONE;
}

static u32 child(struct making *m, u32 parent, u32 function, u32 place)
{
	u32 step, id;

	if (function == ID_NONE || place == ID_NONE)
		return ID_NONE;
	step = step_of(m, function, place);
	if (step == ID_NONE)
		return ID_NONE;
	id = hmap_get(&m->children, pair(parent, step));
	if (id != ID_NONE)
		return id;
	id = add_node(m, parent, function, place);
	if (id == ID_NONE || !hmap_set(&m->children, pair(parent, step), id))
		return ID_NONE;
	return id;
}

/* The node below `at` for one of the stack tree, behind what was inlined there. */
static u32 descend(struct making *m, u32 at, u32 node)
{
	struct call_graph_functions *f = &m->s->functions;
	u32 frame = m->places->stacks->nodes.v[node].frame, inlined, i;

	if (!stack_tree_frame(m->places->stacks, node))
		return at;
	if (!report_places_inlined(m->places, node, &inlined))
		return ID_NONE;
	at = child(m, at, call_graph_functions_get(f, frame, inlined),
		   m->callers ? report_places_get_caller(m->places, frame) : 0);
	for (i = inlined; i-- > 0 && at != ID_NONE;)
		at = child(m, at, call_graph_functions_inlined(f, frame, i),
			   m->callers ? report_places_get_inlined(m->places, frame, i) : 0);
	return at;
}

static u32 node_of_root(struct making *m, u32 root)
{
	if (!m->of_root[root])
		m->of_root[root] = add_node(m, ID_NONE, ID_NONE, ID_NONE) + 1;
	return m->of_root[root] - 1;
}

/* The node of a stack on a root; ID_NONE when memory is out. */
static u32 find_stack(struct making *m, u32 root, u32 node)
{
	const struct stack_node *nodes = m->places->stacks->nodes.v;
	u32 at, n = 0, *touched;

	for (; node && !m->of_node[node]; node = nodes[node].parent) {
		if (!vec_reserve(&m->path, n + 1))
			return ID_NONE;
		m->path.v[n++] = node;
	}
	at = node ? m->of_node[node] - 1 : node_of_root(m, root);
	while (n-- > 0 && at != ID_NONE) {
		at = descend(m, at, m->path.v[n]);
		touched = vec_push(&m->touched);
		if (at == ID_NONE || !touched)
			return ID_NONE;
		*touched = m->path.v[n];
		m->of_node[m->path.v[n]] = at + 1;
	}
	return at;
}

static bool add_stack(struct making *m, u32 number)
{
	const struct stack_weight *w = &m->samples->weights.v.v[number];
	u32 frame = w->top == STACK_CUT ? m->places->stacks->nodes.v[w->node].frame : w->top;
	u32 node = find_stack(m, w->root, w->node), place = report_places_get(m->places, frame);
	struct call_graph_stack *s;

	if (node == ID_NONE || place == ID_NONE)
		return false;
	m->nodes.v[node].samples += w->samples;
	m->nodes.v[node].weight += w->weight;
	m->nodes.v[node].first = MIN(m->nodes.v[node].first, number);
	/* a stack without frames is no call chain */
	if (m->nodes.v[node].parent == ID_NONE)
		return true;
	s = vec_push(&m->s->stacks);
	if (!s)
		return false;
	*s = (struct call_graph_stack){.root = w->root,
				       .place = place,
				       .node = node,
				       .first = number,
				       .samples = w->samples,
				       .weight = w->weight};
	return true;
}

static void next_root(struct making *m)
{
	u32 i;

	for (i = 0; i < m->touched.nr; i++)
		m->of_node[m->touched.v[i]] = 0;
	m->touched.nr = 0;
}

/*
 * Sort indices by one word of the elements that they refer to, stably: words are at `key`, then
 * every `stride` bytes, and are below `max`.
 */
static bool sort_by(u32 *order, u32 nr, const void *key, size_t stride, u32 max)
{
	u32 *at = calloc((size_t)max + 1, sizeof(*at)),
	    *to = malloc(((size_t)nr + 1) * sizeof(*to));
	const char *keys = key;
	bool ok = at && to;
	u32 i;

	for (i = 0; ok && i < nr; i++)
		at[*(const u32 *)(keys + order[i] * stride) + 1]++;
	for (i = 1; ok && i <= max; i++)
		at[i] += at[i - 1];
	for (i = 0; ok && i < nr; i++)
		to[at[*(const u32 *)(keys + order[i] * stride)]++] = order[i];
	if (ok)
		memcpy(order, to, nr * sizeof(*to));
	free(at);
	free(to);
	return ok;
}

static u32 *numbers(u32 nr)
{
	u32 *v = malloc(((size_t)nr + 1) * sizeof(*v)), i;

	for (i = 0; v && i < nr; i++)
		v[i] = i;
	return v;
}

static bool add_stacks(struct making *m)
{
	const struct stack_weights *w = &m->samples->weights;
	u32 *order = numbers(w->v.nr), i;
	bool ok;

	m->of_root = calloc((size_t)m->samples->nr_roots + 1, sizeof(u32));
	m->of_node = calloc(m->places->stacks->nodes.nr, sizeof(u32));
	ok = order && m->of_root && m->of_node;
	if (ok && w->v.nr)
		ok = sort_by(order, w->v.nr, &w->v.v[0].root, sizeof(*w->v.v),
			     m->samples->nr_roots);
	for (i = 0; ok && i < w->v.nr; i++) {
		if (i && w->v.v[order[i]].root != w->v.v[order[i - 1]].root)
			next_root(m);
		ok = add_stack(m, order[i]);
	}
	free(order);
	return ok;
}

/* Sum up the branches, and give each node its number in preorder. */
static bool move_nodes(struct making *m)
{
	struct made_node *v = m->nodes.v, *n;
	u32 *next = calloc((size_t)m->nodes.nr + 1, sizeof(*next)), free_at = 0, i, *at;

	m->moved = calloc((size_t)m->nodes.nr + 1, sizeof(*m->moved));
	if (!next || !m->moved) {
		free(next);
		return false;
	}
	for (i = m->nodes.nr; i-- > 0;) {
		n = &v[i];
		if (n->parent == ID_NONE)
			continue;
		v[n->parent].size += n->size;
		v[n->parent].samples += n->samples;
		v[n->parent].weight += n->weight;
		v[n->parent].first = MIN(v[n->parent].first, n->first);
	}
	for (i = 0; i < m->nodes.nr; i++) {
		at = v[i].parent == ID_NONE ? &free_at : &next[v[i].parent];
		m->moved[i] = *at;
		*at += v[i].size;
		next[i] = m->moved[i] + 1;
	}
	free(next);
	return true;
}

static void find_deepest(struct call_graph_stacks *s)
{
	struct call_graph_node *v = s->nodes.v;
	u32 i;

	for (i = s->nodes.nr; i-- > 0;) {
		v[i].deepest = MAX(v[i].deepest, v[i].depth);
		if (v[i].parent != ID_NONE)
			v[v[i].parent].deepest = MAX(v[v[i].parent].deepest, v[i].deepest);
	}
}

static bool keep_nodes(struct making *m)
{
	struct call_graph_stacks *s = m->s;
	const struct made_node *from;
	struct call_graph_node *to;
	u32 i, depth;

	if (!move_nodes(m) || !vec_reserve(&s->nodes, m->nodes.nr))
		return false;
	for (i = 0; i < m->nodes.nr; i++) {
		from = &m->nodes.v[i];
		to = &s->nodes.v[m->moved[i]];
		*to = (struct call_graph_node){.function = from->function,
					       .parent = ID_NONE,
					       .end = m->moved[i] + from->size,
					       .first = from->first,
					       .samples = from->samples,
					       .weight = from->weight};
		if (from->parent == ID_NONE)
			continue;
		to->parent = m->moved[from->parent];
		depth = s->nodes.v[to->parent].depth + 1u;
		to->depth = (u16)MIN(depth, (u32)UINT16_MAX);
	}
	s->nodes.nr = m->nodes.nr;
	find_deepest(s);
	return true;
}

/* By root, place and node; those that are the same become one. */
static bool sort_stacks(struct making *m)
{
	struct call_graph_stacks *s = m->s;
	struct call_graph_stack *v = s->stacks.v, *old = NULL, *to, *last = NULL;
	u32 nr = s->stacks.nr, *order = numbers(nr), i;
	bool ok = order;

	for (i = 0; i < nr; i++)
		v[i].node = m->moved[v[i].node];
	if (ok && nr)
		ok = sort_by(order, nr, &v->node, sizeof(*v), s->nodes.nr) &&
		     sort_by(order, nr, &v->place, sizeof(*v), m->places->nr) &&
		     sort_by(order, nr, &v->root, sizeof(*v), m->samples->nr_roots);
	if (ok) {
		old = v;
		s->stacks.v = NULL;
		s->stacks.nr = s->stacks.cap = 0;
		ok = vec_reserve(&s->stacks, nr + 1ull);
	}
	for (i = 0; ok && i < nr; i++) {
		to = &old[order[i]];
		if (!last || last->root != to->root || last->place != to->place ||
		    last->node != to->node) {
			last = vec_push(&s->stacks);
			*last = *to;
			continue;
		}
		last->first = MIN(last->first, to->first);
		last->samples += to->samples;
		last->weight += to->weight;
	}
	free(order);
	free(old);
	return ok;
}

static void sum_stacks(struct call_graph_stacks *s)
{
	u64 samples = 0, weight = 0;
	u32 i;

	s->stacks.v[s->stacks.nr] = (struct call_graph_stack){.root = ID_NONE};
	for (i = 0; i <= s->stacks.nr; i++) {
		s->stacks.v[i].samples_before = samples;
		s->stacks.v[i].weight_before = weight;
		samples += s->stacks.v[i].samples;
		weight += s->stacks.v[i].weight;
	}
}

static bool keep_sites(struct making *m)
{
	struct call_graph_stacks *s = m->s;
	struct call_graph_site *all = calloc((size_t)m->nodes.nr + 1, sizeof(*all)), *to;
	u32 *order = numbers(m->nodes.nr), root, nr = 0, i;
	bool ok = all && order && vec_reserve(&s->sites, m->nodes.nr);

	/* roots are made, and lie in preorder, one after the other */
	for (root = 0; ok && root < m->samples->nr_roots; root++)
		if (m->of_root[root])
			all[m->moved[m->of_root[root] - 1]].root = root;
	for (i = 0; ok && i < m->nodes.nr; i++) {
		to = &all[m->moved[i]];
		to->node = m->moved[i];
		to->place = m->nodes.v[i].place;
	}
	for (i = 1; ok && i < m->nodes.nr; i++)
		if (all[i].place != ID_NONE)
			all[i].root = all[i - 1].root;
	for (i = 0; ok && i < m->nodes.nr; i++)
		if (all[i].place != ID_NONE)
			order[nr++] = i;
	if (ok && nr)
		ok = sort_by(order, nr, &all->place, sizeof(*all), m->places->nr) &&
		     sort_by(order, nr, &all->root, sizeof(*all), m->samples->nr_roots);
	for (i = 0; ok && i < nr; i++)
		s->sites.v[i] = all[order[i]];
	s->sites.nr = ok ? nr : 0;
	free(all);
	free(order);
	return ok;
}

int call_graph_stacks_make(struct call_graph_stacks *s, const struct report_samples *samples,
			   struct report_places *places, enum call_graph_key key, bool callers,
			   struct err *err)
{
	struct making m = {.s = s, .samples = samples, .places = places, .callers = callers};
	bool ok;

	*s = (struct call_graph_stacks){.samples = samples};
	call_graph_functions_init(&s->functions, places->stacks, key);
	ok = add_stacks(&m) && keep_nodes(&m) && sort_stacks(&m);
	if (ok)
		sum_stacks(s);
	if (ok && callers)
		ok = keep_sites(&m);
	vec_free(&m.nodes);
	hmap_free(&m.children);
	hmap_free(&m.steps);
	free(m.of_root);
	free(m.of_node);
	vec_free(&m.touched);
	vec_free(&m.path);
	free(m.moved);
	return ok ? 0 : err_nomem(err);
}

void call_graph_stacks_free(struct call_graph_stacks *s)
{
	call_graph_functions_free(&s->functions);
	vec_free(&s->nodes);
	vec_free(&s->stacks);
	vec_free(&s->sites);
}

/* Does entry i, which begins with root and place and has size bytes, sort before these? */
static bool is_before(const void *v, u32 i, size_t size, u32 root, u32 place)
{
	const u32 *e = (const u32 *)((const char *)v + i * size);

	return e[0] < root || (e[0] == root && e[1] < place);
}

/* The first of the entries [from, nr) that is not before root and place. */
static u32 lower_bound(const void *v, u32 from, u32 nr, size_t size, u32 root, u32 place)
{
	u32 mid;

	while (from < nr) {
		mid = from + (nr - from) / 2;
		if (is_before(v, mid, size, root, place))
			from = mid + 1;
		else
			nr = mid;
	}
	return from;
}

/* Most have few entries: the end is looked for from the beginning on, in growing steps. */
static struct call_graph_span span(const void *v, u32 nr, size_t size, u32 root, u32 place)
{
	u32 first = lower_bound(v, 0, nr, size, root, place), step = 1, end;

	while (step < nr - first && is_before(v, first + step, size, root, place + 1))
		step *= 2;
	end = lower_bound(v, first + step / 2, MIN(nr, first + step), size, root, place + 1);
	return (struct call_graph_span){first, end - first};
}

struct call_graph_span call_graph_stacks_of(const struct call_graph_stacks *s, u32 root, u32 place)
{
	return span(s->stacks.v, s->stacks.nr, sizeof(*s->stacks.v), root, place);
}

struct call_graph_span call_graph_stacks_sites(const struct call_graph_stacks *s, u32 root,
					       u32 place)
{
	return span(s->sites.v, s->sites.nr, sizeof(*s->sites.v), root, place);
}

static u32 depth_of(const struct call_graph_stacks *s, struct call_graph_span self,
		    struct call_graph_span sites, bool caller)
{
	const struct call_graph_node *n;
	u32 i, max = 0;

	for (i = 0; i < self.nr; i++)
		max = MAX(max, (u32)s->nodes.v[s->stacks.v[self.first + i].node].depth);
	for (i = 0; i < sites.nr; i++) {
		n = &s->nodes.v[s->sites.v[sites.first + i].node];
		max = MAX(max, caller ? n->deepest - n->depth + 1u : (u32)n->depth);
	}
	return max;
}

static u32 first_thread(const struct call_graph_stacks *s, struct call_graph_span self,
			struct call_graph_span sites)
{
	u32 i, first = ID_NONE;

	for (i = 0; i < self.nr; i++)
		first = MIN(first, s->stacks.v[self.first + i].first);
	for (i = 0; i < sites.nr; i++)
		first = MIN(first, s->nodes.v[s->sites.v[sites.first + i].node].first);
	return first == ID_NONE ? ID_NONE : s->samples->threads.v[first];
}

void call_graph_stacks_rank(const struct call_graph_stacks *s, struct report_entries *e,
			    bool caller)
{
	struct call_graph_span self, sites;
	struct report_entry *to;
	u32 i, depth;

	for (i = 0; i < e->v.nr; i++) {
		to = &e->v.v[i];
		self = call_graph_stacks_of(s, to->root, to->place);
		sites = call_graph_stacks_sites(s, to->root, to->place);
		depth = depth_of(s, self, sites, caller);
		to->thread = first_thread(s, self, sites);
		to->rank = caller ? -(s32)depth : (s32)depth;
	}
}
