// SPDX-License-Identifier: GPL-2.0
#include "util/profile/sample_unwind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int open_image(void *ctx, const struct process_model *m, u32 map, u32 pid, struct image *img)
{
	const struct sample_unwind *u = ctx;

	(void)pid;
	return dso_file_open(m, m->maps.v[map].dso, u->files, img, NULL);
}

int sample_unwind_init(struct sample_unwind *u, const struct sample_unwind_options *o,
		       const struct process_model *model, struct err *err)
{
	const struct unwind_options options = {
		.engine = o->engine, .arch = o->arch, .open = open_image, .ctx = u};

	*u = (struct sample_unwind){.files = o->files,
				    .model = model,
				    .again = o->again,
				    .foreign = o->foreign,
				    .links = o->arch == &arch_arm64,
				    .last_word_missing = o->last_word_missing};
	u->unwinder = unwinder_new(&options, err);
	return u->unwinder ? 0 : -ENOMEM;
}

void sample_unwind_free(struct sample_unwind *u)
{
	if (u->unwinder)
		unwinder_free(u->unwinder);
	u->unwinder = NULL;
	vec_free(&u->chain);
}

/* How the recorded chain ended, if it was unwound; CHAIN_ENDS: it was not. */
static enum chain_end recorded_end(const struct sample *s)
{
	if (!sample_is_unwound(s))
		return CHAIN_ENDS;
	return (enum chain_end)(s->chain[s->chain_nr - 1] - CHAIN_END);
}

/* perf's numbers of arm64's registers, in order. */
enum { ARM64_FP = 29, ARM64_LINK, ARM64_SP, ARM64_PC, ARM64_END };

/* The caller of the innermost user function, if the link register alone has it; 0: it has not. */
static u64 leaf_caller(struct sample_unwind *u, const struct thread *t, const struct sample *s,
		       u64 pc)
{
	/* no stack: what is told without it is told by the registers */
	u64 regs[] = {0, 0, 0, pc};
	const struct unwind_input in = {
		.abi = s->regs_user.abi,
		.mask = (1ull << ARM64_END) - (1ull << ARM64_FP),
		.regs = regs,
		.stack = (const u8 *)regs,
	};
	u64 chain[4];

	memcpy(&regs[ARM64_LINK - ARM64_FP], s->regs_user.reg, sizeof(*regs));
	/* behind a guess stands a mark */
	if (unwind_chain(u->unwinder, u->model, t, &in, chain, ARRAY_SIZE(chain)) < 3 ||
	    chain[0] != pc || chain_is_mark(chain[1]))
		return 0;
	return chain[1];
}

static int add_leaf_caller(struct sample_unwind *u, const struct thread *t, struct sample *s,
			   struct err *err)
{
	const u32 kept = chain_kernel_half(s->chain, s->chain_nr);
	u64 caller;
	u32 nr;

	/* perf looks at those that have one more address */
	if (u->foreign || !s->regs_user.reg || s->regs_user.mask != 1ull << ARM64_LINK ||
	    s->regs_user.abi != PERF_SAMPLE_REGS_ABI_64 || s->chain_nr < kept + 3 ||
	    s->chain[kept] != (u64)PERF_CONTEXT_USER)
		return 0;
	caller = leaf_caller(u, t, s, s->chain[kept + 1]);
	/* as perf has it: within the call, not behind it */
	if (!caller || --caller == s->chain[kept + 2])
		return 0;
	if (!vec_reserve(&u->chain, (u64)s->chain_nr + 1))
		return err_nomem(err);
	nr = kept + 2;
	memcpy(u->chain.v, s->chain, nr * sizeof(*s->chain));
	u->chain.v[nr] = caller;
	memcpy(u->chain.v + nr + 1, s->chain + nr, (s->chain_nr - nr) * sizeof(*s->chain));
	s->chain = u->chain.v;
	s->chain_nr++;
	return 0;
}

int sample_unwind_chain(struct sample_unwind *u, const struct thread *t, struct sample *s,
			struct err *err)
{
	const enum chain_end end = recorded_end(s);
	const u32 kept = chain_kernel_half(s->chain, s->chain_nr);
	/* a dump that was kept beside its chain holds no more than what was valid */
	const bool cut = end == CHAIN_ENDS ? s->stack_dyn_size >= s->stack_size : end == CHAIN_CUT;
	struct unwind_input in = unwind_input_of(s, cut);

	if (u->links && !s->stack_size)
		return add_leaf_caller(u, t, s, err);
	if (!in.regs || !in.size)
		return 0;
	if (end != CHAIN_ENDS && end != CHAIN_NO_UNWIND && (!u->again || u->foreign))
		return 0;
	in.size -= u->last_word_missing;
	if (!vec_reserve(&u->chain, (u64)kept + 1 + UNWIND_MAX))
		return err_nomem(err);
	if (kept)
		memcpy(u->chain.v, s->chain, kept * sizeof(*s->chain));
	u->chain.v[kept] = (u64)PERF_CONTEXT_USER;
	u->chain.nr = kept + 1;
	if (u->foreign)
		u->chain.v[u->chain.nr++] = CHAIN_END + CHAIN_NO_UNWIND;
	else
		u->chain.nr += unwind_chain(u->unwinder, u->model, t, &in, u->chain.v + u->chain.nr,
					    UNWIND_MAX);
	u->nr_foreign += u->foreign;
	s->chain = u->chain.v;
	s->chain_nr = u->chain.nr;
	s->kernel_chain = false;
	return 0;
}
