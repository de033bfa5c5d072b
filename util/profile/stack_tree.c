// SPDX-License-Identifier: GPL-2.0
#include "util/profile/stack_tree.h"

#include <stdlib.h>
#include <string.h>

#include "util/profile/symboliser.h"
#include "util/record/chain.h"

/* The node of the stack that has this number. */
struct known_node {
	u32 stack, node;
};

/* More than there are numbers before the oldest are forgotten (symboliser.h). */
#define KNOWN_SLOTS (1u << 16)

static u32 child(struct stack_tree *t, u32 parent, u32 frame, bool inlines)
{
	u64 key = (u64)parent << 32 | (u64)frame << 1 | inlines;
	struct stack_node *n;
	u32 id;

	if (parent == ID_NONE || frame > STACK_CUT)
		return ID_NONE;
	id = hmap_get(&t->children, key);
	if (id != ID_NONE)
		return id;
	n = t->nodes.nr < ID_NONE ? vec_push(&t->nodes) : NULL;
	if (!n)
		return ID_NONE;
	*n = (struct stack_node){.parent = parent, .frame = frame, .inlines = inlines};
	if (hmap_set(&t->children, key, t->nodes.nr - 1))
		return t->nodes.nr - 1;
	t->nodes.nr--;
	return ID_NONE;
}

static bool is_cut(const struct sample *s)
{
	return sample_is_unwound(s) && s->chain[s->chain_nr - 1] != CHAIN_END + CHAIN_ROOT;
}

static u32 make_stack(struct stack_tree *t, const struct session_sample *s)
{
	const struct sample *v = s->sample;
	u32 node = 0, i;

	t->chain.nr = 0;
	if (!t->symboliser->options.max_stack)
		return node;
	if (is_cut(v))
		node = child(t, node, STACK_CUT, false);
	if (!symboliser_chain(t->symboliser, s->thread, v, &t->chain))
		return ID_NONE;
	for (i = t->chain.nr; i-- > 0 && node != ID_NONE;)
		if (!t->named_only || t->symboliser->frames.v[t->chain.v[i]].symbol)
			node = child(t, node, t->chain.v[i], t->chain.inlines);
	if (!t->chain.nr && v->ids.has & PERF_SAMPLE_IP)
		node = child(t, node,
			     symboliser_address(t->symboliser, s->thread,
						v->misc & PERF_RECORD_MISC_CPUMODE_MASK, v->ip),
			     t->chain.inlines);
	return node;
}

u32 stack_tree_get(struct stack_tree *t, const struct session_sample *s)
{
	struct known_node *k = &t->known[s->stack % KNOWN_SLOTS];
	u32 node;

	if (s->stack && k->stack == s->stack)
		return k->node;
	node = make_stack(t, s);
	/* a chain without frames gets its frame from the sample's ip, which the chain's number does not cover */
	if (s->stack && node != ID_NONE && t->chain.nr)
		*k = (struct known_node){s->stack, node};
	return node;
}

u32 stack_tree_path(struct stack_tree *t, const struct stack_frame *frames, u32 nr)
{
	u32 node = 0;

	while (nr-- > 0 && node != ID_NONE)
		node = child(t, node, frames[nr].frame, frames[nr].inlines);
	return node;
}

const struct frame *stack_tree_frame(const struct stack_tree *t, u32 node)
{
	u32 frame = node && node < t->nodes.nr ? t->nodes.v[node].frame : STACK_CUT;

	return frame < t->symboliser->frames.nr ? &t->symboliser->frames.v[frame] : NULL;
}

int stack_tree_init(struct stack_tree *t, struct symboliser *symboliser, struct err *err)
{
	struct stack_node *root;

	*t = (struct stack_tree){.symboliser = symboliser};
	t->known = calloc(KNOWN_SLOTS, sizeof(*t->known));
	root = t->known ? vec_push(&t->nodes) : NULL;
	if (!root)
		return err_nomem(err);
	*root = (struct stack_node){.parent = ID_NONE, .frame = STACK_CUT};
	return 0;
}

void stack_tree_clear(struct stack_tree *t)
{
	t->nodes.nr = 1;
	hmap_clear(&t->children);
	memset(t->known, 0, KNOWN_SLOTS * sizeof(*t->known));
}

void stack_tree_free(struct stack_tree *t)
{
	vec_free(&t->nodes);
	hmap_free(&t->children);
	vec_free(&t->chain);
	free(t->known);
	t->known = NULL;
}
