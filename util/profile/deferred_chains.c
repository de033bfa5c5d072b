// SPDX-License-Identifier: GPL-2.0
#include "util/profile/deferred_chains.h"

#include <errno.h>

#include "util/record/chain.h"
#include "util/record/deferred.h"

#define RECORD_MAX (UINT16_MAX & ~7u)
/* Tables never lose an entry: when most are of the past, they are made anew. */
#define TABLE_MIN 4096

void deferred_chains_init(struct deferred_chains *d, struct reorder *reorder,
			  const struct deferred_chains_options *o)
{
	*d = (struct deferred_chains){.options = *o, .reorder = reorder};
}

void deferred_chains_free(struct deferred_chains *d)
{
	buf_free(&d->data);
	buf_free(&d->whole);
	vec_free(&d->held);
	hmap_free(&d->records);
	hmap_free(&d->execs);
	hmap_free(&d->maps);
	vec_free(&d->mapped);
}

static const struct event_set *events_of(const struct deferred_chains *d)
{
	return &d->reorder->source->recording.events;
}

static const struct sample_layout *sample_layout_of(const struct deferred_chains *d, u32 event)
{
	const struct event_set *events = events_of(d);

	return event < events->events.nr ? &events->events.v[event].layout : NULL;
}

/* The held record of that number; NULL: it is gone. */
static const struct deferred_held *held_at(const struct deferred_chains *d, u32 number)
{
	u32 i = number - d->base;

	return i >= d->first && i < d->held.nr ? &d->held.v[i] : NULL;
}

static void view(const struct deferred_chains *d, const struct deferred_held *h, struct rec *rec)
{
	rec_view(rec, d->data.data + h->at, d->data.len - h->at);
	rec->cpu = h->cpu;
	rec->event = h->event;
}

/* The cookie of a sample whose chain waits, and whose it is. */
static void look_at_sample(const struct sample_layout *layout, const struct rec *rec,
			   struct deferred_held *h)
{
	struct sample s;

	if (!layout || !(layout->sample_type & PERF_SAMPLE_CALLCHAIN) ||
	    !sample_layout_sample(layout, rec, &s) || !deferred_chain(s.chain, s.chain_nr))
		return;
	h->cookie = s.chain[s.chain_nr - 1];
	if (s.ids.has & PERF_SAMPLE_TID)
		h->tid = s.ids.tid;
}

static void look_at_record(const struct sample_layout *layout, const struct rec *rec,
			   struct deferred_held *h)
{
	struct deferred got;
	struct rec_ids ids;

	if (!layout || !sample_layout_ids(layout, rec, &ids) || !deferred_read(layout, rec, &got))
		return;
	h->cookie = got.cookie;
	if (ids.has & PERF_SAMPLE_TID)
		h->tid = ids.tid;
}

/* The thread that begins another program with this record; ID_NONE: none does. */
static u32 exec_of(const struct rec *rec)
{
	struct cur c = rec_body(rec);

	if (rec->type != PERF_RECORD_COMM || !(rec->misc & PERF_RECORD_MISC_COMM_EXEC))
		return ID_NONE;
	cur_u32(&c);
	return cur_u32(&c);
}

/* A mapping, behind the one before by its thread. */
static bool enter_mapping(struct deferred_chains *d, const struct rec *rec, struct deferred_held *h,
			  u32 number)
{
	struct cur c = rec_body(rec);
	u32 tid;

	cur_u32(&c);
	tid = cur_u32(&c);
	h->mapping = hmap_get(&d->maps, tid);
	return hmap_set(&d->maps, tid, number);
}

static bool enter(struct deferred_chains *d, const struct rec *rec, struct deferred_held *h,
		  u32 number)
{
	u32 tid = exec_of(rec);

	if (tid != ID_NONE)
		return hmap_set(&d->execs, tid, number);
	if (rec->type == PERF_RECORD_MMAP || rec->type == PERF_RECORD_MMAP2)
		return enter_mapping(d, rec, h, number);
	if (rec->type != DEFERRED_RECORD || !h->cookie)
		return true;
	h->exec = hmap_get(&d->execs, h->tid);
	h->mapping = hmap_get(&d->maps, h->tid);
	/* the first one counts: of two with one cookie, the other is no record of the kernel's */
	return held_at(d, hmap_get(&d->records, h->cookie)) ||
	       hmap_set(&d->records, h->cookie, number);
}

/* Forget what was given out. False: memory is out. */
static bool compact(struct deferred_chains *d)
{
	u64 from = d->first < d->held.nr ? d->held.v[d->first].at : d->data.len;
	u32 left = d->held.nr - d->first, i;
	struct rec rec;

	if (left && (d->first < left || from < d->data.len / 2))
		return true;
	if (left) {
		memmove(d->data.data, d->data.data + from, d->data.len - from);
		memmove(d->held.v, d->held.v + d->first, left * sizeof(*d->held.v));
	}
	d->data.len -= from;
	d->held.nr = left;
	d->base += d->first;
	d->first = 0;
	for (i = 0; i < left; i++)
		d->held.v[i].at -= from;
	if (d->records.nr + d->execs.nr + d->maps.nr < TABLE_MIN + 4 * left)
		return true;
	hmap_clear(&d->records);
	hmap_clear(&d->execs);
	hmap_clear(&d->maps);
	for (i = 0; i < left; i++) {
		view(d, &d->held.v[i], &rec);
		if (!enter(d, &rec, &d->held.v[i], d->base + i))
			return false;
	}
	return true;
}

/* Does the record ask to be held? It is described in any case. */
static bool look(struct deferred_chains *d, const struct rec *rec, u32 event,
		 struct deferred_held *h)
{
	const struct sample_layout *layout = sample_layout_of(d, event);

	*h = (struct deferred_held){.event = event,
				    .cpu = rec->cpu,
				    .tid = ID_NONE,
				    .exec = ID_NONE,
				    .mapping = ID_NONE};
	if (rec->type == PERF_RECORD_SAMPLE)
		look_at_sample(layout, rec, h);
	else if (rec->type == DEFERRED_RECORD)
		look_at_record(layout, rec, h);
	h->time = layout ? sample_layout_time(layout, rec) : 0;
	return h->cookie && rec->type == PERF_RECORD_SAMPLE;
}

static bool hold(struct deferred_chains *d, const struct rec *rec, struct deferred_held *h)
{
	struct deferred_held *to;

	if (!compact(d))
		return false;
	h->at = d->data.len;
	to = vec_push(&d->held);
	if (!to)
		return false;
	*to = *h;
	buf_add(&d->data, rec->data, rec->size);
	buf_pad(&d->data, '\0', ALIGN_UP(rec->size, 8u) - rec->size);
	return !d->data.failed && enter(d, rec, to, d->base + d->held.nr - 1);
}

static bool is_waiting(const struct deferred_chains *d, const struct deferred_held *h)
{
	struct rec rec;

	if (!h->cookie)
		return false;
	view(d, h, &rec);
	return rec.type == PERF_RECORD_SAMPLE && !held_at(d, hmap_get(&d->records, h->cookie));
}

/* The sample with another end of its chain behind what it has of the kernel's: a word, and `nr` more. */
static void put_whole(struct deferred_chains *d, const struct rec *rec, const struct sample *s,
		      u64 word, const u64 *more, u32 nr)
{
	const u8 *chain = (const u8 *)s->chain, *rest = (const u8 *)(s->chain + s->chain_nr);
	size_t lead = (size_t)(chain - sizeof(u64) - rec->data), kept = s->chain_nr - 2;
	size_t tail = (size_t)(rec->data + rec->size - rest);
	size_t room = (RECORD_MAX - lead - tail) / sizeof(u64) - 2 - kept;
	struct perf_event_header h;

	nr = (u32)MIN(nr, room);
	buf_clear(&d->whole);
	buf_add(&d->whole, rec->data, lead);
	buf_u64(&d->whole, kept + 1 + nr);
	buf_add(&d->whole, chain, kept * sizeof(u64));
	buf_u64(&d->whole, word);
	buf_add(&d->whole, more, nr * sizeof(u64));
	buf_add(&d->whole, rest, tail);
	if (d->whole.failed)
		return;
	memcpy(&h, d->whole.data, sizeof(h));
	h.size = (u16)d->whole.len;
	memcpy(d->whole.data, &h, sizeof(h));
}

/* Is what the thread told its stack of then? */
static bool is_same_program(const struct deferred_chains *d, const struct deferred_held *sample,
			    const struct deferred_held *record)
{
	const struct deferred_held *exec = held_at(d, record->exec);

	if (sample->tid != ID_NONE && record->tid != ID_NONE && sample->tid != record->tid)
		return false;
	return !exec || exec < sample;
}

/* In one stay: execve makes about five. */
#define MAPPED_MAX 64

/* What the thread mapped between its sample, the last one that is gone, and the record. */
static bool note_mapped(struct deferred_chains *d, const struct deferred_held *record)
{
	const struct deferred_held *m;
	u32 number, *slot;

	for (number = record->mapping; d->mapped.nr < MAPPED_MAX && (m = held_at(d, number));
	     number = m->mapping) {
		slot = vec_push(&d->mapped);
		if (!slot)
			return false;
		*slot = number;
	}
	return true;
}

/* Make the sample whole, as far as it can be. False: memory is out. */
static bool finish(struct deferred_chains *d, const struct deferred_held *h, bool expired,
		   struct rec *rec)
{
	const struct deferred_held *r = held_at(d, hmap_get(&d->records, h->cookie));
	u64 word = CHAIN_END + CHAIN_NO_RETURN;
	struct deferred got = {0};
	struct rec told;
	struct sample s;

	if (r && is_same_program(d, h, r)) {
		view(d, r, &told);
		word = CHAIN_END + CHAIN_NO_STACK;
		if (deferred_read(sample_layout_of(d, r->event), &told, &got) && got.nr)
			word = (u64)PERF_CONTEXT_USER;
		if (!note_mapped(d, r))
			return false;
		d->joined++;
	} else if (r) {
		word = CHAIN_END + CHAIN_NO_STACK;
		d->replaced++;
	} else if (expired) {
		d->late++;
	} else {
		d->missing++;
	}
	/* it was read when it came */
	sample_layout_sample(sample_layout_of(d, h->event), rec, &s);
	put_whole(d, rec, &s, word, got.chain, got.nr);
	if (d->whole.failed || !rec_view(rec, d->whole.data, d->whole.len))
		return false;
	rec->cpu = h->cpu;
	rec->event = h->event;
	return true;
}

/* The next of those that are held. */
static int give(struct deferred_chains *d, bool expired, struct rec *rec, u32 *event,
		struct err *err)
{
	const struct deferred_held *h = &d->held.v[d->first++];

	view(d, h, rec);
	*event = h->event;
	if (rec->type == PERF_RECORD_SAMPLE && h->cookie && !finish(d, h, expired, rec))
		return err_nomem(err);
	return 1;
}

/* May the next of those that are held wait no longer? */
static bool is_expired(const struct deferred_chains *d)
{
	const struct source *source = d->reorder->source;
	const struct deferred_held *h = &d->held.v[d->first];

	if (d->data.len - h->at > d->options.max_bytes)
		return true;
	return source->live && d->options.max_wait_ns && h->time &&
	       source->order > h->time + d->options.max_wait_ns;
}

int deferred_chains_next(struct deferred_chains *d, struct rec *rec, u32 *event, struct err *err)
{
	struct deferred_held h;
	bool expired;
	int ret;

	d->mapped.nr = 0;
	if (d->options.off ||
	    (d->first == d->held.nr && !events_of(d)->defers && events_of(d)->events.nr))
		return reorder_next(d->reorder, rec, event, err);
	for (;;) {
		if (d->first < d->held.nr) {
			expired = is_expired(d);
			if (expired || d->at_end || !is_waiting(d, &d->held.v[d->first]))
				return give(d, expired && !d->at_end, rec, event, err);
		} else if (d->at_end) {
			return 0;
		}
		ret = reorder_next(d->reorder, rec, event, err);
		if (ret < 0 || ret == SORTER_WAIT)
			return ret;
		d->at_end = ret == 0;
		if (d->at_end)
			continue;
		if (!look(d, rec, *event, &h) && d->first == d->held.nr)
			return 1;
		if (!hold(d, rec, &h))
			return err_nomem(err);
	}
}

bool deferred_chains_mapped(struct deferred_chains *d, struct rec *rec)
{
	const struct deferred_held *m;

	if (!d->mapped.nr)
		return false;
	m = held_at(d, d->mapped.v[--d->mapped.nr]);
	if (m)
		view(d, m, rec);
	return m != NULL;
}

static void note_part(struct buf *out, u64 nr, const char *text, bool *any)
{
	if (nr)
		buf_addf(out, "%s%llu %s", *any ? ", " : "", (unsigned long long)nr, text);
	*any |= nr != 0;
}

void deferred_chains_note(const struct deferred_chains *d, struct buf *out)
{
	u64 sum = d->missing + d->late + d->replaced;
	bool any = false;

	if (!sum)
		return;
	buf_addf(out, "%llu of %llu deferred call chains lack their user half: ",
		 (unsigned long long)sum, (unsigned long long)(sum + d->joined));
	note_part(out, d->missing, "had not returned to user space, or the record was lost", &any);
	note_part(out, d->late, "did so too late", &any);
	note_part(out, d->replaced, "began another program", &any);
	buf_addc(out, '\n');
}
