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
		.engine = o->engine,
		.arch = o->arch,
		.open = open_image,
		.ctx = u,
		/* a server is not asked: hardly a file has a .debug_frame */
		.debug = {.root = o->files->symfs, .cache = o->files->cache},
	};

	*u = (struct sample_unwind){.files = o->files,
				    .model = model,
				    .again = o->again,
				    .foreign = o->foreign,
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

static int add_leaf_caller(struct sample_unwind *u, const struct thread *t, struct sample *s,
			   struct err *err)
{
	u64 caller;
	u32 at;

	caller = u->foreign ? 0 : unwind_leaf_caller(u->unwinder, u->model, t, s, &at);
	if (!caller)
		return 0;
	if (!vec_reserve(&u->chain, (u64)s->chain_nr + 1))
		return err_nomem(err);
	memcpy(u->chain.v, s->chain, at * sizeof(*s->chain));
	u->chain.v[at] = caller;
	memcpy(u->chain.v + at + 1, s->chain + at, (s->chain_nr - at) * sizeof(*s->chain));
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

	if (end == CHAIN_ENDS && s->chain_nr > kept &&
	    (!s->stack_size || s->stack_size == CHAIN_CALLER_STACK))
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
