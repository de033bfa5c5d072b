// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/unwind_walk.h"

/*
 * An address farther away than this is no part of the stack. A copy that is shorter than was asked for
 * ends where the stack does, or, more often, before a page of it that was never touched.
 */
#define STACK_LIMIT     ((u64)1 << 30)
#define STACK_LIMIT_END ((u64)8 << 20)

static bool sample_register(const struct unwind_walk *w, u32 perf, u64 *value)
{
	const struct unwind_input *in = w->in;
	u64 v;

	if (perf >= 64 || !(in->mask >> perf & 1))
		return false;
	memcpy(&v, in->regs + __builtin_popcountll(in->mask & ((1ull << perf) - 1)), sizeof(v));
	*value = w->arch->word == 4 ? (u32)v : v;
	return true;
}

bool unwind_walk_register(const struct unwind_walk *w, u32 reg, u64 *value)
{
	return reg < w->arch->nr && sample_register(w, w->arch->perf[reg], value);
}

bool unwind_walk_begin(struct unwind_walk *w, struct unwind_frame *f)
{
	*f = (struct unwind_frame){.exact = true};
	/* a last page of addresses does not exist: they would be taken for marks */
	if (!sample_register(w, w->arch->pc, &f->ip) ||
	    !unwind_walk_register(w, w->arch->sp, &f->sp) || f->ip >= (u64)-4096)
		return false;
	/* 0 is no frame, as a program has it that keeps no frame pointer */
	unwind_walk_register(w, w->arch->fp, &f->fp);
	if (w->arch->link)
		unwind_walk_register(w, w->arch->ra, &f->link);
	w->base = f->sp;
	/* a process may have code of both kinds */
	w->generation = w->m->processes.v[w->t->process].generation << 1 | (w->arch->word == 4);
	return true;
}

enum chain_end unwind_walk_why(const struct unwind_walk *w, u64 addr)
{
	u64 at = addr - w->base, limit = w->in->cut ? STACK_LIMIT : STACK_LIMIT_END;

	if (!w->in->size)
		return CHAIN_NO_STACK;
	return at + w->arch->word > w->in->size && at < limit ? CHAIN_CUT : CHAIN_BAD_STACK;
}

bool unwind_walk_add(struct unwind_walk *w, const struct unwind_frame *f, bool guessed)
{
	u32 need = 1 + (guessed != w->guessed) + f->signal;

	if (need >= w->max - w->nr)
		return false;
	if (guessed != w->guessed)
		w->chain[w->nr++] = guessed ? CHAIN_GUESSED : CHAIN_CERTAIN;
	if (f->signal)
		w->chain[w->nr++] = CHAIN_SIGNAL;
	w->chain[w->nr++] = f->ip;
	w->guessed = guessed;
	return true;
}
