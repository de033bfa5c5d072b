// SPDX-License-Identifier: GPL-2.0
#include "util/profile/deferred_chains.h"

#include <errno.h>
#include <stdlib.h>

#include "util/base/buf.h"
#include "util/record/chain.h"
#include "util/record/deferred.h"

#define RECORD_MAX (UINT16_MAX & ~7u)
/* Tables never lose an entry: when most are of the past, they are made anew. */
#define TABLE_MIN 4096

struct deferred_held {
	u64 cookie; /* of a sample that waits, or of the record that it waits for; 0: neither */
	u64 time;
	u64 at; /* byte of `data` */
	u32 event, cpu, tid;
	u32 exec; /* of a record: number of the last exec of its thread, held here; ID_NONE: none */
	u32 mapping; /* of a record or a mapping: likewise of the last mapping before it */
};

struct deferred_chains {
	struct source source;
	struct deferred_chains_options options;
	struct buf data; /* the records that are held, one after the other */
	VEC(struct deferred_held) held;
	u32 first;           /* held.v[first] is the next; those before it are gone */
	u32 base;            /* number of held.v[0]: they are counted through, and may wrap */
	struct hmap records; /* cookie -> number of the record held that has it */
	struct hmap execs;   /* tid -> number of the last exec held */
	struct hmap maps;    /* tid -> number of the last mapping held */
	struct buf whole;    /* the sample given last, if it was changed */
	struct rec sample;   /* to be given after the mappings that are ahead of it */
	VEC(u32) mapped;     /* numbers of these mappings, the last one first */
	bool ahead;          /* they are being given */
	u64 reached;         /* the source's order when it last had to wait */
	bool at_end;
};

static const struct sample_layout *sample_layout_of(const struct deferred_chains *d, u32 event)
{
	const struct event_set *events = &d->source.recording->events;

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

/* A mapping: its thread has one more. */
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
static bool look_at(struct deferred_chains *d, const struct rec *rec, struct deferred_held *h)
{
	const struct sample_layout *layout = sample_layout_of(d, rec->event);

	*h = (struct deferred_held){.event = rec->event,
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

/* The sample with another end of its chain after its kernel half: a word, and `nr` more. */
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

/* Did the thread run the same program when its user half was recorded? */
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
static bool finish_sample(struct deferred_chains *d, const struct deferred_held *h, bool expired,
			  struct rec *rec)
{
	const struct deferred_held *r = held_at(d, hmap_get(&d->records, h->cookie));
	struct recording_deferred *counts = &d->source.recording->deferred;
	u64 word = CHAIN_END + CHAIN_NO_RETURN;
	struct deferred got = {0};
	struct rec later;
	struct sample s;

	if (r && is_same_program(d, h, r)) {
		view(d, r, &later);
		word = CHAIN_END + CHAIN_NO_STACK;
		if (deferred_read(sample_layout_of(d, r->event), &later, &got) && got.nr)
			word = (u64)PERF_CONTEXT_USER;
		if (!note_mapped(d, r))
			return false;
		counts->joined++;
	} else if (r) {
		word = CHAIN_END + CHAIN_NO_STACK;
		counts->replaced++;
	} else if (expired) {
		counts->late++;
	} else {
		counts->missing++;
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

/* A mapping that is ahead of its sample, at last the sample. */
static int give_ahead(struct deferred_chains *d, struct rec *rec)
{
	const struct deferred_held *m;

	while (d->mapped.nr) {
		m = held_at(d, d->mapped.v[--d->mapped.nr]);
		if (!m)
			continue;
		view(d, m, rec);
		rec->ahead = true;
		return SOURCE_RECORD;
	}
	d->ahead = false;
	*rec = d->sample;
	return SOURCE_RECORD;
}

/* The next of those that are held. */
static int give_held(struct deferred_chains *d, bool expired, struct rec *rec, struct err *err)
{
	const struct deferred_held *h = &d->held.v[d->first++];

	view(d, h, rec);
	if (rec->type != PERF_RECORD_SAMPLE || !h->cookie)
		return SOURCE_RECORD;
	if (!finish_sample(d, h, expired, rec))
		return err_nomem(err);
	d->sample = *rec;
	d->ahead = true;
	return give_ahead(d, rec);
}

/* May the next of those that are held wait no longer? */
static bool is_expired(const struct deferred_chains *d)
{
	const struct deferred_held *h = &d->held.v[d->first];

	if (d->data.len - h->at > d->options.max_bytes)
		return true;
	return d->options.max_wait_ns && h->time && d->reached > h->time + d->options.max_wait_ns;
}

/* What is held has not been given. */
static void update_order(struct deferred_chains *d)
{
	const struct deferred_held *h = d->first < d->held.nr ? &d->held.v[d->first] : NULL;

	d->reached = d->source.order = d->source.from->order;
	if (h && h->time && h->time < d->source.order)
		d->source.order = h->time;
}

static int next_whole(struct source *source, struct rec *rec, struct err *err)
{
	struct deferred_chains *d = (struct deferred_chains *)source;
	struct deferred_held h;
	bool expired;
	int ret;

	if (d->ahead)
		return give_ahead(d, rec);
	for (;;) {
		if (d->first < d->held.nr) {
			expired = is_expired(d);
			if (expired || d->at_end || !is_waiting(d, &d->held.v[d->first]))
				return give_held(d, expired && !d->at_end, rec, err);
		} else if (d->at_end) {
			return SOURCE_END;
		}
		ret = source_step(d->source.from, rec, err);
		if (ret == SOURCE_WAIT)
			update_order(d);
		if (ret < 0 || ret == SOURCE_WAIT)
			return ret;
		d->at_end = ret == SOURCE_END;
		if (d->at_end)
			continue;
		if (!look_at(d, rec, &h) && d->first == d->held.nr)
			return SOURCE_RECORD;
		if (!hold(d, rec, &h))
			return err_nomem(err);
	}
}

static void finish_chains(struct source *source)
{
	struct deferred_chains *d = (struct deferred_chains *)source;

	buf_free(&d->data);
	buf_free(&d->whole);
	vec_free(&d->held);
	hmap_free(&d->records);
	hmap_free(&d->execs);
	hmap_free(&d->maps);
	vec_free(&d->mapped);
	*d = (struct deferred_chains){.source = d->source, .at_end = true};
}

int deferred_chains_wrap(struct source **from, const struct deferred_chains_options *o,
			 struct err *err)
{
	static const struct source_ops ops = {
		.next = next_whole, .close = finish_chains, .finish = finish_chains};
	struct deferred_chains *d = calloc(1, sizeof(*d));

	if (!d)
		return err_nomem(err);
	d->options = *o;
	source_wrap(from, &d->source, &ops);
	return 0;
}

static void note_part(struct buf *out, u64 nr, const char *text, bool *any)
{
	if (nr)
		buf_addf(out, "%s%llu %s", *any ? ", " : "", (unsigned long long)nr, text);
	*any |= nr != 0;
}

void deferred_chains_note(const struct recording *r, struct buf *out)
{
	const struct recording_deferred *d = &r->deferred;
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
