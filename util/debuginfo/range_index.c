// SPDX-License-Identifier: GPL-2.0
#include "util/debuginfo/range_index.h"

#include <stdlib.h>

bool range_index_add(struct range_index *x, u64 low, u64 high, u32 item)
{
	struct range *r;

	if (low >= high)
		return true;
	r = vec_push(&x->ranges);
	if (r)
		*r = (struct range){low, high, item};
	return r;
}

static int by_low(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return x->item < y->item ? -1 : x->item > y->item;
}

static bool put_piece(struct range_index *x, u64 start, u32 item)
{
	struct range_piece *last = x->pieces.nr ? &x->pieces.v[x->pieces.nr - 1] : NULL;

	if (last && last->start == start) {
		last->item = item;
		return true;
	}
	if (last && last->item == item)
		return true;
	last = vec_push(&x->pieces);
	if (last)
		*last = (struct range_piece){start, item};
	return last;
}

/* Leave the open ranges, innermost last, that end at `until` or before. */
static bool leave(struct range_index *x, const u32 *open, u32 *depth, u64 until)
{
	const struct range *r = x->ranges.v;
	u64 at;

	while (*depth && r[open[*depth - 1]].high <= until) {
		at = r[open[--*depth]].high;
		while (*depth && r[open[*depth - 1]].high <= at)
			--*depth;
		if (!put_piece(x, at, *depth ? r[open[*depth - 1]].item : ID_NONE))
			return false;
	}
	return true;
}

bool range_index_finish(struct range_index *x)
{
	u32 *open, depth = 0, i;
	bool ok = true;

	if (!x->ranges.nr)
		return true;
	open = malloc(x->ranges.nr * sizeof(*open));
	if (!open)
		return false;
	qsort(x->ranges.v, x->ranges.nr, sizeof(*x->ranges.v), by_low);
	for (i = 0; i < x->ranges.nr && ok; i++) {
		ok = leave(x, open, &depth, x->ranges.v[i].low) &&
		     put_piece(x, x->ranges.v[i].low, x->ranges.v[i].item);
		open[depth++] = i;
	}
	ok = ok && leave(x, open, &depth, UINT64_MAX);
	free(open);
	vec_free(&x->ranges);
	return ok;
}

u32 range_index_find(const struct range_index *x, u64 addr)
{
	u32 lo = 0, hi = x->pieces.nr, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (x->pieces.v[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? x->pieces.v[lo - 1].item : ID_NONE;
}

void range_index_free(struct range_index *x)
{
	vec_free(&x->ranges);
	vec_free(&x->pieces);
}
