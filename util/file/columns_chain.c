// SPDX-License-Identifier: GPL-2.0
#include "util/file/columns_chain.h"

#include "util/record/deferred.h"

static u64 word_at(const u8 *p, u32 i)
{
	u64 v;

	memcpy(&v, p + (size_t)i * 8, sizeof(v));
	return v;
}

static u32 add_user(struct columns_halves *h, const u8 *p, u32 nr, bool *is_new)
{
	u32 len;

	*is_new = false;
	if (columns_halves_again(h, h->last, p, nr, &len) && len == nr)
		return h->last;
	return columns_halves_add(h, p, nr, is_new);
}

/* The kernel half and its length; `last`: of that event. No half holds the word that begins the next. */
static u32 add_kernel(struct columns_halves *h, u32 last, const u8 *p, u32 nr, u32 *len,
		      bool *is_new)
{
	*is_new = false;
	if (columns_halves_again(h, last, p, nr, len) &&
	    (*len == nr || word_at(p, *len) == (u64)PERF_CONTEXT_USER))
		return last;
	*len = columns_halves_cut(p, nr);
	return columns_halves_add(h, p, *len, is_new);
}

/* What is new of the user half that was added last. */
static void tell_new(const struct columns_halves *users, u32 user, struct columns_stacks *s)
{
	if (users->failed)
		return;
	s->user_from = users->parents.v[user - 1];
	s->user_nodes = users->counts.v[user - 1];
	s->user_first = users->tree.nr - s->user_nodes + 1;
}

/* The numbers of the chain that comes now. Its words are only worth keeping where it comes again and again. */
static void keep(struct columns_chain *c, u32 kernel, u32 user, bool sample, const u8 *p, u32 nr)
{
	c->times = c->kernel == kernel && c->user == user ? c->times + 1 : 0;
	c->kernel = kernel;
	c->user = user;
	c->nr = sample && c->times >= COLUMNS_CHAIN_TIMES && nr <= COLUMNS_CHAIN_MAX ? nr : 0;
	if (c->nr)
		memcpy(c->words, p, (size_t)nr * 8);
}

void columns_chain_any(struct columns_chain *c, struct columns_halves halves[COLUMNS_HALVES],
		       u32 type, const u8 *p, u32 nr, struct columns_stacks *s)
{
	struct columns_halves *users = &halves[COLUMNS_USER];
	u32 cut = 0, kernel = 0, user;
	bool kernel_new = false, user_new;

	/* all of it is the user half there */
	if (type != DEFERRED_RECORD)
		kernel = add_kernel(&halves[COLUMNS_KERNEL], c->kernel, p, nr, &cut, &kernel_new);
	user = add_user(users, p + (size_t)cut * 8, nr - cut, &user_new);
	keep(c, kernel, user, type == PERF_RECORD_SAMPLE, p, nr);
	if (!s)
		return;
	columns_chain_tell(c, s);
	s->kernel_new = kernel_new;
	s->user_new = user_new;
	if (user_new)
		tell_new(users, user, s);
}
