// SPDX-License-Identifier: GPL-2.0
#include "util/report/count_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "util/base/hash.h"
#include "util/profile/symboliser.h"

#define FIRST_SLOTS 256

int count_stacks_init(struct count_stacks *s, struct stack_tree *tree, enum count_half half,
		      u32 depth, struct err *err)
{
	*s = (struct count_stacks){.tree = tree, .half = half, .depth = depth};
	/* stack 0, which no slot leads to */
	return vec_push(&s->stacks) ? 0 : err_nomem(err);
}

void count_stacks_free(struct count_stacks *s)
{
	vec_free(&s->of_node);
	vec_free(&s->frames);
	vec_free(&s->stacks);
	free(s->slots);
	s->slots = NULL;
	s->mask = 0;
}

/* NULL of what is not known: STACK_CUT. */
static const struct frame *frame_of(const struct count_stacks *s, u32 frame)
{
	const struct symboliser *r = s->tree->symboliser;

	return frame < r->frames.nr ? &r->frames.v[frame] : NULL;
}

/* What is missing of a stack is the user's: the kernel's half is whole. */
static bool is_wanted(const struct count_stacks *s, const struct frame *f)
{
	switch (s->half) {
	case COUNT_HALF_KERNEL:
		return f && f->kind == FRAME_KERNEL;
	case COUNT_HALF_USER:
		return !f || f->kind == FRAME_USER;
	default:
		return true;
	}
}

/* A frame by its place in the file, so that it is the same in every process. */
static u64 hash_frame(const struct count_stacks *s, struct stack_frame c)
{
	const struct frame *f = frame_of(s, c.frame);

	return f ? hash_u64(f->addr ^ (u64)f->dso << 40) + f->kind * 2u + c.inlines : 1;
}

static bool same_frame(const struct count_stacks *s, struct stack_frame a, struct stack_frame b)
{
	const struct frame *x = frame_of(s, a.frame), *y = frame_of(s, b.frame);

	if (!x || !y)
		return x == y;
	return x->addr == y->addr && x->dso == y->dso && x->kind == y->kind &&
	       x->symbol == y->symbol && a.inlines == b.inlines;
}

/* Append the wanted frames of a node behind those of all stacks; false when memory is out. */
static bool collect(struct count_stacks *s, u32 node, struct count_stack *stack)
{
	const struct stack_node *n;
	u32 before = s->frames.nr;
	struct stack_frame *to;

	*stack = (struct count_stack){.at = before};
	for (; node; node = n->parent) {
		n = &s->tree->nodes.v[node];
		if (!is_wanted(s, frame_of(s, n->frame)))
			continue;
		to = vec_push(&s->frames);
		if (!to) {
			s->frames.nr = before;
			return false;
		}
		*to = (struct stack_frame){n->frame, n->inlines};
		stack->hash = hash_u64(stack->hash + hash_frame(s, *to));
		if (++stack->nr == s->depth)
			break;
	}
	return true;
}

static bool same_stack(const struct count_stacks *s, const struct count_stack *a,
		       const struct count_stack *b)
{
	u32 i;

	if (a->hash != b->hash || a->nr != b->nr)
		return false;
	for (i = 0; i < a->nr; i++)
		if (!same_frame(s, s->frames.v[a->at + i], s->frames.v[b->at + i]))
			return false;
	return true;
}

/* The slot of a stack, or the free one where it belongs. */
static u32 slot_of(const struct count_stacks *s, const struct count_stack *stack)
{
	u32 i = (u32)(stack->hash >> 8) & s->mask;

	while (s->slots[i] && !same_stack(s, &s->stacks.v[s->slots[i] - 1], stack))
		i = (i + 1) & s->mask;
	return i;
}

static bool grow(struct count_stacks *s)
{
	u32 size = s->slots ? (s->mask + 1) * 2 : FIRST_SLOTS, i;
	u32 *slots = size ? calloc(size, sizeof(*slots)) : NULL;

	if (!slots)
		return false;
	free(s->slots);
	s->slots = slots;
	s->mask = size - 1;
	for (i = 1; i < s->stacks.nr; i++)
		s->slots[slot_of(s, &s->stacks.v[i])] = i + 1;
	return true;
}

/* The number of a stack whose frames are the last ones; they stay there if it is new. */
static u32 settle(struct count_stacks *s, const struct count_stack *stack)
{
	struct count_stack *to;
	u32 slot;

	if (!stack->nr)
		return 0;
	if ((!s->slots || (u64)s->stacks.nr * 4 >= ((u64)s->mask + 1) * 3) && !grow(s))
		return ID_NONE;
	slot = slot_of(s, stack);
	if (s->slots[slot])
		return s->slots[slot] - 1;
	to = vec_push(&s->stacks);
	if (!to)
		return ID_NONE;
	*to = *stack;
	s->slots[slot] = s->stacks.nr;
	return s->stacks.nr - 1;
}

static u32 make(struct count_stacks *s, u32 node)
{
	struct count_stack stack;
	u32 id;

	if (!collect(s, node, &stack))
		return ID_NONE;
	id = settle(s, &stack);
	if (id == ID_NONE || s->stacks.v[id].at != stack.at)
		s->frames.nr = stack.at;
	return id;
}

u32 count_stacks_get(struct count_stacks *s, u32 node)
{
	u32 id;

	if (node == ID_NONE)
		return ID_NONE;
	while (s->of_node.nr <= node)
		if (!vec_push(&s->of_node))
			return ID_NONE;
	if (s->of_node.v[node])
		return s->of_node.v[node] - 1;
	id = make(s, node);
	if (id != ID_NONE)
		s->of_node.v[node] = id + 1;
	return id;
}

void count_stacks_keep(const struct count_stacks *s, const struct session_numbers *kept)
{
	u32 i;

	for (i = 0; i < s->frames.nr; i++)
		if (s->frames.v[i].frame < kept->nr_frames)
			kept->frames[s->frames.v[i].frame] = 1;
}

void count_stacks_moved(struct count_stacks *s, const struct session_numbers *now)
{
	u32 i;

	for (i = 0; i < s->frames.nr; i++)
		if (s->frames.v[i].frame < now->nr_frames)
			s->frames.v[i].frame = now->frames[s->frames.v[i].frame] & STACK_CUT;
	s->of_node.nr = 0;
}
