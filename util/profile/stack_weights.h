/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stack_weights.h - how many samples, of what weight together, each stack has.
 *
 * Beside its node in a stack_tree, what is counted may have a root below the stack (its command,
 * its thread, its CPU) and a top above it (the value of a field): numbers that mean what the caller
 * says, ID_NONE for none. Entries are in order of first sight, so the same samples give the same order.
 *
 * Zero-initialised, it is empty and ready.
 */
#ifndef PROFILE_STACK_WEIGHTS_H
#define PROFILE_STACK_WEIGHTS_H

#include "util/base/vec.h"

#include "util/base/num.h"

struct stack_weight {
	u32 root, node, top;
	u64 samples;
	u64 weight;     /* stays at 2^64 - 1 when it gets there */
	double squares; /* of the samples' weights, added up: how they scatter */
};

struct stack_weights {
	VEC(struct stack_weight) v;
	u32 *slots; /* index in v + 1, 0: free */
	u32 mask;
	u32 last; /* index in v of the one that was counted last */
};

/* A sum and the weight of so many samples; it stays at 2^64 - 1 when it gets there. */
static inline u64 stack_weights_sum(u64 sum, u64 weight, u32 samples)
{
	return __builtin_mul_overflow(weight, (u64)samples, &weight) ? UINT64_MAX
								     : num_sum(sum, weight);
}

/* Count samples, each of that weight. False when memory is out, or node is ID_NONE. */
bool stack_weights_count(struct stack_weights *w, u32 root, u32 node, u32 top, u64 weight,
			 u32 samples);
/* One sample. */
static inline bool stack_weights_add(struct stack_weights *w, u32 root, u32 node, u32 top,
				     u64 weight)
{
	return stack_weights_count(w, root, node, top, weight, 1);
}
void stack_weights_free(struct stack_weights *w);

#endif
