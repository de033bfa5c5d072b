// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/unwind.h"

#include <stdlib.h>
#include <string.h>

#include "util/unwind/unwind_internal.h"
#include "util/unwind/unwind_reference.h"

static bool open_engine(struct unwinder *u, struct err *err)
{
	switch (u->options.engine) {
	case UNWIND_LIBDW:
		u->libdw = unwind_libdw_new(&u->options, err);
		return u->libdw;
	case UNWIND_LIBUNWIND:
		u->libunwind = unwind_libunwind_new(&u->options, err);
		return u->libunwind;
	default:
		return !unwind_lookup_init(&u->lookup, &u->options, err);
	}
}

struct unwinder *unwinder_new(const struct unwind_options *o, struct err *err)
{
	struct unwinder *u = calloc(1, sizeof(*u));

	if (!u) {
		err_nomem(err);
		return NULL;
	}
	u->options = *o;
	if (open_engine(u, err))
		return u;
	free(u);
	return NULL;
}

void unwinder_free(struct unwinder *u)
{
	if (!u)
		return;
	unwind_lookup_free(&u->lookup);
	if (u->libdw)
		unwind_libdw_free(u->libdw);
	if (u->libunwind)
		unwind_libunwind_free(u->libunwind);
	free(u);
}

void unwinder_close_unmapped(struct unwinder *u, const struct process_model *m)
{
	unwind_dsos_close_unmapped(&u->lookup.dsos, m);
}

u32 unwind_chain(struct unwinder *u, const struct process_model *m, const struct thread *t,
		 const struct unwind_input *in, u64 *chain, u32 max)
{
	if (u->libdw)
		return unwind_libdw_chain(u->libdw, m, t, in, chain, max);
	if (u->libunwind)
		return unwind_libunwind_chain(u->libunwind, m, t, in, chain, max);
	return unwind_fast_chain(&u->lookup, m, t, in, chain, max);
}

/* perf's numbers of arm64's registers, in order. */
enum { ARM64_FP = 29, ARM64_LINK, ARM64_SP, ARM64_PC, ARM64_END };

/* The caller of `pc` where the engine is certain of it; else 0. */
static u64 certain_caller(struct unwinder *u, const struct process_model *m, const struct thread *t,
			  const struct unwind_input *in, u64 pc)
{
	u64 chain[4];

	/* a guess is marked */
	if (unwind_chain(u, m, t, in, chain, ARRAY_SIZE(chain)) < 3 || chain[0] != pc ||
	    chain_is_mark(chain[1]))
		return 0;
	return chain[1];
}

/* Where the link register alone has the return address: the call before it; else 0. */
static u64 caller_in_register(struct unwinder *u, const struct process_model *m,
			      const struct thread *t, const struct sample *s, u64 pc)
{
	/* no stack: only the registers are used */
	u64 regs[] = {0, 0, 0, pc};
	const struct unwind_input in = {
		.abi = s->regs_user.abi,
		.mask = (1ull << ARM64_END) - (1ull << ARM64_FP),
		.regs = regs,
		.stack = (const u8 *)regs,
	};
	u64 caller;

	memcpy(&regs[ARM64_LINK - ARM64_FP], s->regs_user.reg, sizeof(*regs));
	caller = certain_caller(u, m, t, &in, pc);
	return caller ? caller - 1 : 0;
}

/* Where the top of the stack has it. */
static u64 caller_on_stack(struct unwinder *u, const struct process_model *m,
			   const struct thread *t, const struct sample *s, u64 pc)
{
	const struct unwind_input in = unwind_input_of(s, true);

	return certain_caller(u, m, t, &in, pc);
}

/* Has the sample the link register alone, for this? perf looks at chains that have one more address. */
static bool has_link(const struct unwinder *u, const struct sample *s, u32 kernel)
{
	const struct arch *arch = u->options.arch;

	return arch->link_reg && s->regs_user.mask == arch->link_reg &&
	       s->regs_user.abi == PERF_SAMPLE_REGS_ABI_64 && !s->stack_size &&
	       s->chain_nr >= kernel + 3;
}

u64 unwind_leaf_caller(struct unwinder *u, const struct process_model *m, const struct thread *t,
		       const struct sample *s, u32 *at)
{
	const u32 kernel = chain_kernel_half(s->chain, s->chain_nr);
	u64 pc, caller = 0;

	if (!u->options.arch || !s->regs_user.reg || s->chain_nr < kernel + 2 ||
	    s->chain[kernel] != (u64)PERF_CONTEXT_USER)
		return 0;
	pc = s->chain[kernel + 1];
	if (s->stack_size == CHAIN_CALLER_STACK)
		caller = caller_on_stack(u, m, t, s, pc);
	else if (has_link(u, s, kernel))
		caller = caller_in_register(u, m, t, s, pc);
	*at = kernel + 2;
	return *at < s->chain_nr && s->chain[*at] == caller ? 0 : caller;
}

/*
 * Addresses since the two agreed last, the kernel's chain still being believed: it leaves out a
 * caller, seldom two.
 */
#define NEAR 2

struct merged_chain {
	const u64 *unwound, *frames;
	u32 nr, nr_frames;
	u32 at, frame; /* the next of each */
	u32 apart;     /* addresses of `unwound` since they agreed */
	u64 *out;
	u32 len, max;
};

static void put_word(struct merged_chain *s, u64 word)
{
	if (s->len < s->max)
		s->out[s->len++] = word;
}

static bool agrees(const struct merged_chain *s)
{
	return s->frame && s->frame < s->nr_frames && s->apart < NEAR;
}

static void put_frames(struct merged_chain *s, u32 end)
{
	while (s->frame < end)
		put_word(s, s->frames[s->frame++]);
	s->apart = 0;
}

static void put_address(struct merged_chain *s, u64 address)
{
	put_word(s, address);
	if (s->frame < s->nr_frames && s->frames[s->frame] == address) {
		s->frame++;
		s->apart = 0;
	} else {
		s->apart++;
	}
}

/* Behind the guessed addresses from `at` on: the next certain one, or nr. */
static u32 next_certain(const struct merged_chain *s)
{
	u32 i = s->at;

	while (i < s->nr && s->unwound[i] != CHAIN_CERTAIN && !chain_is_end(s->unwound[i]))
		i++;
	return i < s->nr && s->unwound[i] == CHAIN_CERTAIN ? i + 1 : s->nr;
}

/*
 * At CHAIN_GUESSED. The kernel's addresses up to where the chain is certain again, or all of them
 * where it never is. True: the chain is complete.
 */
static bool replace_guessed(struct merged_chain *s)
{
	u32 certain = next_certain(s), i;

	if (!agrees(s))
		return false;
	if (certain >= s->nr) {
		put_frames(s, s->nr_frames);
		return true;
	}
	for (i = s->frame; i < s->nr_frames; i++) {
		if (s->frames[i] != s->unwound[certain])
			continue;
		put_frames(s, i);
		s->at = certain;
		return false;
	}
	return false;
}

static bool ends_early(u64 end)
{
	return end != CHAIN_END + CHAIN_ROOT && end != CHAIN_END + CHAIN_LIMIT;
}

u32 unwind_merge_chains(const u64 *unwound, u32 nr, const u64 *frames, u32 nr_frames, u64 *out,
			u32 max)
{
	struct merged_chain s = {.unwound = unwound,
				 .frames = frames,
				 .nr = nr,
				 .nr_frames = nr_frames,
				 .out = out,
				 .max = max};
	u32 before;

	while (s.at < nr) {
		u64 word = unwound[s.at];

		if (chain_is_end(word)) {
			if (agrees(&s) && ends_early(word))
				put_frames(&s, nr_frames);
			else
				put_word(&s, word);
			break;
		}
		before = s.at;
		if (word == CHAIN_GUESSED && replace_guessed(&s))
			break;
		if (s.at != before)
			continue;
		s.at++;
		if (chain_is_mark(word))
			put_word(&s, word);
		else
			put_address(&s, word);
	}
	return s.len;
}
