// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/cmd_flamegraph.h"

#include <stdlib.h>

#include "util/base/num.h"

#define MERGE_MIN (1u << 16)

static int in_order(const void *a, const void *b)
{
	const struct flamegraph_part *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->root != y->root)
		return x->root < y->root ? -1 : 1;
	return x->stack < y->stack ? -1 : x->stack > y->stack;
}

void flamegraph_spans_merge(struct flamegraph_spans *s, u64 step)
{
	struct flamegraph_part *v = s->v.v;
	u32 i, nr = 0;

	for (i = 0; i < s->v.nr; i++)
		v[i].at -= v[i].at % step;
	if (s->v.nr)
		qsort(v, s->v.nr, sizeof(*v), in_order);
	for (i = 0; i < s->v.nr; i++) {
		if (!nr || in_order(&v[nr - 1], &v[i]) != 0)
			v[nr++] = v[i];
		else
			v[nr - 1].weight = num_sum(v[nr - 1].weight, v[i].weight);
	}
	s->v.nr = nr;
	s->merge_at = MAX(2 * nr, MERGE_MIN);
}

bool flamegraph_spans_add(struct flamegraph_spans *s, const struct flamegraph_part *part, u64 step)
{
	struct flamegraph_part *p = vec_push(&s->v);

	if (!p)
		return false;
	*p = *part;
	if (s->v.nr >= MAX(s->merge_at, MERGE_MIN))
		flamegraph_spans_merge(s, step);
	return true;
}

void flamegraph_spans_free(struct flamegraph_spans *s)
{
	vec_free(&s->v);
}
