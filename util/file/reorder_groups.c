// SPDX-License-Identifier: GPL-2.0
#include "util/file/reorder_internal.h"

#include <stdlib.h>
#include <string.h>

#include "util/base/radix.h"

void reorder_groups_init(struct reorder_groups *q)
{
	*q = (struct reorder_groups){.earliest = UINT64_MAX};
}

static void let_go(struct groups_block *b)
{
	free(b->groups);
	record_buffer_put(b->record_buffer);
	*b = (struct groups_block){0};
}

void reorder_groups_free(struct reorder_groups *q)
{
	u32 i;

	for (i = 0; i < q->blocks.nr; i++)
		let_go(&q->blocks.v[i]);
	vec_free(&q->blocks);
	vec_free(&q->runs);
	vec_free(&q->groups);
}

/* A place for a block: runs have numbers of blocks, which stay. */
static struct groups_block *place(struct reorder_groups *q)
{
	u32 i;

	for (i = 0; i < q->blocks.nr; i++)
		if (!q->blocks.v[i].from)
			return &q->blocks.v[i];
	return vec_push(&q->blocks);
}

bool reorder_groups_add(struct reorder_groups *q, struct sample_groups *a,
			struct record_buffer *record_buffer)
{
	struct groups_block *b = place(q);
	struct groups_run *run;
	u32 i;

	if (!b || !vec_reserve(&q->runs, (u64)q->runs.nr + a->runs.nr))
		return false;
	b->groups = calloc((size_t)a->kinds.nr + 1, sizeof(*b->groups));
	if (!b->groups)
		return false;
	b->from = a;
	b->record_buffer = record_buffer;
	b->left = a->times.nr;
	record_buffer->refs++;
	for (i = 0; i < a->runs.nr; i++) {
		run = &q->runs.v[q->runs.nr++];
		run->block = (u32)(b - q->blocks.v);
		run->at = a->runs.v[i];
		run->end = i + 1 < a->runs.nr ? a->runs.v[i + 1] : a->times.nr;
		q->earliest = MIN(q->earliest, a->times.v[run->at]);
	}
	return true;
}

static void forget_groups(struct reorder_groups *q)
{
	struct groups_block *b;
	u32 i;

	for (i = 0; i < q->groups.nr; i++) {
		b = &q->blocks.v[q->groups.v[i].block];
		b->groups[q->groups.v[i].kind] = 0;
	}
	q->groups.nr = q->given = 0;
	for (i = 0; i < q->blocks.nr; i++)
		if (q->blocks.v[i].from && !q->blocks.v[i].left)
			let_go(&q->blocks.v[i]);
}

static bool add_group(struct reorder_groups *q, u32 block, u32 kind, u64 time)
{
	struct sample_group *g = vec_push(&q->groups);

	if (!g)
		return false;
	*g = (struct sample_group){.first = time, .last = time, .block = block, .kind = kind};
	q->blocks.v[block].groups[kind] = q->groups.nr;
	return true;
}

/* The end of the samples before a time: of a run they ascend. */
static u32 end_before(const struct groups_run *run, const u64 *times, u64 before)
{
	u32 from = run->at, to = run->end, mid;

	if (from < to && times[to - 1] < before)
		return to;
	while (from < to) {
		mid = from + (to - from) / 2;
		if (times[mid] < before)
			from = mid + 1;
		else
			to = mid;
	}
	return to;
}

static bool gather_run(struct reorder_groups *q, struct groups_run *run, u64 before)
{
	struct groups_block *b = &q->blocks.v[run->block];
	const u32 *kind_of = b->from->kind_of.v;
	const u64 *times = b->from->times.v;
	u32 at = run->at, end = end_before(run, times, before), group;
	struct sample_group *g;

	for (; at < end; at++) {
		group = b->groups[kind_of[at]];
		if (!group) {
			if (!add_group(q, run->block, kind_of[at], times[at]))
				return false;
			group = q->groups.nr;
		}
		g = &q->groups.v[group - 1];
		g->samples++;
		/* runs overlap */
		if (times[at] < g->first)
			g->first = times[at];
		if (times[at] > g->last)
			g->last = times[at];
	}
	b->left -= end - run->at;
	run->at = end;
	return true;
}

/* By the times of their first samples. False: memory is out. */
static bool sort_groups(struct reorder_groups *q)
{
	u32 nr = q->groups.nr, i, *order = malloc(nr * sizeof(*order));
	u64 *times = malloc(nr * 3ul * sizeof(*times));
	struct sample_group *sorted = malloc(nr * sizeof(*sorted));
	bool ok = order && times && sorted;

	for (i = 0; ok && i < nr; i++)
		times[i] = q->groups.v[i].first;
	if (ok)
		radix_order(times, times + nr, nr, order);
	for (i = 0; ok && i < nr; i++)
		sorted[i] = q->groups.v[order[i]];
	if (ok)
		memcpy(q->groups.v, sorted, nr * sizeof(*sorted));
	free(order);
	free(times);
	free(sorted);
	return ok;
}

/* Many are gathered for one sample alone, or are in order. */
static bool in_order(const struct reorder_groups *q)
{
	u32 i;

	for (i = 1; i < q->groups.nr; i++)
		if (q->groups.v[i].first < q->groups.v[i - 1].first)
			return false;
	return true;
}

bool reorder_groups_gather(struct reorder_groups *q, u64 before)
{
	u32 i, kept = 0;

	forget_groups(q);
	q->earliest = UINT64_MAX;
	for (i = 0; i < q->runs.nr; i++) {
		struct groups_run *run = &q->runs.v[i];

		if (!gather_run(q, run, before))
			return false;
		if (run->at == run->end)
			continue;
		q->earliest = MIN(q->earliest, q->blocks.v[run->block].from->times.v[run->at]);
		q->runs.v[kept++] = *run;
	}
	q->runs.nr = kept;
	return in_order(q) || sort_groups(q);
}
