// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/unwind_internal.h"

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

/* The machine, the stack and the outermost known state; false: these registers are not enough. */
static bool unwind_walk_begin(struct unwind_walk *w, struct unwind_frame *f)
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

/* Not why a chain ended: it does not, or a frame of it needs all registers. */
enum { GO_ON = -1, NEEDS_ALL = -2 };

/*
 * The stack is often read from memory, a word here and there, and each frame has to wait for the one
 * before: so what lies ahead is asked for early. A prefetch reads nothing, wherever it points.
 */
#define AHEAD 1024
#define LINE  64

static inline void prefetch(const u8 *stack, u64 at)
{
	__builtin_prefetch((const void *)((uintptr_t)stack + at));
}

static void prefetch_first(const struct unwind_input *in)
{
	u64 at;

	for (at = 0; at < AHEAD && at < in->size; at += LINE)
		prefetch(in->stack, at);
}

/*
 * Frames that are as most are: a rule in the first cache, and all that it names in the copy. The
 * first one that is not is left to step_to_caller(), which says why. There is no branch here that depends on
 * the code that was sampled, since it would be predicted badly. `word`, `link` and `save` (bytes above
 * the caller's stack pointer to the top of a rule) are the machine's, for most known when compiled.
 */
static inline __attribute__((always_inline)) void apply_rules(const struct unwind_lookup *k,
							      struct unwind_walk *w,
							      struct unwind_frame *f,
							      const u32 word, const bool link,
							      const u32 save)
{
	const struct unwind_lookup_entry *e;
	const u64 mask = link ? w->arch->user_mask : ~0ull;
	const u8 *stack = w->in->stack;
	u64 sp = f->sp, fp = f->fp, ip = f->ip, pc = unwind_frame_pc(f);
	u64 *out = w->chain + w->nr, *end = w->chain + w->max - 1;
	u64 top, at, saved, value = 0, ra = 0, use;

	/* a copy of less than one word is none */
	if (w->in->size < word || w->guessed)
		return;
	for (; out < end; *out++ = ip) {
		e = &k->rules[unwind_lookup_slot(pc)];
		if (e->pc != pc || e->generation != w->generation ||
		    unwind_rule_kind(e->rule) > UNWIND_RULE_FP ||
		    (link && !unwind_rule_ra(e->rule)))
			break;
		top = sp ^ ((sp ^ fp) & -(u64)unwind_rule_kind(e->rule));
		top += (u64)unwind_rule_top(e->rule) * word;
		at = top - (link ? unwind_rule_ra(e->rule) : 1) * word - w->base;
		if (top - save <= sp || at > w->in->size - word)
			break;
		prefetch(stack, at + AHEAD);
		prefetch(stack, at + AHEAD + LINE);
		memcpy(&ra, stack + at, word);
		ra &= mask;
		/* the word of the return address replaces one that is not saved, or not any more */
		saved = top - unwind_rule_fp(e->rule) * word;
		use = -(u64)(unwind_rule_fp(e->rule) && saved >= sp);
		at ^= (at ^ (saved - w->base)) & use;
		if (!unwind_walk_is_address(ra) || (link && at > w->in->size - word))
			break;
		memcpy(&value, stack + at, word);
		fp ^= (fp ^ value) & use;
		sp = top - save;
		ip = ra;
		pc = ra - 1;
		f->exact = false;
	}
	w->nr = (u32)(out - w->chain);
	f->ip = ip;
	f->sp = sp;
	f->fp = fp;
}

static void apply_machine_rules(const struct unwind_lookup *k, struct unwind_walk *w,
				struct unwind_frame *f)
{
	if (w->arch->save_words)
		apply_rules(k, w, f, 8, true, w->arch->save_words * 8u);
	else if (w->arch->link)
		apply_rules(k, w, f, 8, true, 0);
	else if (w->arch->word == 8)
		apply_rules(k, w, f, 8, false, 0);
	else
		apply_rules(k, w, f, 4, false, 0);
}

/* The caller by the rule, or by a guess. As step_to_caller(). */
static int step_by_rule(struct unwind_lookup *k, const struct unwind_walk *w,
			struct unwind_frame *f, u32 rule, bool *guessed)
{
	u64 word = w->arch->word, ra_slot = unwind_rule_ra(rule), fp_slot = unwind_rule_fp(rule);
	u64 top, sp, ra;

	top = unwind_rule_kind(rule) == UNWIND_RULE_SP ? f->sp : f->fp;
	top += unwind_rule_top(rule) * word;
	sp = top - w->arch->save_words * word;
	if (!ra_slot) {
		/* what has not saved its return address has not called either */
		if (!f->exact)
			return CHAIN_BAD_CFI;
		if (sp < f->sp)
			return CHAIN_BAD_STACK;
		ra = f->link;
	} else {
		if (sp < f->sp || (sp == f->sp && !w->arch->save_words))
			return CHAIN_BAD_STACK;
		if (!unwind_walk_load(w, top - ra_slot * word, (u32)word, &ra))
			return (int)unwind_walk_why(w, top - ra_slot * word);
		/* who saves in its caller's frame may have none of its own, but not twice */
		if (sp == f->sp && ra == f->ip)
			return CHAIN_BAD_STACK;
	}
	/* what lies below the stack pointer was popped already: the register has its value again */
	if (fp_slot && top - fp_slot * word >= f->sp &&
	    !unwind_walk_load(w, top - fp_slot * word, (u32)word, &f->fp))
		return (int)unwind_walk_why(w, top - fp_slot * word);
	ra &= w->arch->user_mask;
	if (!unwind_walk_is_address(ra)) {
		*guessed = unwind_guess_above(k, w, f, sp);
		return *guessed ? GO_ON : ra ? CHAIN_BAD_STACK : CHAIN_ROOT;
	}
	f->ip = ra;
	f->sp = sp;
	f->exact = false;
	return GO_ON;
}

/* *f becomes the caller, which is appended; or why the chain ends, or NEEDS_ALL. */
static int step_to_caller(struct unwind_lookup *k, struct unwind_walk *w, struct unwind_frame *f)
{
	u32 rule = unwind_lookup_rule(k, w, unwind_frame_pc(f));
	enum chain_end why = (enum chain_end)unwind_rule_top(rule);
	bool guessed = false;
	int end;

	switch (unwind_rule_kind(rule)) {
	case UNWIND_RULE_END:
		return CHAIN_ROOT;
	case UNWIND_RULE_SLOW:
		return NEEDS_ALL;
	case UNWIND_RULE_NONE:
		guessed = unwind_guess(k, w, f, &why);
		end = guessed ? GO_ON : (int)why;
		break;
	default:
		end = step_by_rule(k, w, f, rule, &guessed);
	}
	if (end == GO_ON && !unwind_walk_add(w, f, guessed))
		return CHAIN_LIMIT;
	return end;
}

static int walk_frames(struct unwind_lookup *k, struct unwind_walk *w, struct unwind_frame *f)
{
	int end;

	if (!unwind_walk_add(w, f, false))
		return CHAIN_LIMIT;
	do {
		apply_machine_rules(k, w, f);
		end = step_to_caller(k, w, f);
	} while (end == GO_ON);
	return end;
}

u32 unwind_fast_chain(struct unwind_lookup *k, const struct process_model *m,
		      const struct thread *t, const struct unwind_input *in, u64 *chain, u32 max)
{
	struct unwind_walk w = {.m = m,
				.t = t,
				.in = in,
				.arch = arch_unwind_find(k->dsos.options->arch, in->abi),
				.chain = chain,
				.max = max};
	int end = CHAIN_NO_UNWIND;
	struct unwind_frame f;

	prefetch_first(in);
	k->steps = 0;
	if (w.arch && unwind_walk_begin(&w, &f)) {
		end = walk_frames(k, &w, &f);
		if (end == NEEDS_ALL) {
			w.nr = 0;
			w.guessed = false;
			unwind_walk_begin(&w, &f);
			end = (int)unwind_full(k, &w, &f);
		}
	}
	chain[w.nr++] = CHAIN_END + (u64)end;
	return w.nr;
}
