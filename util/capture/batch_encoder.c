// SPDX-License-Identifier: GPL-2.0
#include "util/capture/batch_encoder.h"

#include <stdlib.h>
#include <string.h>

int batch_encoder_init(struct batch_encoder *k, struct err *err)
{
	k->in_block = calloc(k->loss_account->nr, sizeof(*k->in_block));
	return k->in_block ? 0 : err_nomem(err);
}

void batch_encoder_free(struct batch_encoder *k)
{
	vec_free(&k->times);
	free(k->in_block);
	k->in_block = NULL;
}

/* Is the sample of the recorder itself, and not wanted? */
static bool is_own(const struct batch_encoder *k, const struct rec *rec,
		   const struct sample_layout *layout)
{
	/* the other samples were left out by a filter in the kernel */
	return k->self && layout->sample_type & PERF_SAMPLE_TID &&
	       sample_layout_pid(layout, rec) == k->self;
}

/* Does the sample pass what the kernel could not test of its event's filter? */
static bool passes(const struct batch_encoder *k, const struct rec *rec,
		   const struct sample_layout *layout)
{
	const struct tp_filter *here = k->list && rec->event < k->list->specs.nr
					       ? k->list->specs.v[rec->event].here
					       : NULL;
	struct sample sample;

	if (!here)
		return true;
	if (!sample_layout_sample(layout, rec, &sample))
		return false;
	return tp_filter_pass(here, &(struct tp_filter_sample){.raw = sample.raw,
							       .len = sample.raw_size,
							       .cpu = rec->cpu,
							       .tid = (s32)sample.ids.tid});
}

static void leave_out(struct batch_encoder *k, const struct rec *rec, bool filtered)
{
	if (k->again)
		return;
	k->loss_account->filtered += filtered;
	k->loss_account->excluded++;
	if (rec->event != ID_NONE)
		k->loss_account->counts[rec->event].excluded++;
}

static void note_time(struct batch_encoder_facts *f, u64 *newest, u64 time)
{
	if (!time)
		return;
	if (!f->time_min || time < f->time_min)
		f->time_min = time;
	f->time_max = MAX(f->time_max, time);
	*newest = MAX(*newest, time);
}

static void take(struct batch_encoder *k, struct rec *rec, u64 *newest)
{
	u32 event = rec->event == ID_NONE ? 0 : rec->event;
	const struct sample_layout *layout = &k->events->events.v[event].layout;
	struct columns_stacks stacks;
	u64 time = sample_layout_time(layout, rec);

	if (rec->type == PERF_RECORD_SAMPLE) {
		if (is_own(k, rec, layout)) {
			leave_out(k, rec, false);
			return;
		}
		if (!passes(k, rec, layout)) {
			leave_out(k, rec, true);
			return;
		}
		k->facts.samples++;
		if (rec->event != ID_NONE)
			k->in_block[rec->event]++;
	} else if (!k->again) {
		loss_account_record(k->loss_account, k->events, rec, *newest, time);
	}
	note_time(&k->facts, newest, time);
	columns_add(k->encoder, rec, &stacks);
	if (!k->again)
		symbol_collector_record(k->symbols, rec, event, &stacks);
	k->facts.records++;
	k->facts.raw_size += rec->size;
}

/* The newest record of that ring. */
static u64 *time_of(struct batch_encoder *k, u32 ring)
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
static void take_part(struct batch_encoder *k, const struct batch *b, const struct batch_span *span,
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
		run.cpu = k->shared_batches->rings[span->ring].cpu;
		run.sideband = k->shared_batches->rings[span->ring].sideband;
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
	k->loss_account->failed |= !newest;
}

static void begin_block(struct batch_encoder *k, bool again)
{
	k->spans = 0;
	k->again = again;
	k->facts = (struct batch_encoder_facts){0};
	memset(k->in_block, 0, k->loss_account->nr * sizeof(*k->in_block));
	columns_begin(k->encoder);
}

void batch_encoder_take(struct batch_encoder *k, const struct batch *b, u32 nr_spans)
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

size_t batch_encoder_boundary(const struct batch *b, size_t at)
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

void batch_encoder_again(struct batch_encoder *k, const struct batch *b, size_t from, size_t to)
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

int batch_encoder_end(struct batch_encoder *k, int level, struct buf *payload, struct err *err)
{
	k->batch = 0;
	return columns_end(k->encoder, level, payload, err);
}

u64 batch_encoder_newest(const struct batch_encoder *k, u32 cpu)
{
	u64 newest = 0;
	u32 i;

	for (i = 0; i < k->times.nr; i++)
		if (!k->shared_batches->rings[i].sideband &&
		    (cpu == ID_NONE || k->shared_batches->rings[i].cpu == cpu))
			newest = MAX(newest, k->times.v[i]);
	return newest;
}
