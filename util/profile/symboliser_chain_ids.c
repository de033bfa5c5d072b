// SPDX-License-Identifier: GPL-2.0
#include "util/profile/symboliser.h"

#include <stdlib.h>

#include "util/base/hash.h"

#define SLOTS      (1u << 16)
#define STACKS_MAX (SLOTS / 2)
#define WORDS_MAX  (1u << 19)

static bool is_same(const struct call_chain_ids *s, const struct known_stack *k, u64 hash,
		    const u64 *words, u32 nr, struct stack_place place)
{
	return k->hash == hash && k->nr == nr && k->place.user == place.user &&
	       k->place.kernel == place.kernel &&
	       !memcmp(s->words.v + k->at, words, nr * sizeof(*words));
}

void call_chain_ids_forget(struct call_chain_ids *s)
{
	s->first += s->stacks.nr;
	s->stacks.nr = s->words.nr = 0;
	if (s->slots)
		memset(s->slots, 0, SLOTS * sizeof(*s->slots));
}

static u32 add(struct call_chain_ids *s, u32 slot, const struct known_stack *k, const u64 *words)
{
	struct known_stack *to;

	if (!vec_reserve(&s->words, s->words.nr + k->nr))
		return 0;
	to = vec_push(&s->stacks);
	if (!to)
		return 0;
	*to = *k;
	to->at = s->words.nr;
	memcpy(s->words.v + s->words.nr, words, k->nr * sizeof(*words));
	s->words.nr += k->nr;
	s->slots[slot] = s->stacks.nr;
	return s->first + s->stacks.nr;
}

u32 call_chain_ids_get(struct call_chain_ids *s, const u64 *words, u32 nr, struct stack_place place)
{
	struct known_stack k = {.place = place, .nr = nr};
	u32 slot;

	if (!nr || nr > WORDS_MAX / 16)
		return 0;
	if (!s->slots) {
		s->slots = calloc(SLOTS, sizeof(*s->slots));
		if (!s->slots)
			return 0;
	}
	k.hash = hash_bytes(words, nr * sizeof(*words)) ^
		 hash_u64((u64)place.user << 32 | place.kernel);
	for (slot = k.hash % SLOTS; s->slots[slot]; slot = (slot + 1) % SLOTS)
		if (is_same(s, &s->stacks.v[s->slots[slot] - 1], k.hash, words, nr, place))
			return s->first + s->slots[slot];
	if (s->stacks.nr == STACKS_MAX || nr > WORDS_MAX - s->words.nr) {
		call_chain_ids_forget(s);
		slot = k.hash % SLOTS;
	}
	return add(s, slot, &k, words);
}

void call_chain_ids_free(struct call_chain_ids *s)
{
	vec_free(&s->words);
	vec_free(&s->stacks);
	free(s->slots);
	s->slots = NULL;
}
