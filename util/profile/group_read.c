// SPDX-License-Identifier: GPL-2.0
#include "util/profile/group_read.h"

#include <stdlib.h>

bool group_read_begin(struct group_read *g, const struct sample_layout *layout,
		      const struct sample *s)
{
	u64 format = layout->read_format;

	if (!(layout->sample_type & PERF_SAMPLE_READ) || !(format & PERF_FORMAT_ID) ||
	    !(format & PERF_FORMAT_GROUP))
		return false;
	g->values = s->read;
	g->with_lost = format & PERF_FORMAT_LOST;
	g->left = cur_u64(&g->values);
	cur_skip(&g->values, (size_t)8 * (!!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
					  !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING)));
	return true;
}

/* What the counter has counted since it was last seen. */
static u64 since(struct group_read *g, u64 id, u64 value)
{
	u32 i = hmap_get(&g->by_id, id);
	u64 before, *slot;

	if (i != ID_NONE) {
		before = g->last.v[i];
		g->last.v[i] = value;
		return value - before;
	}
	slot = vec_push(&g->last);
	if (slot)
		*slot = value;
	g->failed |= !slot || !hmap_set(&g->by_id, id, g->last.nr - 1);
	return value;
}

bool group_read_next(struct group_read *g, u64 *id, u64 *count)
{
	u64 value;

	while (g->left) {
		g->left--;
		value = cur_u64(&g->values);
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

void group_read_free(struct group_read *g)
{
	hmap_free(&g->by_id);
	vec_free(&g->last);
}
