// SPDX-License-Identifier: GPL-2.0
#include "util/profile/branch_chain.h"

#include <stdlib.h>
#include <string.h>

#include "util/base/vec.h"

int branch_chain_join(struct branch_chain *b, u64 branch_type, struct sample *s, struct err *err)
{
	u32 kept = 0, i;

	if (!(branch_type & PERF_SAMPLE_BRANCH_CALL_STACK) || !s->branch_nr || s->calls_from)
		return 0;
	while (kept < s->chain_nr && s->chain[kept] != (u64)PERF_CONTEXT_USER)
		kept++;
	if (kept++ == s->chain_nr)
		return 0;
	if (!vec_reserve(b, kept + 1 + s->branch_nr))
		return err_nomem(err);
	memcpy(b->v, s->chain, kept * sizeof(*b->v));
	b->nr = kept;
	b->v[b->nr++] = s->branch[0].to;
	for (i = 0; i < s->branch_nr; i++)
		b->v[b->nr++] = s->branch[i].from;
	s->chain = b->v;
	s->chain_nr = b->nr;
	s->calls_from = kept;
	return 0;
}

void branch_chain_free(struct branch_chain *b)
{
	vec_free(b);
}
