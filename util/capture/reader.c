// SPDX-License-Identifier: GPL-2.0
#include "util/capture/reader.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include "util/base/clock.h"

#define FLUSH_NS      700000000ull /* with the round that it waits for, within a second */
#define SLOW_FLUSH_NS 5000000000ull
#define PIPE_FLUSH_NS 100000000ull
#define SETTLE_NS     20000000ull  /* by then a record that was stamped is in its ring */
#define STALLED_NS    800000000ull /* nobody read the rings for so long: said as a loss */

/*
 * What a batch may promise: a record is stamped a little before it stands in its ring, and rounds
 * can follow each other within microseconds. So the round before is one of some time ago.
 */
static void begin_round(struct reader *r)
{
	u64 now = clock_ns(r->clockid);

	r->round = now;
	if (now - r->round_mark < SETTLE_NS)
		return;
	r->round_before = r->round_mark;
	r->round_mark = now;
	r->handover->round_before = r->round_before;
}

void reader_begin(struct reader *r)
{
	r->batch = scribe_thread_next(r->thread);
	r->flushed = r->looked = clock_ns(CLOCK_MONOTONIC);
	r->round = r->round_mark = r->round_before = r->first_round = clock_ns(r->clockid);
	r->handover->round_before = r->round_before;
}

void reader_flush(struct reader *r, bool anyway)
{
	r->flushed = clock_ns(CLOCK_MONOTONIC);
	if (!r->batch->nr_spans && !anyway)
		return;
	/* an overwriting ring gives its records late */
	r->batch->order = r->rings->options.overwrite ? 0 : r->round_before;
	scribe_thread_hand(r->thread);
	r->batch = scribe_thread_next(r->thread);
}

void reader_add(struct reader *r, u32 ring, const void *records, size_t len)
{
	const u8 *p = records;
	struct rec rec;
	size_t at, n;

	for (at = 0; at < len; at += n) {
		if (batch_room(r->batch) <= UINT16_MAX)
			reader_flush(r, false);
		for (n = 0; rec_view(&rec, p + at + n, len - at - n) &&
			    n + rec.size <= batch_room(r->batch);)
			n += rec.size;
		if (!n)
			break;
		memcpy(batch_end(r->batch), p + at, n);
		batch_commit(r->batch, ring, 0, 0, (u32)n);
	}
}

void reader_take_overwritten(struct reader *r)
{
	struct ring_slot *s;
	size_t len;
	u8 *all;
	u32 i;

	for (i = 0; i < r->rings->v.nr; i++) {
		s = &r->rings->v.v[i];
		all = s->ring.overwrite ? malloc(s->ring.size) : NULL;
		if (!all)
			continue;
		ioctl(s->owner, PERF_EVENT_IOC_PAUSE_OUTPUT, 1);
		len = ring_copy_newest(&s->ring, all);
		ioctl(s->owner, PERF_EVENT_IOC_PAUSE_OUTPUT, 0);
		reader_add(r, i, all, len);
		free(all);
	}
}

void reader_lose(struct reader *r, enum loss_cause cause, u32 cpu, u64 from, u64 to)
{
	struct loss loss = {.cause = cause, .cpu = cpu, .event = ID_NONE, .from = from, .to = to};

	scribe_thread_lock(r->thread);
	ledger_loss(&r->thread->scribe->ledger, &loss);
	scribe_thread_unlock(r->thread);
}

/* Copy what is in a ring. */
static void drain_ring(struct reader *r, u32 number)
{
	struct ring *ring = &r->rings->v.v[number].ring;
	u64 from, waiting, first = 0;
	size_t n;

	if (ring->overwrite || !ring->size)
		return;
	while ((waiting = ring_begin(ring))) {
		first = first ? first : waiting;
		if (batch_room(r->batch) <= UINT16_MAX)
			reader_flush(r, false);
		from = ring->pos;
		n = ring_copy(ring, batch_end(r->batch), batch_room(r->batch));
		if (n)
			batch_commit(r->batch, number, from, ring->pos, (u32)n);
		r->handover->rings[number].taken = ring->pos;
		ring_release(ring);
		/* what comes while it is read is for the next round, or one CPU would keep us */
		if (ring->pos == ring->head && waiting < ring->size / 2)
			break;
	}
	if (!first && r->rings->v.v[number].replaced)
		ring_close(ring);
	/* one that was nearly full when it was looked at will be too small the next time */
	if (first >= ring->size / 4 * 3 && first)
		rings_grow(r->rings, number);
}

/*
 * How long records wait for their block. Small blocks compress badly, and what a guardian holds is
 * not lost with the recorder: so few of them wait longer.
 */
static u64 flush_after(const struct reader *r)
{
	if (r->piped) /* whoever reads it is waiting */
		return PIPE_FLUSH_NS;
	return r->may_wait && r->batch->len < BATCH_BYTES / 4 ? SLOW_FLUSH_NS : FLUSH_NS;
}

void reader_drain(struct reader *r)
{
	u64 now = clock_ns(CLOCK_MONOTONIC);
	u32 i, nr = r->rings->v.nr;

	if (now - r->looked >= STALLED_NS)
		reader_lose(r, LOSS_STOPPED, ID_NONE, r->round, r->round + (now - r->looked));
	r->looked = now;
	begin_round(r);
	for (i = 0; i < nr; i++)
		drain_ring(r, i);
	if (now - r->flushed >= flush_after(r))
		reader_flush(r, r->piped);
}

bool reader_is_at_end(const struct reader *r)
{
	struct ring_slot *s;
	u32 i;

	for (i = 0; i < r->rings->v.nr; i++) {
		s = &r->rings->v.v[i];
		if (!s->sideband && s->ring.size && (s->ring.bad || ring_begin(&s->ring)))
			return false;
	}
	return !r->rings->options.overwrite;
}
