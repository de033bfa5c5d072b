// SPDX-License-Identifier: GPL-2.0
#include "util/capture/recorder_internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include "util/base/clock.h"

#define FLUSH_NS 700000000ull /* with the round that it waits for, within a second */
/* As long as the kernel itself may keep what was written from the disk. */
#define SLOW_FLUSH_NS 30000000000ull
#define PIPE_FLUSH_NS 100000000ull
#define SETTLE_NS     20000000ull  /* by then a record that was stamped is in its ring */
#define STALLED_NS    800000000ull /* nobody read the rings for so long: said as a loss */
/* A worker's turn comes after so long, if not by a ring that fills. */
#define TURN_NS 200000000ull
/* So many bytes of side-band it takes over although no sample asks for them. */
#define SIDEBAND_WAITING (1u << 20)
/* At the end, a worker that has given nothing for so long is not waited for. */
#define STUCK_NS 30000000000ull

static void begin_round(struct recorder_reader *r)
{
	struct event_session_round *round = &r->session->round;

	if (!event_session_begin_round(r->session, SETTLE_NS))
		return;
	/* what is being unwound was in its ring when that turn began */
	if (r->unwinding)
		round->before = MIN(round->before, unwinding_clean(r->unwinding) - SETTLE_NS);
	r->shared_batches->round_before = round->before;
}

void recorder_reader_begin(struct recorder_reader *r)
{
	u32 i;

	r->batch = block_writer_thread_next(r->thread);
	r->flushed = r->handed = r->looked = clock_ns(CLOCK_MONOTONIC);
	r->shared_batches->round_before = r->session->round.before;
	for (i = 0; r->unwinding && i < r->unwinding->nr; i++)
		r->unwinding->v[i].clean = r->session->round.now;
}

void recorder_reader_flush(struct recorder_reader *r, bool anyway)
{
	r->flushed = r->handed = clock_ns(CLOCK_MONOTONIC);
	if (!r->batch->nr_spans && !anyway)
		return;
	/* an overwriting ring gives its records late */
	r->batch->order = r->rings->options.overwrite ? 0 : r->session->round.before;
	block_writer_thread_hand(r->thread);
	r->batch = block_writer_thread_next(r->thread);
}

void recorder_reader_add(struct recorder_reader *r, u32 ring, const void *records, size_t len)
{
	const u8 *p = records;
	size_t at, n;

	if (r->unwinding && ring == ID_NONE)
		unwinding_sideband(r->unwinding, records, len);
	for (at = 0; at < len; at += n) {
		if (batch_room(r->batch) <= UINT16_MAX)
			recorder_reader_flush(r, false);
		n = batch_add(r->batch, ring, p + at, len - at);
		if (!n)
			break;
	}
}

void recorder_reader_lose(struct recorder_reader *r, struct loss loss)
{
	block_writer_thread_lock(r->thread);
	loss_account_loss(&r->thread->block_writer->loss_account, &loss);
	block_writer_thread_unlock(r->thread);
}

void recorder_reader_take_overwritten(struct recorder_reader *r)
{
	struct ring_slot *s;
	size_t len;
	u8 *all;
	u32 i;

	for (i = 0; i < r->rings->v.nr; i++) {
		s = &r->rings->v.v[i];
		if (!s->ring.overwrite)
			continue;
		all = malloc(s->ring.size);
		if (!all) {
			recorder_reader_lose(
				r, loss_between(LOSS_STOPPED, s->cpu, 0, r->session->round.now));
			continue;
		}
		ioctl(s->owner, PERF_EVENT_IOC_PAUSE_OUTPUT, 1);
		len = ring_copy_newest(&s->ring, all);
		ioctl(s->owner, PERF_EVENT_IOC_PAUSE_OUTPUT, 0);
		recorder_reader_add(r, i, all, len);
		free(all);
	}
}

/* Copy what is in a ring. */
static void drain_ring(struct recorder_reader *r, u32 number)
{
	struct ring *ring = &r->rings->v.v[number].ring;
	u64 from, waiting, first = 0;
	size_t n;

	if (ring->overwrite || !ring->size)
		return;
	while ((waiting = ring_begin(ring))) {
		first = first ? first : waiting;
		if (batch_room(r->batch) <= UINT16_MAX)
			recorder_reader_flush(r, false);
		from = ring->pos;
		n = ring_copy(ring, batch_end(r->batch), batch_room(r->batch));
		if (n && r->rings->v.v[number].sideband)
			pinned_files_look(r->held, batch_end(r->batch), n, r->looked);
		if (n && r->unwinding)
			unwinding_sideband(r->unwinding, batch_end(r->batch), n);
		if (n)
			batch_commit(r->batch, number, from, ring->pos, (u32)n);
		shared_batches_taken(r->shared_batches, number, ring->pos);
		ring_release(ring);
		/* what comes while it is read is for the next round, or one CPU would keep us */
		if (ring->pos == ring->head && waiting < ring->size / 2)
			break;
	}
	event_session_leave_ring(r->session, number, first, NULL);
}

/* Records that were made of a stretch of a ring, whose space is given back. */
static void take_stretch(struct recorder_reader *r, struct ring_stretch *s)
{
	struct ring *ring = &r->rings->v.v[s->ring].ring;

	if (s->out.len && batch_room(r->batch) < s->out.len)
		recorder_reader_flush(r, false);
	if (s->out.len) {
		memcpy(batch_end(r->batch), s->out.data, s->out.len);
		batch_commit(r->batch, s->ring, s->from, s->pos, (u32)s->out.len);
	}
	ring->bad += s->bad;
	ring->pos = s->pos;
	shared_batches_taken(r->shared_batches, s->ring, ring->pos);
	ring_release(ring);
	ring_unwinder_taken(s);
}

/* What the workers have unwound. True: there was some. */
static bool take_unwound(struct recorder_reader *r)
{
	struct unwinding_worker *w;
	bool any = false;
	u32 i, j;

	unwinding_heard(r->unwinding);
	for (i = 0; i < r->unwinding->nr; i++) {
		w = &r->unwinding->v[i];
		if (unwinding_turn(w) != UNWINDING_DONE)
			continue;
		for (j = 0; j < w->unwinder.rings.nr; j++)
			take_stretch(r, &w->unwinder.rings.v[j]);
		unwinding_taken(w);
		any = true;
	}
	return any;
}

static bool is_unwound(const struct recorder_reader *r, u32 number)
{
	return r->unwinding && !r->rings->v.v[number].sideband;
}

/* Before the side-band is read, so that it has every mapping that these samples are in. */
static void look_at_heads(struct recorder_reader *r)
{
	u32 i;

	for (i = 0; i < r->rings->v.nr; i++)
		if (is_unwound(r, i))
			ring_begin(&r->rings->v.v[i].ring);
}

/* What waits for a worker: bytes of the fullest of its rings, in quarters of it. */
static u64 give_rings(struct recorder_reader *r, struct unwinding_worker *w, u64 *waiting)
{
	struct ring *ring;
	u64 quarters = 0;
	u32 i;

	*waiting = 0;
	for (i = 0; i < r->rings->v.nr; i++) {
		if (!is_unwound(r, i) || unwinding_of(r->unwinding, r->rings->v.v[i].cpu) != w)
			continue;
		ring = &r->rings->v.v[i].ring;
		ring_unwinder_give(&w->unwinder, i, ring, ring->pos, ring->head);
		*waiting += ring->head - ring->pos;
		quarters = MAX(quarters, (ring->head - ring->pos) * 4 / ring->size);
	}
	return quarters;
}

static bool has_untidy(const struct recorder_reader *r, const struct unwinding_worker *w)
{
	return ring_unwinder_is_untidy(&w->unwinder, w->sideband.len != 0, r->looked);
}

/*
 * Turns are for many samples: a ring that is a quarter full, or all that came for a while. The end
 * of a turn wakes the reader, so a worker that had one for each sample would cost two wake-ups each.
 */
static void give_turns(struct recorder_reader *r, bool now)
{
	struct unwinding_worker *w;
	u64 waiting, quarters;
	u32 i;

	for (i = 0; i < r->unwinding->nr; i++) {
		w = &r->unwinding->v[i];
		if (unwinding_turn(w) != UNWINDING_IDLE)
			continue;
		quarters = give_rings(r, w, &waiting);
		if (!waiting && w->sideband.len < SIDEBAND_WAITING && !has_untidy(r, w))
			w->clean = r->session->round.now;
		else if (now || quarters || r->session->round.now - w->round >= TURN_NS)
			unwinding_go(w, r->session->round.now, r->session->round.before);
	}
}

/*
 * How long records wait for their block, if they do not fill it before. Small blocks compress badly,
 * and what a guardian holds is not lost with the recorder.
 */
static u64 flush_after(const struct recorder_reader *r)
{
	if (r->piped) /* whoever reads it is waiting */
		return PIPE_FLUSH_NS;
	return r->may_wait ? SLOW_FLUSH_NS : FLUSH_NS;
}

/* The batch waits on, but not what must be done in time. */
static void hand_part(struct recorder_reader *r, u64 now)
{
	r->handed = now;
	if (r->batch->nr_spans)
		block_writer_thread_look(r->thread);
}

/* Did nobody look for long, while events were enabled? */
static void look_for_stall(struct recorder_reader *r, u64 now)
{
	const u64 end = r->session->disabled ? MIN(now, r->session->disabled) : now;
	const u64 round = r->session->round.now;

	if (end > r->looked && end - r->looked >= STALLED_NS)
		recorder_reader_lose(
			r, loss_between(LOSS_STOPPED, ID_NONE, round, round + (end - r->looked)));
}

static void drain_round(struct recorder_reader *r, bool all)
{
	u64 now = clock_ns(CLOCK_MONOTONIC);
	u32 i, nr = r->rings->v.nr;

	look_for_stall(r, now);
	r->looked = now;
	pinned_files_expire(r->held, now);
	begin_round(r);
	if (r->unwinding) {
		take_unwound(r);
		look_at_heads(r);
	}
	for (i = 0; i < nr; i++)
		if (!is_unwound(r, i))
			drain_ring(r, i);
	if (r->unwinding)
		give_turns(r, all);
	/* a batch that was full went meanwhile: what is in the next one has only begun to wait */
	if (now > r->flushed && now - r->flushed >= flush_after(r))
		recorder_reader_flush(r, r->piped);
	else if (r->may_wait && now > r->handed && now - r->handed >= FLUSH_NS)
		hand_part(r, now);
}

void recorder_reader_drain(struct recorder_reader *r)
{
	drain_round(r, false);
}

bool recorder_reader_drain_all(struct recorder_reader *r)
{
	u64 since = clock_ns(r->session->options.clockid), moved = clock_ns(CLOCK_MONOTONIC);

	drain_round(r, true);
	while (r->unwinding && unwinding_clean(r->unwinding) < since) {
		unwinding_wait(r->unwinding, 100);
		if (take_unwound(r))
			moved = clock_ns(CLOCK_MONOTONIC);
		if (clock_ns(CLOCK_MONOTONIC) - moved > STUCK_NS || unwinding_failed(r->unwinding))
			return false;
		drain_round(r, true);
	}
	return true;
}

bool recorder_reader_is_at_end(const struct recorder_reader *r)
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
