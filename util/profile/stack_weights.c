// SPDX-License-Identifier: GPL-2.0
#include "util/profile/stack_weights.h"

#include <stdlib.h>

#include "util/base/hash.h"

static u32 hash_of(u32 root, u32 node, u32 top)
{
	return (u32)hash_u64(((u64)root << 32 | node) ^ (u64)top * 0x9e3779b97f4a7c15ull);
}

static bool grow(struct stack_weights *w)
{
	u32 size = w->slots ? (w->mask + 1) * 2 : 1024, i, at;
	const struct stack_weight *e;
	u32 *slots = size ? calloc(size, sizeof(*slots)) : NULL;

	if (!slots)
		return false;
	for (i = 0; i < w->v.nr; i++) {
		e = &w->v.v[i];
		at = hash_of(e->root, e->node, e->top) & (size - 1);
		while (slots[at])
			at = (at + 1) & (size - 1);
		slots[at] = i + 1;
	}
	free(w->slots);
	w->slots = slots;
	w->mask = size - 1;
	return true;
}

static void count(struct stack_weight *e, u64 weight, u32 samples)
{
	e->samples += samples;
	e->squares += (double)weight * (double)weight * samples;
	e->weight = stack_weights_sum(e->weight, weight, samples);
}

bool stack_weights_count(struct stack_weights *w, u32 root, u32 node, u32 top, u64 weight,
			 u32 samples)
{
	struct stack_weight *e = w->last < w->v.nr ? &w->v.v[w->last] : NULL;
	u32 at;

	/* often the same again */
	if (e && e->node == node && e->root == root && e->top == top) {
		count(e, weight, samples);
		return true;
	}
	if (node == ID_NONE)
		return false;
	if ((!w->slots || (u64)w->v.nr * 4 >= ((u64)w->mask + 1) * 3) && !grow(w))
		return false;
	for (at = hash_of(root, node, top) & w->mask; w->slots[at]; at = (at + 1) & w->mask) {
		e = &w->v.v[w->slots[at] - 1];
		if (e->node == node && e->root == root && e->top == top)
			break;
	}
	if (!w->slots[at]) {
		e = vec_push(&w->v);
		if (!e)
			return false;
		*e = (struct stack_weight){.root = root, .node = node, .top = top};
		w->slots[at] = w->v.nr;
	}
	w->last = w->slots[at] - 1;
	count(e, weight, samples);
	return true;
}

void stack_weights_free(struct stack_weights *w)
{
	vec_free(&w->v);
	free(w->slots);
	w->slots = NULL;
	w->mask = 0;
}
