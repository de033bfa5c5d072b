// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/unwind.h"

#include <stdlib.h>

#include "util/unwind/unwind_fast.h"
#include "util/unwind/unwind_libdw_engine.h"
#include "util/unwind/unwind_libunwind.h"

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
		u->fast = unwind_fast_new(&u->options, err);
		return u->fast;
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
	unwind_fast_free(u->fast);
	if (u->libdw)
		unwind_libdw_free(u->libdw);
	if (u->libunwind)
		unwind_libunwind_free(u->libunwind);
	free(u);
}

u32 unwind_chain(struct unwinder *u, const struct process_model *m, const struct thread *t,
		 const struct unwind_input *in, u64 *chain, u32 max)
{
	if (u->fast)
		return unwind_fast_chain(u->fast, m, t, in, chain, max);
	if (u->libdw)
		return unwind_libdw_chain(u->libdw, m, t, in, chain, max);
	return unwind_libunwind_chain(u->libunwind, m, t, in, chain, max);
}
