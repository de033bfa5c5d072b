// SPDX-License-Identifier: GPL-2.0
#include "util/record/event_set.h"

#include <errno.h>
#include <stdlib.h>

#include "util/record/deferred.h"

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
	sample_layout_init(&e->layout, &e->attr);
	/* a mark reports that a deferred half never came */
	e->layout.kernel_chains = s->kernel_chains && !deferred_is_asked(&e->attr);
	e->name = own_name;
	e->ids = own_ids;
	e->nr_ids = nr_ids;
	s->defers |= deferred_is_asked(&e->attr);
	if (deferred_is_told(&e->attr))
		s->deferred = s->events.nr;
	if (s->ring_cpus)
		e->layout.has |= PERF_SAMPLE_CPU;
	if (e->attr.type == PERF_TYPE_TRACEPOINT &&
	    hmap_get(&s->by_type, e->attr.config) == ID_NONE &&
	    !hmap_set(&s->by_type, e->attr.config, s->events.nr - 1))
		return err_nomem(err);
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

int event_set_fields(struct event_set *s, u32 event, const struct raw_field *fields, u32 nr)
{
	struct raw_field *copy;

	if (event >= s->events.nr)
		return -EINVAL;
	copy = arena_memdup(&s->arena, fields, nr * sizeof(*fields));
	if (!copy)
		return -ENOMEM;
	s->events.v[event].fields = copy;
	s->events.v[event].nr_fields = nr;
	return 0;
}

void event_set_derive(struct event_set *s, u32 event, const struct sample_layout_derive *d)
{
	struct sample_layout *p;

	if (event >= s->events.nr)
		return;
	p = &s->events.v[event].layout;
	p->derive = *d;
	if (d->tid_at >= 0 && p->sample_type & PERF_SAMPLE_RAW)
		p->has |= PERF_SAMPLE_TID;
}

void event_set_ring_cpus(struct event_set *s)
{
	u32 i;

	s->ring_cpus = true;
	for (i = 0; i < s->events.nr; i++)
		s->events.v[i].layout.has |= PERF_SAMPLE_CPU;
}

static bool records_id(const struct sample_layout *p, const struct rec *rec)
{
	return (rec->type == PERF_RECORD_SAMPLE ? p->sample_id : p->other_id) >= 0;
}

/* By the id in the record; `anyone` reads those that belong to no event. */
static u32 find_by_id(const struct event_set *s, const struct rec *rec, u32 anyone)
{
	const struct sample_layout *layout = &s->events.v[anyone].layout;
	size_t body = rec->size - sizeof(struct perf_event_header);
	const u8 *p = rec->data + sizeof(struct perf_event_header);
	size_t at;
	u64 id;

	if (rec->type == PERF_RECORD_SAMPLE) {
		at = (size_t)layout->sample_id;
	} else {
		if (body < (size_t)layout->other_id)
			return ID_NONE;
		at = body - (size_t)layout->other_id;
	}
	if (at + sizeof(id) > body)
		return ID_NONE;
	memcpy(&id, p + at, sizeof(id));
	/* records that the recorder made itself belong to no event: any layout reads them */
	if (!id && rec->type != PERF_RECORD_SAMPLE)
		return anyone;
	return hmap_get(&s->by_id, id);
}

u32 event_set_find(const struct event_set *s, const struct rec *rec)
{
	if (rec->event < s->events.nr)
		return rec->event;
	if (!s->events.nr)
		return ID_NONE;
	/* the id is at the same place for all events of a recording, or no reader could begin */
	return records_id(&s->events.v[0].layout, rec) ? find_by_id(s, rec, 0) : 0;
}

/* The first two bytes of the raw data are the tracepoint's id: common_type. */
static bool read_type(const struct sample_layout *p, const struct rec *rec, u16 *type)
{
	struct cur c = rec_body(rec);
	struct sample s;
	u64 nr;

	if (p->sample_type & PERF_SAMPLE_READ) {
		if (!sample_layout_sample(p, rec, &s) || s.raw_size < sizeof(*type))
			return false;
		memcpy(type, s.raw, sizeof(*type));
		return true;
	}
	cur_skip(&c, p->words_size);
	if (p->sample_type & PERF_SAMPLE_CALLCHAIN) {
		nr = cur_u64(&c);
		if (nr > cur_left(&c) / 8)
			return false;
		cur_skip(&c, nr * 8);
	}
	if (cur_u32(&c) < sizeof(*type))
		return false;
	return cur_copy(&c, type, sizeof(*type));
}

/*
 * The kernel fills in a sample once for all events that count the same software event, also those
 * of other programs: the id in it may be theirs (Linux up to 6.18). Then it is of the one event
 * here that this can happen to; ID_NONE if there are several.
 */
static u32 find_shared(const struct event_set *s)
{
	u32 i, found = ID_NONE;

	for (i = 0; i < s->events.nr; i++) {
		const struct event_desc *e = &s->events.v[i];

		if (e->attr.type != PERF_TYPE_SOFTWARE || e->sideband ||
		    event_set_is_clock(&e->attr))
			continue;
		if (found != ID_NONE)
			return ID_NONE;
		found = i;
	}
	return found;
}

u32 event_set_find_in(const struct event_set *s, const struct rec *rec, u32 layout)
{
	const struct event_desc *e;
	u32 event;
	u16 type;

	if (layout >= s->events.nr)
		return ID_NONE;
	if (rec->type == DEFERRED_RECORD && s->deferred)
		return s->deferred - 1;
	e = &s->events.v[layout];
	if (records_id(&e->layout, rec)) {
		event = find_by_id(s, rec, layout);
		return event == ID_NONE && rec->type == PERF_RECORD_SAMPLE ? find_shared(s) : event;
	}
	if (rec->type != PERF_RECORD_SAMPLE || e->attr.type != PERF_TYPE_TRACEPOINT ||
	    !(e->layout.sample_type & PERF_SAMPLE_RAW))
		return layout;
	return read_type(&e->layout, rec, &type) ? hmap_get(&s->by_type, type) : ID_NONE;
}

bool event_set_addresses(const struct event_set *s)
{
	const struct event_desc *e;

	for (e = s->events.v; e < s->events.v + s->events.nr; e++)
		if (!e->sideband && !(e->layout.sample_type & PERF_SAMPLE_IP))
			return false;
	return s->events.nr && !s->defers;
}

size_t event_set_plain_length(const char *name)
{
	const size_t plain = strcspn(name, "(");
	const char *colon = name[plain] ? NULL : strrchr(name, ':');

	return colon && colon[1] && !colon[1 + strspn(colon + 1, EVENT_SET_MODIFIERS)]
		       ? (size_t)(colon - name)
		       : plain;
}

bool event_set_is_named(const char *name, const char *asked)
{
	size_t len = event_set_plain_length(name), asked_len = strcspn(asked, "(");
	const char *colon = memchr(asked, ':', asked_len) ? NULL : memchr(name, ':', len);

	if (!strcmp(name, asked))
		return true;
	if (colon) {
		len -= (size_t)(colon + 1 - name);
		name = colon + 1;
	}
	return len == asked_len && !memcmp(name, asked, len);
}

bool event_set_has(const struct event_set *s, const char *name)
{
	const struct event_desc *e;

	for (e = s->events.v; e < s->events.v + s->events.nr; e++)
		if (event_set_is_named(e->name, name))
			return true;
	return false;
}

bool event_set_traces(const struct event_set *s)
{
	const struct event_desc *e;

	for (e = s->events.v; e < s->events.v + s->events.nr; e++)
		if (e->attr.type != PERF_TYPE_TRACEPOINT)
			return false;
	return s->events.nr;
}

void event_set_free(struct event_set *s)
{
	vec_free(&s->events);
	hmap_free(&s->by_id);
	hmap_free(&s->by_type);
	arena_free(&s->arena);
}
