// SPDX-License-Identifier: GPL-2.0
#include "util/file/perfdata_internal.h"

#include <errno.h>

/* Of one block: bytes of kinds, where a record of any size still has to fit in, and samples. */
#define BLOCK_BYTES   (512u << 10)
#define BLOCK_SAMPLES (64u << 10)
#define RECORD_ROOM   (UINT16_MAX + 8u)
/* To be seen before it is judged whether taking them is worth it. */
#define SAMPLES_ENOUGH 2048

#define WORDS                                                                           \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |  \
	 PERF_SAMPLE_PERIOD)
#define TAKEN (WORDS | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW)

struct perfdata_groups_block {
	struct record_buffer record_buffer;
	struct perfdata_groups *owner;
	struct perfdata_groups_block *next; /* of those that are idle */
	struct sample_groups groups;
};

/* A sample is told by its bytes from the header to the time, and from there to an end. */
struct telling {
	u32 time_at, end;
	bool whole; /* no bytes are left out */
};

/* What some samples say depends on the one before, or on one behind. */
static bool hang_together(const struct event_set *events)
{
	u32 i;

	for (i = 0; i < events->events.nr; i++)
		if (events->events.v[i].layout.sample_type & PERF_SAMPLE_READ)
			return true;
	return events->defers;
}

/* Pass over what a call chain or raw data takes, `nr` units behind a length. False: it is cut. */
static bool pass_over(u64 *at, u32 size, u64 length, u64 nr, u32 unit)
{
	if (nr > size / unit)
		return false;
	*at += ALIGN_UP(length + nr * unit, 8u);
	return *at <= size;
}

/* False: it is cut, or is told by more than that. */
static bool tell(const struct perfdata_groups *a, const struct sample_layout *p,
		 const struct rec *rec, struct telling *t)
{
	const u64 type = p->sample_type, words = sizeof(struct perf_event_header) + p->words_size;
	u64 at = words, nr;
	u32 size;

	if (p->time_at < 0 || type & ~TAKEN || at > rec->size)
		return false;
	t->time_at = (u32)sizeof(struct perf_event_header) + (u32)p->time_at;
	t->whole = type & PERF_SAMPLE_RAW && a->raw;
	t->end = (u32)at;
	if (type & PERF_SAMPLE_CALLCHAIN) {
		if (rec->size - at < sizeof(nr))
			return false;
		memcpy(&nr, rec->data + at, sizeof(nr));
		if (!pass_over(&at, rec->size, sizeof(nr), nr, sizeof(u64)))
			return false;
		/* without a field for it, the first address of the chain is the sampled one */
		if (!(type & PERF_SAMPLE_IP) || a->chains)
			t->end = (u32)at;
	}
	if (type & PERF_SAMPLE_RAW) {
		/* without a field for it, raw data tells the task */
		if (!(type & PERF_SAMPLE_TID) || rec->size - at < sizeof(size))
			return false;
		memcpy(&size, rec->data + at, sizeof(size));
		if (!pass_over(&at, rec->size, sizeof(size), size, 1))
			return false;
	}
	if (t->whole)
		t->end = rec->size;
	return true;
}

static u64 hash_of(const struct telling *t, const struct rec *rec)
{
	const u32 behind = t->time_at + (u32)sizeof(u64);
	u64 h = hash_bytes(rec->data + behind, t->end - behind), word;
	u32 at;

	for (at = sizeof(struct perf_event_header); at < t->time_at; at += sizeof(word)) {
		memcpy(&word, rec->data + at, sizeof(word));
		h = hash_u64(h ^ word);
	}
	return h;
}

/* The length of a call chain stands at one place in all samples of an event, so that ends are alike, too. */
static bool are_alike(const struct perfdata_groups *a, u32 kind, const struct telling *t,
		      const struct rec *rec)
{
	const struct rec *with = &a->now->groups.kinds.v[kind];
	const char *data = a->now->groups.bytes.data + a->places.v[kind];
	const u32 from = sizeof(struct perf_event_header), behind = t->time_at + 8;

	return with->event == rec->event && with->misc == rec->misc && with->cpu == rec->cpu &&
	       (t->whole ? with->size == rec->size : with->size >= t->end) &&
	       !memcmp(data + from, rec->data + from, t->time_at - from) &&
	       !memcmp(data + behind, rec->data + behind, t->end - behind);
}

/* For which there is room. */
static bool add_kind(struct perfdata_groups *a, const struct rec *rec)
{
	struct buf *bytes = &a->now->groups.bytes;
	u32 *place = vec_push(&a->places);
	struct rec *kind = vec_push(&a->now->groups.kinds);

	if (!place || !kind)
		return false;
	*place = (u32)bytes->len;
	*kind = *rec;
	memcpy(bytes->data + bytes->len, rec->data, rec->size);
	bytes->len += ALIGN_UP(rec->size, 8u);
	a->kinds++;
	return true;
}

/* ID_NONE: memory is out. */
static u32 kind_of(struct perfdata_groups *a, const struct telling *t, const struct rec *rec)
{
	u32 at, step = 0, kind = a->now->groups.kinds.nr;
	struct columns_slot *slot;
	u64 key = hash_of(t, rec);

	if (!columns_table_ready(&a->table))
		return ID_NONE;
	at = columns_table_at(&a->table, key);
	while ((slot = columns_table_next(&a->table, key, &at, &step))) {
		if (slot->time != a->table.time)
			break;
		if (are_alike(a, slot->value, t, rec))
			return slot->value;
	}
	if (!add_kind(a, rec))
		return ID_NONE;
	if (slot)
		columns_table_put(&a->table, slot, key, kind);
	return kind;
}

static void come_back(struct record_buffer *l)
{
	struct perfdata_groups_block *b = (struct perfdata_groups_block *)l;

	b->next = b->owner->idle;
	b->owner->idle = b;
}

static bool begin_block(struct perfdata_groups *a)
{
	struct perfdata_groups_block *b = a->idle ? a->idle : calloc(1, sizeof(*b));

	if (!b)
		return false;
	if (b == a->idle)
		a->idle = b->next;
	b->record_buffer = (struct record_buffer){.refs = 1, .back = come_back};
	b->owner = a;
	sample_groups_clear(&b->groups);
	a->now = b;
	a->places.nr = 0;
	columns_table_clear(&a->table);
	/* what is told of kinds stays where it is */
	return buf_room(&b->groups.bytes, BLOCK_BYTES);
}

static bool is_vain(const struct perfdata_groups *a)
{
	return a->samples > SAMPLES_ENOUGH && a->kinds > a->samples - a->samples / 8;
}

static void know_events(struct perfdata_groups *a, const struct source *s)
{
	const struct event_set *events = &s->recording.events;

	if (a->events == events->events.nr)
		return;
	a->events = events->events.nr;
	a->off |= hang_together(events);
	a->chains = !s->want.no_chains && !(s->want.addresses && event_set_addresses(events));
	a->raw = !s->want.no_raw || (s->want.traces && event_set_traces(events)) ||
		 (s->want.raw_event && event_set_has(events, s->want.raw_event));
}

int perfdata_groups_take(struct perfdata_groups *a, const struct source *s, const struct rec *rec)
{
	const struct event_set *events = &s->recording.events;
	struct telling t;
	struct sample_groups *to;
	u32 kind;

	know_events(a, s);
	if (a->off || !s->want.grouped || rec->type != PERF_RECORD_SAMPLE ||
	    rec->event >= events->events.nr ||
	    !tell(a, &events->events.v[rec->event].layout, rec, &t))
		return PERFDATA_GROUPS_LEFT;
	if (!a->now && !begin_block(a))
		return -ENOMEM;
	to = &a->now->groups;
	kind = kind_of(a, &t, rec);
	if (kind == ID_NONE || !vec_reserve(&to->times, (u64)to->times.nr + 1) ||
	    !vec_reserve(&to->kind_of, (u64)to->kind_of.nr + 1) ||
	    !sample_groups_add_time(to,
				    sample_layout_time(&events->events.v[rec->event].layout, rec)))
		return -ENOMEM;
	to->kind_of.v[to->kind_of.nr++] = kind;
	a->samples++;
	a->off |= is_vain(a);
	return to->times.nr == BLOCK_SAMPLES || BLOCK_BYTES - to->bytes.len < RECORD_ROOM
		       ? PERFDATA_GROUPS_FULL
		       : PERFDATA_GROUPS_TAKEN;
}

bool perfdata_groups_give(struct perfdata_groups *a, struct source *s)
{
	struct perfdata_groups_block *b = a->now;
	u32 i;

	if (!b || !b->groups.times.nr)
		return false;
	for (i = 0; i < b->groups.kinds.nr; i++)
		b->groups.kinds.v[i].data = (const u8 *)b->groups.bytes.data + a->places.v[i];
	a->now = NULL;
	s->groups = &b->groups;
	s->record_buffer = &b->record_buffer;
	return true;
}

static void free_block(struct perfdata_groups_block *b)
{
	if (b)
		sample_groups_free(&b->groups);
	free(b);
}

void perfdata_groups_free(struct perfdata_groups *a)
{
	struct perfdata_groups_block *b;

	free_block(a->now);
	a->now = NULL;
	while ((b = a->idle)) {
		a->idle = b->next;
		free_block(b);
	}
	vec_free(&a->places);
	columns_table_free(&a->table);
}
