// SPDX-License-Identifier: GPL-2.0
#include "util/profile/group_read.h"

#include <stdlib.h>

/* A dense number of `key`; ID_NONE when memory is out. */
static u32 number_of(struct hmap *m, u64 key, u32 *next)
{
	u32 number = hmap_get(m, key);

	if (number == ID_NONE && *next < ID_NONE && hmap_set(m, key, *next))
		number = (*next)++;
	return number;
}

bool group_read_begin(struct group_read *g, const struct event_desc *desc, const struct sample *s)
{
	u64 format = desc->layout.read_format;
	u32 times = 8 * (!!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			 !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING));
	bool group = format & PERF_FORMAT_GROUP;

	if (!(desc->layout.sample_type & PERF_SAMPLE_READ) || !(format & PERF_FORMAT_ID))
		return false;
	g->values = s->read;
	g->with_lost = format & PERF_FORMAT_LOST;
	g->left = group ? cur_u64(&g->values) : 1;
	cur_skip(&g->values, group ? times : 0);
	g->times = group ? 0 : times;
	g->thread = 0;
	if (desc->attr.inherit && s->ids.tid != ID_NONE) {
		g->thread = number_of(&g->threads, s->ids.tid, &g->nr_threads);
		g->failed |= g->thread++ == ID_NONE;
	}
	return true;
}

/* What the counter has counted since it was last seen. One that shows less was started anew. */
static u64 since(struct group_read *g, u64 id, u64 value)
{
	u32 counter = number_of(&g->ids, id, &g->nr_ids), i;
	u64 key = (u64)g->thread << 32 | counter, before, *slot;

	if (counter == ID_NONE) {
		g->failed = true;
		return value;
	}
	i = hmap_get(&g->by_key, key);
	if (i != ID_NONE) {
		before = g->last.v[i];
		g->last.v[i] = value;
		return value < before ? value : value - before;
	}
	slot = vec_push(&g->last);
	if (slot)
		*slot = value;
	g->failed |= !slot || !hmap_set(&g->by_key, key, g->last.nr - 1);
	return value;
}

bool group_read_next(struct group_read *g, u64 *id, u64 *count)
{
	u64 value;

	while (g->left) {
		g->left--;
		value = cur_u64(&g->values);
		cur_skip(&g->values, g->times);
		*id = cur_u64(&g->values);
		if (g->with_lost)
			cur_u64(&g->values);
		if (g->values.bad) {
			g->left = 0;
			return false;
		}
		*count = since(g, *id, value);
		if (*count)
			return true;
	}
	return false;
}

bool group_read_exit(struct group_read *g, const struct rec *rec)
{
	struct cur c = rec_body(rec);
	u32 tid;

	cur_skip(&c, 2 * sizeof(u32)); /* pid, ppid */
	tid = cur_u32(&c);
	/* a thread that gets this tid gets a number of its own */
	return c.bad || hmap_get(&g->threads, tid) == ID_NONE ||
	       hmap_set(&g->threads, tid, ID_NONE);
}

void group_read_free(struct group_read *g)
{
	hmap_free(&g->ids);
	hmap_free(&g->threads);
	hmap_free(&g->by_key);
	vec_free(&g->last);
}
