// SPDX-License-Identifier: GPL-2.0
#include "util/record/event_set.h"

#include <errno.h>
#include <stdlib.h>

int event_set_add(struct event_set *s, const void *attr, size_t attr_size, const char *name,
		  const u64 *ids, u32 nr_ids, struct err *err)
{
	char *own_name = arena_strdup(&s->arena, name);
	u64 *own_ids = arena_memdup(&s->arena, ids, nr_ids * sizeof(*ids));
	struct event_desc *e = own_name && own_ids ? vec_push(&s->events) : NULL;
	u32 i;

	if (!e)
		return err_nomem(err);
	memcpy(&e->attr, attr, MIN(attr_size, sizeof(e->attr)));
	plan_init(&e->plan, &e->attr);
	e->name = own_name;
	e->ids = own_ids;
	e->nr_ids = nr_ids;
	for (i = 0; i < nr_ids; i++)
		if (!hmap_set(&s->by_id, ids[i], s->events.nr - 1))
			return err_nomem(err);
	return (int)s->events.nr - 1;
}

int event_set_name(struct event_set *s, u32 event, const char *name, size_t len)
{
	char *copy;

	if (event >= s->events.nr)
		return -EINVAL;
	copy = arena_strndup(&s->arena, name, len);
	if (!copy)
		return -ENOMEM;
	s->events.v[event].name = copy;
	return 0;
}

int event_set_id(struct event_set *s, u64 id, u32 event)
{
	return hmap_set(&s->by_id, id, event) ? 0 : -ENOMEM;
}

u32 event_set_find(const struct event_set *s, const struct rec *rec)
{
	size_t body = rec->size - sizeof(struct perf_event_header);
	const u8 *p = rec->data + sizeof(struct perf_event_header);
	const struct plan *plan;
	size_t at;
	u64 id;

	if (!s->events.nr)
		return ID_NONE;
	/* the id stands at one place for all events of a recording, or no reader could begin */
	plan = &s->events.v[0].plan;
	if (rec->type == PERF_RECORD_SAMPLE) {
		if (plan->sample_id < 0)
			return 0;
		at = (size_t)plan->sample_id;
	} else {
		if (plan->other_id < 0)
			return 0;
		if (body < (size_t)plan->other_id)
			return ID_NONE;
		at = body - (size_t)plan->other_id;
	}
	if (at + sizeof(id) > body)
		return ID_NONE;
	memcpy(&id, p + at, sizeof(id));
	/* records that the recorder made itself belong to no event: any plan reads them */
	if (!id && rec->type != PERF_RECORD_SAMPLE)
		return 0;
	return hmap_get(&s->by_id, id);
}

void event_set_free(struct event_set *s)
{
	vec_free(&s->events);
	hmap_free(&s->by_id);
	arena_free(&s->arena);
}
