// SPDX-License-Identifier: GPL-2.0
#include "util/capture/intake.h"

#include <stdlib.h>
#include <string.h>

int intake_init(struct intake *k, struct err *err)
{
	k->in_block = calloc(k->ledger->nr, sizeof(*k->in_block));
	return k->in_block ? 0 : err_nomem(err);
}

void intake_free(struct intake *k)
{
	vec_free(&k->times);
	free(k->in_block);
	k->in_block = NULL;
}

/* Is the sample of the recorder itself, and not wanted? */
static bool is_own(const struct intake *k, const struct rec *rec, const struct plan *plan)
{
	/* the other samples were left out by a filter in the kernel */
	return k->self && plan->sample_type & PERF_SAMPLE_TID && plan_pid(plan, rec) == k->self;
}

/* Does the sample pass what the kernel could not test of its event's filter? */
static bool passes(const struct intake *k, const struct rec *rec, const struct plan *plan)
{
	const struct tp_filter *here = k->list && rec->event < k->list->specs.nr
					       ? k->list->specs.v[rec->event].here
					       : NULL;
	struct sample sample;

	if (!here)
		return true;
	if (!plan_sample(plan, rec, &sample))
		return false;
	return tp_filter_pass(here, &(struct tp_filter_sample){.raw = sample.raw,
							       .len = sample.raw_size,
							       .cpu = rec->cpu,
							       .tid = (s32)sample.ids.tid});
}

static void leave_out(struct intake *k, const struct rec *rec, bool filtered)
{
	if (k->again)
		return;
	k->ledger->filtered += filtered;
	k->ledger->excluded++;
	if (rec->event != ID_NONE)
		k->ledger->counts[rec->event].excluded++;
}

static void note_time(struct intake_facts *f, u64 *newest, u64 time)
{
	if (!time)
		return;
	if (!f->time_min || time < f->time_min)
		f->time_min = time;
	f->time_max = MAX(f->time_max, time);
	*newest = MAX(*newest, time);
}

static void take(struct intake *k, struct rec *rec, u64 *newest)
{
	u32 event = rec->event == ID_NONE ? 0 : rec->event;
	const struct plan *plan = &k->events->events.v[event].plan;
	struct columns_stacks stacks;
	u64 time = plan_time(plan, rec);

	if (rec->type == PERF_RECORD_SAMPLE) {
		if (is_own(k, rec, plan)) {
			leave_out(k, rec, false);
			return;
		}
		if (!passes(k, rec, plan)) {
			leave_out(k, rec, true);
			return;
		}
		k->facts.samples++;
		if (rec->event != ID_NONE)
			k->in_block[rec->event]++;
	} else if (!k->again) {
		ledger_record(k->ledger, k->events, rec, *newest, time);
	}
	note_time(&k->facts, newest, time);
	columns_add(k->encoder, rec, &stacks);
	if (!k->again)
		seen_record(k->seen, rec, event, &stacks);
	k->facts.records++;
	k->facts.raw_size += rec->size;
}

/* The newest record of that ring. */
static u64 *time_of(struct intake *k, u32 ring)
{
	while (k->times.nr <= ring)
		if (!vec_push(&k->times))
			return NULL;
	return &k->times.v[ring];
}

/* Were the bytes of the span copied from the ring as they were there? */
static bool is_copy(const struct batch_span *span)
{
	return span->to - span->from == span->len;
}

/* The records from byte `at` to byte `end` of a span. */
static void take_part(struct intake *k, const struct batch *b, const struct batch_span *span,
		      u32 at, u32 end)
{
	struct columns_ring run = {.number = span->ring,
				   .cpu = ID_NONE,
				   .sideband = true,
				   .from = span->from + (is_copy(span) ? at : 0),
				   .to = is_copy(span) ? span->from + end : span->to};
	/* what can be of one event only needs no look */
	u32 only = span->ring == ID_NONE ? 0 : k->events->events.nr == 2;
	u64 made = 0, *newest = &made;
	struct rec rec;

	if (span->ring != ID_NONE) {
		run.cpu = k->handover->rings[span->ring].cpu;
		run.sideband = k->handover->rings[span->ring].sideband;
		only = run.sideband ? 0 : only;
		newest = time_of(k, span->ring);
	}
	columns_run(k->encoder, &run);
	for (; newest && at < end; at += rec.size) {
		if (!rec_view(&rec, b->data + span->at + at, end - at)) {
			k->bad += !k->again;
			break;
		}
		rec.cpu = run.cpu;
		rec.event = run.sideband || only ? only : event_set_find_in(k->events, &rec, 1);
		take(k, &rec, newest);
	}
	k->ledger->failed |= !newest;
}

static void begin_block(struct intake *k, bool again)
{
	k->spans = 0;
	k->again = again;
	k->facts = (struct intake_facts){0};
	memset(k->in_block, 0, k->ledger->nr * sizeof(*k->in_block));
	columns_begin(k->encoder);
}

void intake_take(struct intake *k, const struct batch *b, u32 nr_spans)
{
	const struct batch_span *span;

	if (k->batch != b->number)
		begin_block(k, false);
	k->batch = b->number;
	while (k->spans < nr_spans) {
		span = &b->spans[k->spans++];
		take_part(k, b, span, 0, span->len);
	}
}

size_t intake_boundary(const struct batch *b, size_t at)
{
	const struct batch_span *span;
	struct rec rec;
	u32 i, n = 0;

	for (i = 0; i < b->nr_spans && b->spans[i].at + b->spans[i].len <= at;)
		i++;
	if (i == b->nr_spans)
		return b->len;
	span = &b->spans[i];
	while (is_copy(span) && span->at + n < at &&
	       rec_view(&rec, b->data + span->at + n, span->len - n))
		n += rec.size;
	return span->at + n < at ? span->at + span->len : span->at + n;
}

void intake_again(struct intake *k, const struct batch *b, size_t from, size_t to)
{
	const struct batch_span *span;
	u32 i;

	begin_block(k, true);
	for (i = 0; i < b->nr_spans; i++) {
		span = &b->spans[i];
		if (span->at + span->len > from && span->at < to)
			take_part(k, b, span, (u32)(MAX(from, span->at) - span->at),
				  (u32)(MIN(to, span->at + span->len) - span->at));
	}
}

int intake_end(struct intake *k, int level, struct buf *payload, struct err *err)
{
	k->batch = 0;
	return columns_end(k->encoder, level, payload, err);
}

u64 intake_newest(const struct intake *k, u32 cpu)
{
	u64 newest = 0;
	u32 i;

	for (i = 0; i < k->times.nr; i++)
		if (!k->handover->rings[i].sideband &&
		    (cpu == ID_NONE || k->handover->rings[i].cpu == cpu))
			newest = MAX(newest, k->times.v[i]);
	return newest;
}
