/* SPDX-License-Identifier: GPL-2.0 */
/*
 * call_chain_ids.h - call chains that were seen before are known by a number.
 *
 * One number is one sequence of words among the same mappings: what was found out of it, its
 * frames, its text, holds for all samples that have the number. Numbers begin at 1 and are never
 * given twice. Memory is bounded: when there are too many stacks all are forgotten, and a stack
 * that comes again gets another number.
 *
 * Zero-initialised, it is empty and ready.
 */
#ifndef PROFILE_CALL_CHAIN_IDS_H
#define PROFILE_CALL_CHAIN_IDS_H

#include "util/base/vec.h"

/* Where a stack was seen: process.h, maps_state. */
struct stack_place {
	u32 user, kernel;
};

struct known_stack {
	u64 hash;
	struct stack_place place;
	u32 at, nr; /* its words */
};

struct call_chain_ids {
	VEC(u64) words;
	VEC(struct known_stack) stacks;
	u32 *slots; /* index in stacks + 1, 0: free */
	u32 first;  /* the number of stacks.v[0] */
};

/* The number of a stack of `nr` words; 0: it has none, since it is too long or memory is out. */
u32 call_chain_ids_get(struct call_chain_ids *s, const u64 *words, u32 nr,
		       struct stack_place place);
void call_chain_ids_free(struct call_chain_ids *s);

#endif
