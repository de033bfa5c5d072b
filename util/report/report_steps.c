// SPDX-License-Identifier: GPL-2.0
#include "util/report/report_steps.h"

#include <stdlib.h>

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

int report_steps_make(struct report_steps *s, struct report_places *places, struct err *err)
{
	*s = (struct report_steps){0};
	if (add_nodes(s, places) && find_again(s, places))
		return 0;
	return err_nomem(err);
}

void report_steps_free(struct report_steps *s)
{
	vec_free(&s->v);
	free(s->first);
	s->first = NULL;
}
