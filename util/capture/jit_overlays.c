// SPDX-License-Identifier: GPL-2.0
#include "util/capture/jit_overlays.h"

#include <string.h>

/* The first that ends above an address. */
static u32 first_above(const struct jit_overlays *l, u64 addr)
{
	u32 lo = 0, hi = l->v.nr, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (l->v.v[mid].end > addr)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

/* Put `new` in the place of the `nr` at `at`; what sticks out of the first and the last stays. */
static bool put_over(struct jit_overlays *l, u32 at, u32 nr, const struct code_layer *new)
{
	struct code_layer parts[3], *v;
	u32 n = 0, tail = l->v.nr - at - nr;

	if (nr && l->v.v[at].start < new->start) {
		parts[n] = l->v.v[at];
		parts[n++].end = new->start;
	}
	parts[n++] = *new;
	if (nr && l->v.v[at + nr - 1].end > new->end) {
		parts[n] = l->v.v[at + nr - 1];
		parts[n++].start = new->end;
	}
	if (!vec_reserve(&l->v, (u64)l->v.nr + n))
		return false;
	v = l->v.v + at;
	memmove(v + n, v + nr, tail * sizeof(*v));
	memcpy(v, parts, n * sizeof(*v));
	l->v.nr = at + n + tail;
	return true;
}

enum code_told jit_overlays_tell(struct jit_overlays *l, u64 start, u64 end, const char *name,
				 u64 from, u32 *layer)
{
	struct code_layer new = {start, end, start, end, from, 0, 0};
	u32 at = first_above(l, start), i;
	bool same = false, other = false;
	const struct code_layer *old;
	u64 newest = 0;

	*layer = 0;
	if (end <= start)
		return CODE_OLD;
	new.name = strtab_add(&l->names, name, strlen(name));
	if (new.name == ID_NONE) {
		l->failed = true;
		return CODE_OLD;
	}
	for (i = at; i < l->v.nr && l->v.v[i].start < end; i++) {
		old = &l->v.v[i];
		new.layer = MAX(new.layer, old->layer + 1);
		if (old->name == new.name && old->first == start && old->last == end) {
			*layer = old->layer;
			same = true;
			continue;
		}
		other = true;
		if (old->name != ID_NONE)
			newest = MAX(newest, old->from);
	}
	/* what it was told to be before, where no other has been told between */
	if (same && (!other || newest >= from))
		return CODE_KNOWN;
	if (newest > from)
		return CODE_OLD;
	if (!put_over(l, at, i - at, &new)) {
		l->failed = true;
		return CODE_OLD;
	}
	*layer = new.layer;
	return CODE_NEW;
}

bool jit_overlays_any(const struct jit_overlays *l, u64 start, u64 end)
{
	u32 at = first_above(l, start);

	return at < l->v.nr && l->v.v[at].start < end;
}

void jit_overlays_forget(struct jit_overlays *l)
{
	u32 i;

	for (i = 0; i < l->v.nr; i++)
		l->v.v[i].name = ID_NONE;
}

void jit_overlays_free(struct jit_overlays *l)
{
	vec_free(&l->v);
	strtab_free(&l->names);
}
