// SPDX-License-Identifier: GPL-2.0
#include "util/file/verify.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/base/text.h"
#include "util/file/source.h"

/* A CPU of a virtual machine may be stopped for this long between the two. */
#define LATE_NS 1000000000ull

/* More problems than this are counted, not described. */
#define PROBLEMS_MAX 20
#define WHOLE_FILE   UINT64_MAX

static void problem(struct verify *v, u64 at, const char *fmt, ...) PRINTF_LIKE(3, 4);
static void problem(struct verify *v, u64 at, const char *fmt, ...)
{
	struct verify_problem *p;
	char text[256];
	va_list ap;

	if (v->nr_problems++ >= PROBLEMS_MAX)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	p = vec_push(&v->problems);
	if (p)
		*p = (struct verify_problem){at, arena_strdup(&v->recording.arena, text)};
	if (p && !p->text)
		v->problems.nr--;
}

int verify_open(struct verify *v, const char *path, struct err *err)
{
	struct blocks *b = &v->state.in;
	int ret;

	*v = (struct verify){.state.in.in.fd = -1};
	ret = source_open_native(&b->in, path, "which holds no checksums to verify", err);
	if (ret)
		return ret;
	v->state.decoder = columns_decoder_new(err);
	ret = v->state.decoder ? blocks_begin(b, &b->in, err) : -ENOMEM;
	if (ret)
		return ret;
	blocks_account_begin(&v->state.account, &v->recording, &v->state.in);
	if (v->state.in.damaged)
		problem(v, 0, "the file header is damaged");
	return 0;
}

/* Times of the records, and the samples of each event. False: out of memory. */
static bool count_records(struct verify *v, const struct blocks_item *it)
{
	const struct event_set *events = &v->recording.events;
	const struct block *k = &it->head;
	u64 early = 0, by = 0, outside = 0, unknown = 0, time;
	struct cur c;
	u32 event, i;

	if (!vec_reserve(&v->event_samples, events->events.nr))
		return false;
	while (v->event_samples.nr < events->events.nr)
		v->event_samples.v[v->event_samples.nr++] = 0;
	for (i = 0; i < v->state.data.records.nr; i++) {
		struct rec rec = v->state.data.records.v[i];

		if (rec.event >= events->events.nr)
			rec.event = ID_NONE;
		event = event_set_find(events, &rec);
		if (rec.type == PERF_RECORD_LOST) {
			c = rec_body(&rec);
			cur_u64(&c);
			v->lost += cur_u64(&c);
		}
		if (event == ID_NONE) {
			unknown++;
			continue;
		}
		if (rec.type == PERF_RECORD_SAMPLE)
			v->event_samples.v[event]++;
		time = sample_layout_time(&events->events.v[event].layout, &rec);
		if (!time || time == UINT64_MAX)
			continue;
		/* one that was stamped long before it was in its ring is late, not wrong */
		if (time + LATE_NS < v->state.order) {
			early++;
			by = MAX(by, v->state.order - time);
		}
		outside += time < k->time_min || time > k->time_max;
		v->time_max = MAX(v->time_max, time);
		v->time_min = v->time_min ? MIN(v->time_min, time) : time;
	}
	if (unknown)
		problem(v, it->at, "%" PRIu64 " records of block %" PRIu64 " belong to no event",
			unknown, k->seq);
	if (early)
		problem(v, it->at,
			"%" PRIu64 " records of block %" PRIu64
			" are older than is possible there, by %" PRIu64 " ns at most",
			early, k->seq, by);
	if (outside)
		problem(v, it->at,
			"%" PRIu64 " record%s of block %" PRIu64
			" %s outside of the time it covers",
			outside, TEXT_PLURAL(outside), k->seq, outside == 1 ? "lies" : "lie");
	return true;
}

static const char *bad_content(const struct block *k, int bad)
{
	if (k->type == BLOCK_DATA)
		return "does not decode to what its header says";
	if (bad == -EEXIST)
		return "describes events after the first samples";
	return bad == -EFBIG ? "takes more memory than a file of this size may"
			     : "cannot be read: its content is invalid";
}

/* 0, -ENOMEM. */
static int check_data(struct verify *v, const struct blocks_item *it,
		      const struct blocks_step *step)
{
	const struct recording_damage *d = &v->recording.damage;
	const struct block *k = &it->head;

	/* what was read and not written is missing from the rings as well */
	if (step->rings.missing && !d->samples && !d->blocks)
		problem(v, it->at, "%" PRIu64 " bytes of ring %u are missing before block %" PRIu64,
			step->rings.missing, step->rings.ring, k->seq);
	if (step->rings.twice)
		problem(v, it->at,
			"%" PRIu64 " bytes of ring %u are in block %" PRIu64 " a second time",
			step->rings.twice, step->rings.ring, k->seq);
	v->records += v->state.data.records.nr;
	v->samples += v->state.data.samples;
	v->raw += v->state.data.raw_size;
	if (v->state.data.foreign &&
	    foreign_order_block(&v->state.foreign, &v->recording, &v->state.data))
		return -ENOMEM;
	if (!count_records(v, it))
		return -ENOMEM;
	v->state.order = MAX(v->state.order, k->order);
	return 0;
}

static int check_whole(struct verify *v, const struct blocks_item *it,
		       const struct blocks_step *step, struct err *err)
{
	const u64 seq = it->head.seq;

	v->blocks++;
	v->data_blocks += it->head.type == BLOCK_DATA;
	if (!it->padded)
		problem(v, it->at + BLOCK_HEADER_SIZE + it->head.stored_size,
			"the padding of block %" PRIu64 " is damaged", seq);
	if (step->after_end)
		problem(v, it->at, "block %" PRIu64 " follows the end of the recording", seq);
	if (step->after_end || step->repeated)
		return 0;
	if (step->bad)
		problem(v, it->at, "block %" PRIu64 " %s", seq, bad_content(&it->head, step->bad));
	if (step->fewer)
		problem(v, it->at,
			"block %" PRIu64 " says that %" PRIu64
			" samples came before it, not %" PRIu64,
			seq, it->head.samples_before, step->samples);
	if (step->blocks)
		problem(v, it->at, "%" PRIu64 " blocks are missing before block %" PRIu64,
			step->blocks, seq);
	return it->head.type == BLOCK_DATA && check_data(v, it, step) ? err_nomem(err) : 0;
}

int verify_next(struct verify *v, struct blocks_item *it, struct err *err)
{
	struct verify_state *s = &v->state;
	struct blocks_step step;
	int ret = blocks_next(&s->in, it);

	if (ret < 0)
		return err_set(err, -ret, "cannot read the file: %s", strerror(-ret));
	v->size = stream_tell(&s->in.in);
	if (!ret)
		return 0;
	if (it->kind == BLOCKS_WHOLE && it->head.type == BLOCK_DATA)
		data_block_decode(&s->data, s->decoder, &it->head, it->payload, NULL);
	ret = blocks_account_take(&s->account, it, &s->data, &step, err);
	if (ret)
		return ret;
	switch (it->kind) {
	case BLOCKS_WHOLE:
		ret = check_whole(v, it, &step, err);
		return ret ? ret : 1;
	case BLOCKS_CUT:
		problem(v, it->at, "the file ends in the middle of a block");
		break;
	case BLOCKS_BAD:
		if (it->strange)
			problem(v, it->at, "block %" PRIu64 " is of another recording",
				it->head.seq);
		else if (it->has_head)
			problem(v, it->at,
				"block %" PRIu64 " is damaged: its payload is not what was written",
				it->head.seq);
		else
			problem(v, it->at, "%" PRIu64 " bytes are no block", it->bytes);
		break;
	}
	return 1;
}

enum verify_account verify_account(const struct counts *n)
{
	if (!(n->flags & COUNTS_HITS))
		return VERIFY_NO_COUNT;
	return counts_sum(n) == n->count ? VERIFY_CLOSES : VERIFY_OPEN;
}

int verify_end(struct verify *v, struct err *err)
{
	const struct recording *r = &v->recording;
	const struct counts *n;
	const u64 missing = r->damage.samples, unwritten = recording_unwritten(r);
	u64 have;
	u32 i;

	for (i = 0; i < r->counts.nr; i++) {
		n = &r->counts.v[i];
		if (n->event >= r->events.events.nr) {
			problem(v, WHOLE_FILE, "the account of event %u is of none that is here",
				n->event);
			continue;
		}
		have = n->event < v->event_samples.nr ? v->event_samples.v[n->event] : 0;
		if (have != n->samples)
			problem(v, WHOLE_FILE,
				"%" PRIu64 " samples of event %u are here, %" PRIu64
				" were written",
				have, n->event, n->samples);
		if (verify_account(n) == VERIFY_OPEN)
			problem(v, WHOLE_FILE,
				"event %u: samples and losses are %" PRIu64
				", the kernel counted %" PRIu64,
				n->event, counts_sum(n), n->count);
	}
	if (missing > unwritten)
		problem(v, WHOLE_FILE,
			"%" PRIu64 " samples are missing with blocks that are not here",
			(missing - unwritten));
	if (!v->state.account.ended)
		problem(v, WHOLE_FILE, "the recorder did not finish the file");
	return v->problems.nr < MIN(v->nr_problems, (u64)PROBLEMS_MAX) ? err_nomem(err) : 0;
}

void verify_free(struct verify *v)
{
	stream_close(&v->state.in.in);
	columns_decoder_free(v->state.decoder);
	blocks_account_free(&v->state.account);
	data_block_free(&v->state.data);
	foreign_order_free(&v->state.foreign);
	vec_free(&v->event_samples);
	vec_free(&v->problems);
	recording_free(&v->recording);
}
