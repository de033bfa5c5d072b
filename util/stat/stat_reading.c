// SPDX-License-Identifier: GPL-2.0
#include "util/stat/stat_reading.h"

#include <stdlib.h>
#include <string.h>

int stat_reading_init(struct stat_reading *r, const struct stat_shape *shape, struct err *err)
{
	size_t n = (size_t)shape->nr_events * shape->nr_places;

	*r = (struct stat_reading){.shape = shape};
	r->counts = calloc(MAX(n, 1u), sizeof(*r->counts));
	r->valid = calloc(MAX(n, 1u), sizeof(*r->valid));
	if (r->counts && r->valid)
		return 0;
	stat_reading_free(r);
	return err_nomem(err);
}

void stat_reading_free(struct stat_reading *r)
{
	free(r->counts);
	free(r->valid);
	*r = (struct stat_reading){0};
}

void stat_reading_copy(struct stat_reading *to, const struct stat_reading *from)
{
	struct stat_count *counts = to->counts;
	size_t n = (size_t)from->shape->nr_events * from->shape->nr_places;
	bool *valid = to->valid;

	memcpy(counts, from->counts, n * sizeof(*counts));
	memcpy(valid, from->valid, n * sizeof(*valid));
	*to = *from;
	to->counts = counts;
	to->valid = valid;
}

/* Counts only rise; a counter that was reset between the two has all it shows. */
static u64 rise(u64 now, u64 before)
{
	return now >= before ? now - before : now;
}

static struct stat_count count_delta(const struct stat_count *now, const struct stat_count *before,
				     bool snapshot)
{
	return (struct stat_count){
		.value = snapshot ? now->value : rise(now->value, before->value),
		.enabled = rise(now->enabled, before->enabled),
		.running = rise(now->running, before->running),
	};
}

void stat_reading_delta(struct stat_reading *out, const struct stat_reading *now,
			const struct stat_reading *before)
{
	const struct stat_shape *s = now->shape;
	struct stat_count *counts = out->counts;
	bool *valid = out->valid;
	u64 start = before->end_ns;
	u32 e, p;

	for (e = 0; e < s->nr_events; e++)
		for (p = 0; p < s->nr_places; p++) {
			size_t i = stat_index(s, e, p);

			counts[i] = count_delta(&now->counts[i], &before->counts[i],
						s->events[e].snapshot);
			valid[i] = now->valid[i] && before->valid[i];
		}
	*out = *now;
	out->counts = counts;
	out->valid = valid;
	out->start_ns = start;
}

enum stat_state stat_reading_state(const struct stat_reading *r, u32 event, u32 place)
{
	const struct stat_event *e = &r->shape->events[event];
	size_t i = stat_index(r->shape, event, place);

	if (e->state != STAT_COUNTED)
		return e->state;
	if (!r->valid[i])
		return STAT_NOT_COUNTED;
	/* enabled and never running: others had the hardware. Never enabled: its task did not run */
	return r->counts[i].enabled && !r->counts[i].running ? STAT_NOT_COUNTED : STAT_COUNTED;
}

u64 stat_count_scaled(const struct stat_count *c)
{
	if (!c->running || c->running >= c->enabled)
		return c->value;
	return (u64)(((unsigned __int128)c->value * c->enabled + c->running / 2) / c->running);
}
