// SPDX-License-Identifier: GPL-2.0
#include "util/file/reorder.h"

#include <stdlib.h>

#include "util/file/reorder_internal.h"

#define CHUNK_SIZE (1u << 20)

/* Copies of records whose memory their source takes back. */
struct reorder_chunk {
	struct record_buffer record_buffer; /* to the pending records in it, and to who fills it */
	struct reorder *owner;
	u32 used;
	struct reorder_chunk *next; /* of those that are empty */
	_Alignas(16) u8 data[CHUNK_SIZE];
};

struct reorder_entry {
	u64 time;
	const u8 *data;
	struct record_buffer *record_buffer; /* where it is */
	u32 event, cpu;
};

struct reorder {
	struct source source;
	VEC(struct reorder_entry) pending;
	struct reorder_entry *spare; /* room to merge in: of pending.cap entries, or NULL */
	u32 spare_cap;
	VEC(u32) runs;               /* where the ascending runs of `pending` begin, and its end */
	u32 pos, ready;              /* pending[pos..ready) may be given out */
	struct reorder_chunk *chunk; /* being filled */
	struct record_buffer *done;  /* of the record given out last */
	struct reorder_chunk *empty;
	struct reorder_groups groups;
	bool wait; /* to be passed on, once what it let go has been given */
	bool at_end;
};

/* Empty ones are filled again: their pages are there. */
static void chunk_back(struct record_buffer *l)
{
	struct reorder_chunk *c = (struct reorder_chunk *)l;

	c->next = c->owner->empty;
	c->owner->empty = c;
}

static bool chunk_room(struct reorder *s, u32 size)
{
	if (s->chunk && CHUNK_SIZE - s->chunk->used >= size)
		return true;
	if (s->chunk)
		record_buffer_put(&s->chunk->record_buffer);
	s->chunk = s->empty ? s->empty : malloc(sizeof(*s->chunk));
	if (!s->chunk)
		return false;
	if (s->chunk == s->empty)
		s->empty = s->chunk->next;
	s->chunk->record_buffer = (struct record_buffer){.refs = 1, .back = chunk_back};
	s->chunk->owner = s;
	s->chunk->used = 0;
	return true;
}

/* A copy of a record, and where it lies; NULL: memory is out. */
static const u8 *copy_record(struct reorder *s, const struct rec *rec,
			     struct record_buffer **record_buffer)
{
	u8 *to;

	if (!chunk_room(s, rec->size))
		return NULL;
	to = s->chunk->data + s->chunk->used;
	memcpy(to, rec->data, rec->size);
	s->chunk->used += ALIGN_UP(rec->size, 8u);
	*record_buffer = &s->chunk->record_buffer;
	return to;
}

static int add_record(struct reorder *s, const struct rec *rec, struct err *err)
{
	const struct event_set *events = &s->source.recording->events;
	struct record_buffer *record_buffer = s->source.from->record_buffer;
	const u8 *data = rec->data;
	struct reorder_entry *e;
	u32 event = rec->event < events->events.nr ? rec->event : event_set_find(events, rec);

	if (event == ID_NONE) {
		s->source.recording->damage.unknown++;
		if (rec->type == PERF_RECORD_SAMPLE)
			return 0;
	}
	if (!record_buffer)
		data = copy_record(s, rec, &record_buffer);
	e = data ? vec_push(&s->pending) : NULL;
	if (!e)
		return err_nomem(err);
	e->event = event;
	e->cpu = rec->cpu;
	e->time = event == ID_NONE ? 0 : sample_layout_time(&events->events.v[event].layout, rec);
	if (e->time == UINT64_MAX)
		e->time = 0;
	e->data = data;
	e->record_buffer = record_buffer;
	record_buffer->refs++;
	return 0;
}

/* Where the ascending runs begin, and the end: what each ring wrote is in order by itself. */
static bool find_runs(struct reorder *s)
{
	const struct reorder_entry *e = s->pending.v;
	u32 i, *run;

	s->runs.nr = 0;
	for (i = 0; i <= s->pending.nr; i++) {
		if (i && i < s->pending.nr && e[i - 1].time <= e[i].time)
			continue;
		run = vec_push(&s->runs);
		if (!run)
			return false;
		*run = i;
	}
	return true;
}

static void merge_runs(struct reorder_entry *to, const struct reorder_entry *a, u32 nr_a,
		       const struct reorder_entry *b, u32 nr_b)
{
	while (nr_a && nr_b) {
		if (b->time < a->time) {
			*to++ = *b++;
			nr_b--;
		} else {
			*to++ = *a++;
			nr_a--;
		}
	}
	memcpy(to, a, nr_a * sizeof(*a));
	memcpy(to + nr_a, b, nr_b * sizeof(*b));
}

/* Neighbours are merged until one run is left. Of one time, what was first stays first. */
static bool sort_pending(struct reorder *s)
{
	struct reorder_entry *from, *to;
	u32 *run, i, nr, kept;

	if (!find_runs(s))
		return false;
	if (s->runs.nr <= 2)
		return true;
	if (!vec_grow((void **)&s->spare, &s->spare_cap, s->pending.nr, sizeof(*s->spare)))
		return false;
	run = s->runs.v;
	for (nr = s->runs.nr - 1; nr > 1; nr = kept) {
		from = s->pending.v;
		to = s->spare;
		for (i = kept = 0; i < nr; i += 2) {
			u32 first = run[i], middle = run[i + 1];
			u32 end = i + 1 < nr ? run[i + 2] : middle;

			merge_runs(to + first, from + first, middle - first, from + middle,
				   end - middle);
			run[kept++] = first;
		}
		run[kept] = s->pending.nr;
		s->spare = from;
		s->pending.v = to;
		i = s->pending.cap;
		s->pending.cap = s->spare_cap;
		s->spare_cap = i;
	}
	return true;
}

/* Sort what is pending and let go what nothing can precede any more. */
static bool release(struct reorder *s)
{
	const u64 order = s->at_end ? UINT64_MAX : s->source.from->order;
	u32 lo = 0, hi;

	s->source.order = order;
	if (s->pos == s->pending.nr) {
		s->pending.nr = s->pos = s->ready = 0;
		return true;
	}
	memmove(s->pending.v, s->pending.v + s->pos,
		(s->pending.nr - s->pos) * sizeof(*s->pending.v));
	s->pending.nr -= s->pos;
	s->pos = 0;
	if (!sort_pending(s))
		return false;
	for (hi = s->pending.nr; lo < hi;) {
		u32 mid = lo + (hi - lo) / 2;

		if (s->pending.v[mid].time < order)
			lo = mid + 1;
		else
			hi = mid;
	}
	s->ready = lo;
	return true;
}

/* The header has been looked at when the record came. */
static void view_entry(struct rec *rec, const struct reorder_entry *e)
{
	struct perf_event_header h;

	memcpy(&h, e->data, sizeof(h));
	*rec = (struct rec){.data = e->data,
			    .size = h.size,
			    .type = h.type,
			    .misc = rec_misc(&h, e->data),
			    .cpu = e->cpu,
			    .event = e->event};
}

/* The kinds of a block that is new. */
static int add_groups(struct reorder *s, struct err *err)
{
	const struct event_set *events = &s->source.recording->events;
	struct sample_groups *a = s->source.from->groups;
	struct rec *r;

	for (r = a->kinds.v; r < a->kinds.v + a->kinds.nr; r++)
		if (r->event >= events->events.nr)
			r->event = event_set_find(events, r);
	return reorder_groups_add(&s->groups, a, s->source.from->record_buffer) ? 0
										: err_nomem(err);
}

/* The record of a group, with the time of its first sample. */
static void view_group(struct reorder *s, const struct sample_group *g, struct rec *rec)
{
	const struct event_set *events = &s->source.recording->events;
	struct sample_groups *a = s->groups.blocks.v[g->block].from;
	s64 at;

	*rec = a->kinds.v[g->kind];
	rec->more = g->samples - 1;
	s->source.last = g->last;
	if (rec->event == ID_NONE)
		return;
	at = events->events.v[rec->event].layout.time_at;
	if (at < 0 || rec->size < sizeof(struct perf_event_header) + (u64)at + sizeof(g->first))
		return;
	at += (const char *)rec->data - a->bytes.data + (s64)sizeof(struct perf_event_header);
	memcpy(a->bytes.data + at, &g->first, sizeof(g->first));
}

/* Is there a record to give out? */
static bool is_ready(const struct reorder *s)
{
	return s->pos < s->ready || s->groups.given < s->groups.groups.nr ||
	       s->groups.earliest < s->source.order;
}

/* Of grouped samples, those before the next record. 1: rec; 0: there are none. */
static int next_group(struct reorder *s, struct rec *rec, struct err *err)
{
	u64 before = s->pos < s->ready ? s->pending.v[s->pos].time : s->source.order;
	const struct sample_group *g = reorder_groups_next(&s->groups);

	if (!g && s->groups.earliest >= before)
		return 0;
	if (!g && !reorder_groups_gather(&s->groups, before))
		return err_nomem(err);
	g = g ? g : reorder_groups_next(&s->groups);
	view_group(s, g, rec);
	return 1;
}

/* Take up what the source has next. */
static int read_step(struct reorder *s, struct err *err)
{
	struct rec r;
	int ret = source_step(s->source.from, &r, err);

	if (ret == SOURCE_RECORD)
		return add_record(s, &r, err);
	if (ret == SOURCE_GROUPS)
		return add_groups(s, err);
	if (ret < 0)
		return ret;
	s->at_end = ret == SOURCE_END;
	s->wait = ret == SOURCE_WAIT;
	return release(s) ? 0 : err_nomem(err);
}

int reorder_prepare(struct source *source, struct err *err)
{
	struct reorder *s = (struct reorder *)source;
	int ret = 0;

	while (!ret && !is_ready(s) && !s->at_end && !(s->wait && source->recording->live))
		ret = read_step(s, err);
	return ret;
}

static int next_in_order(struct source *source, struct rec *rec, struct err *err)
{
	struct reorder *s = (struct reorder *)source;
	struct reorder_entry *e;
	int ret;

	record_buffer_put(s->done);
	s->done = NULL;
	source->last = 0;
	while (!is_ready(s)) {
		if (s->wait) {
			s->wait = false;
			return SOURCE_WAIT;
		}
		if (s->at_end)
			return SOURCE_END;
		ret = read_step(s, err);
		if (ret)
			return ret;
	}
	ret = next_group(s, rec, err);
	if (ret)
		return ret;
	e = &s->pending.v[s->pos++];
	s->done = e->record_buffer;
	view_entry(rec, e);
	return SOURCE_RECORD;
}

static void finish_reorder(struct source *source)
{
	struct reorder *s = (struct reorder *)source;
	struct reorder_chunk *c;

	record_buffer_put(s->done);
	reorder_groups_free(&s->groups);
	while (s->pos < s->pending.nr)
		record_buffer_put(s->pending.v[s->pos++].record_buffer);
	if (s->chunk)
		record_buffer_put(&s->chunk->record_buffer);
	while ((c = s->empty)) {
		s->empty = c->next;
		free(c);
	}
	vec_free(&s->pending);
	vec_free(&s->runs);
	free(s->spare);
	*s = (struct reorder){.source = s->source, .at_end = true};
	reorder_groups_init(&s->groups);
}

int reorder_wrap(struct source **from, struct err *err)
{
	static const struct source_ops ops = {
		.next = next_in_order, .close = finish_reorder, .finish = finish_reorder};
	struct reorder *s = calloc(1, sizeof(*s));

	if (!s)
		return err_nomem(err);
	reorder_groups_init(&s->groups);
	source_wrap(from, &s->source, &ops);
	return 0;
}
