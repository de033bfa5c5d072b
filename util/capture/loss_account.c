// SPDX-License-Identifier: GPL-2.0
#include "util/capture/loss_account.h"

#include <stdlib.h>

int loss_account_init(struct loss_account *l, const struct event_set *events, struct err *err)
{
	u32 i;

	*l = (struct loss_account){.nr = events->events.nr};
	l->counts = calloc(l->nr, sizeof(*l->counts));
	if (!l->counts)
		return err_nomem(err);
	for (i = 0; i < l->nr; i++)
		l->counts[i].event = i;
	return 0;
}

void loss_account_free(struct loss_account *l)
{
	free(l->counts);
	vec_free(&l->losses);
	vec_free(&l->pauses);
	vec_free(&l->told);
	hmap_free(&l->throttled);
	*l = (struct loss_account){0};
}

void loss_account_loss(struct loss_account *l, const struct loss *loss)
{
	struct loss *p;
	u32 i;

	l->reports++;
	/* a CPU is away for a time that is known: two make no longer one */
	for (i = 0; i < l->losses.nr && loss->cause != LOSS_OFFLINE; i++) {
		p = &l->losses.v[i];
		if (p->cause != loss->cause || p->cpu != loss->cpu || p->event != loss->event)
			continue;
		p->from = MIN(p->from, loss->from);
		p->to = MAX(p->to, loss->to);
		p->count += loss->count;
		return;
	}
	p = vec_push(&l->losses);
	if (p)
		*p = *loss;
	else
		l->failed = true;
}

/* Since when the event is paused on that CPU; NULL: memory ran out. */
static u64 *pause_of(struct loss_account *l, u32 event, u32 cpu)
{
	u64 key = (u64)event << 32 | cpu;
	u32 at = hmap_get(&l->throttled, key);
	u64 *slot;

	if (at != ID_NONE)
		return &l->pauses.v[at];
	slot = vec_push(&l->pauses);
	if (!slot || !hmap_set(&l->throttled, key, l->pauses.nr - 1)) {
		l->failed = true;
		return NULL;
	}
	return slot;
}

/* THROTTLE and UNTHROTTLE: u64 time, id, stream_id. */
static void throttle(struct loss_account *l, const struct event_set *events, const struct rec *rec,
		     u64 time)
{
	struct cur c = rec_body(rec);
	struct loss loss = {.cause = LOSS_THROTTLED, .cpu = rec->cpu, .to = time};
	u64 *since;

	/* its own time may be of another clock than the recording's */
	cur_u64(&c);
	loss.event = hmap_get(&events->by_id, cur_u64(&c));
	if (loss.event == ID_NONE)
		loss.event = rec->event;
	since = pause_of(l, loss.event, rec->cpu);
	if (!since)
		return;
	if (rec->type == PERF_RECORD_THROTTLE) {
		l->throttles++;
		*since = time;
	} else if (*since) {
		loss.from = *since;
		*since = 0;
		loss_account_loss(l, &loss);
	}
}

void loss_account_record(struct loss_account *l, const struct event_set *events,
			 const struct rec *rec, u64 before, u64 time)
{
	struct loss loss = loss_between(LOSS_RING, rec->cpu, before, time);
	struct cur c = rec_body(rec);

	switch (rec->type) {
	case PERF_RECORD_LOST:
		cur_u64(&c);
		loss.count = cur_u64(&c);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		loss.event = rec->event;
		loss.count = cur_u64(&c);
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		throttle(l, events, rec, time);
		return;
	default:
		return;
	}
	/* of the side-band ring: no samples */
	if (rec->event == 0) {
		loss.event = 0;
	} else {
		l->lost += loss.count;
		lost_on_add(&l->told, loss.cpu, loss.count);
	}
	loss_account_loss(l, &loss);
}

u64 loss_account_untold(const struct loss_account *l, const struct lost_on *kernel, u32 cpu)
{
	u64 lost = lost_on_get(kernel, cpu), told = lost_on_get(&l->told, cpu);

	return l->told_before || lost < told ? 0 : lost - told;
}

void loss_account_put(const struct loss_account *l, struct buf *b)
{
	u32 i;

	for (i = 0; i < l->losses.nr; i++)
		loss_put(b, &l->losses.v[i]);
}

void loss_account_written(struct loss_account *l)
{
	l->losses.nr = 0;
}

/* Of no CPU and no time that are known. */
static void add_missed(struct loss_account *l, u32 event, u64 count)
{
	struct loss loss = loss_between(LOSS_PROGRAM, ID_NONE, 0, 0);

	if (!count)
		return;
	loss.event = event;
	loss.count = count;
	l->lost += count;
	loss_account_loss(l, &loss);
}

void loss_account_close(struct loss_account *l, const struct counts *kernel, bool read_to_end)
{
	struct counts *n;
	u32 i;

	for (i = 0; i < l->nr; i++) {
		n = &l->counts[i];
		n->lost = kernel[i].lost;
		n->count = kernel[i].count;
		n->flags = kernel[i].flags;
		add_missed(l, i, kernel[i].missed);
		n->unsampled = 0;
		if (read_to_end && n->flags & COUNTS_HITS && counts_sum(n) < n->count)
			n->unsampled = n->count - counts_sum(n);
	}
}

void loss_account_end(struct loss_account *l, const struct event_set *events, u64 now)
{
	struct loss loss = {.cause = LOSS_THROTTLED, .to = now};
	u32 i;

	for (i = 0; l->throttled.slots && i <= l->throttled.mask; i++) {
		const struct hmap_slot *slot = &l->throttled.slots[i];

		if (!slot->used || !l->pauses.v[slot->val])
			continue;
		loss.event = (u32)(slot->key >> 32);
		loss.cpu = (u32)slot->key;
		loss.from = l->pauses.v[slot->val];
		if (loss.event < events->events.nr)
			loss_account_loss(l, &loss);
	}
}
