// SPDX-License-Identifier: GPL-2.0
#include "util/file/pack.h"

#include <errno.h>
#include <stdlib.h>

#include "util/file/blocks_account.h"
#include "util/file/foreign_order.h"
#include "util/file/functions.h"

/* Larger blocks gain little and cost every reader memory. */
#define BLOCK_RAW_MAX (16u << 20)

struct pack {
	const struct pack_options *o;
	struct pack_result *result;
	struct blocks in;
	struct writer *w;
	struct recording recording;
	u32 reported; /* events that the caller knows of */
	struct blocks_account account;
	struct columns_decoder *decoder;
	struct data_block data, sideband;
	struct data_block own; /* `data` in our byte order, if that is another */
	struct foreign_order foreign;
	struct columns_encoder *encoder;
	struct buf payload;
	struct writer_data pending; /* records that are in the encoder */
	bool pending_foreign;       /* they are in the other byte order, and stay so */
	/* of the records that are pending, and of those that follow on them */
	struct functions symbols, later;
};

static int write_symbols(struct pack *p, struct err *err)
{
	struct functions_at at = {0};
	struct buf b = {0};
	int ret = 0;

	while (at.dso < p->symbols.dsos.nr && !ret) {
		buf_reset(&b);
		ret = functions_put(&p->symbols, &at, &b)
			      ? writer_block(p->w, BLOCK_SYMS, b.data, b.len, err)
			      : err_nomem(err);
	}
	functions_clear(&p->symbols);
	buf_free(&b);
	return ret;
}

/* The records that the latest symbols are for are pending now. */
static int hand_symbols(struct pack *p, struct err *err)
{
	return functions_move(&p->symbols, &p->later) ? 0 : err_nomem(err);
}

/* Write what has gathered: symbols first, since records need them. */
static int flush(struct pack *p, struct err *err)
{
	int ret = write_symbols(p, err);

	if (ret || !p->pending.records)
		return ret;
	buf_reset(&p->payload);
	ret = columns_end(p->encoder, p->o->level, &p->payload, err);
	if (ret)
		return ret;
	p->pending.payload = p->payload.data;
	p->pending.len = p->payload.len;
	ret = writer_data(p->w, &p->pending, err);
	p->pending = (struct writer_data){0};
	return ret;
}

/* Also the symbols of records that are not here. */
static int flush_all(struct pack *p, struct err *err)
{
	int ret = hand_symbols(p, err);

	return ret ? ret : flush(p, err);
}

/* The ring that a record came from, of those of its block. */
static const struct columns_ring *ring_of(const struct data_block *b, const struct rec *rec,
					  bool sideband)
{
	static const struct columns_ring made = {.number = ID_NONE, .cpu = ID_NONE};
	u32 i;

	for (i = 0; i < b->rings.nr; i++)
		if (b->rings.v[i].cpu == rec->cpu && b->rings.v[i].sideband == sideband)
			return &b->rings.v[i];
	return &made;
}

/* Does the next record of the side-band rings stand here? */
static bool is_sideband(const struct data_block *sideband, u32 at, const struct rec *rec)
{
	const struct rec *s;

	if (at == sideband->records.nr)
		return false;
	s = &sideband->records.v[at];
	return s->size == rec->size && s->cpu == rec->cpu && !memcmp(s->data, rec->data, s->size);
}

/* Events that no block has described. */
static void forget_unknown(const struct pack *p, struct data_block *b)
{
	u32 i;

	for (i = 0; i < b->records.nr; i++)
		if (b->records.v[i].event >= p->recording.events.events.nr)
			b->records.v[i].event = ID_NONE;
}

static void encode(struct pack *p)
{
	const struct data_block *b = &p->data;
	const struct columns_ring *ring = NULL, *of;
	u32 i, at = 0;

	if (!p->pending.records) {
		p->pending_foreign = b->foreign;
		columns_set_foreign(p->encoder, b->foreign);
		columns_begin(p->encoder);
	}
	/* rings without records here say how far they were read all the same */
	for (i = 0; i < b->rings.nr; i++)
		columns_run(p->encoder, &b->rings.v[i]);
	for (i = 0; i < b->records.nr; i++) {
		const struct rec *rec = &b->records.v[i];
		bool sideband = is_sideband(&p->sideband, at, rec);

		at += sideband;
		of = ring_of(b, rec, sideband);
		if (of != ring)
			columns_run(p->encoder, of);
		ring = of;
		columns_add(p->encoder, rec, NULL);
	}
}

/* Records without a time are given out before all others that are pending: they stay in front. */
static bool has_untimed(const struct pack *p)
{
	const struct data_block *b = p->data.foreign ? &p->own : &p->data;
	const struct event_set *events = &p->recording.events;
	u32 i, event;

	for (i = 0; i < b->records.nr; i++) {
		event = event_set_find(events, &b->records.v[i]);
		if (event == ID_NONE ||
		    !sample_layout_time(&events->events.v[event].layout, &b->records.v[i]))
			return true;
	}
	return b->records.nr < p->data.records.nr;
}

/* The records once more, in our byte order. 0, -ENOMEM. */
static int make_own(struct pack *p, const struct blocks_item *it)
{
	data_block_decode(&p->own, p->decoder, &it->head, it->payload, NULL);
	if (p->own.ret == -ENOMEM)
		return -ENOMEM;
	forget_unknown(p, &p->own);
	return foreign_order_block(&p->foreign, &p->recording, &p->own);
}

/* Unless what is whole is wanted all the same. */
static int refuse(struct pack *p, const char *what, u64 at, const char *hint, struct err *err)
{
	p->result->damaged = true;
	if (p->o->force)
		return 0;
	err_set(err, EBADMSG, "%s at byte %llu", what, (unsigned long long)at);
	err_hint(err, "%s", hint);
	return -EBADMSG;
}

static int bad(struct pack *p, u64 at, struct err *err)
{
	return refuse(p, "it is damaged", at,
		      "perf-lite verify says what is wrong; pack --force keeps what is whole", err);
}

/* What the input lacks, the copy lacks too, and says so. */
static int skip_hole(struct pack *p, u64 missing, struct err *err)
{
	int ret = missing ? flush(p, err) : 0;

	/* not writer_skip(): a damaged file may claim any number */
	p->w->samples += missing;
	p->w->samples_skipped += missing;
	return ret;
}

static int tell_events(struct pack *p, struct err *err)
{
	int ret = 0;

	for (; p->reported < p->recording.events.events.nr && !ret; p->reported++)
		ret = p->o->event ? p->o->event(&p->recording, p->reported, err) : 0;
	return ret;
}

static int take_data(struct pack *p, const struct blocks_item *it, struct err *err)
{
	const struct block *k = &it->head;
	int ret = tell_events(p, err);

	forget_unknown(p, &p->data);
	if (!ret && p->data.foreign && make_own(p, it))
		ret = err_nomem(err);
	if (!ret && p->pending.records &&
	    (p->pending.raw_size + p->data.raw_size > BLOCK_RAW_MAX ||
	     p->data.foreign != p->pending_foreign || has_untimed(p)))
		ret = flush(p, err);
	if (!ret)
		ret = hand_symbols(p, err);
	if (ret)
		return ret;
	if (!p->data.records.nr)
		return 0;
	encode(p);
	p->pending.records += p->data.records.nr;
	p->pending.samples += p->data.samples;
	p->pending.raw_size += p->data.raw_size;
	if (k->time_max) {
		p->pending.time_max = MAX(p->pending.time_max, k->time_max);
		p->pending.time_min =
			p->pending.time_min ? MIN(p->pending.time_min, k->time_min) : k->time_min;
	}
	p->pending.order = k->order;
	p->result->samples += p->data.samples;
	return 0;
}

static int copy_block(struct pack *p, const struct block *k, const u8 *payload, struct err *err)
{
	struct buf raw = {0};
	const u8 *bytes = payload;
	size_t len = k->stored_size;
	int ret = 0;

	if (k->flags & BLOCK_ZSTD) {
		/* it could be read before: there is no other reason why it should fail */
		if (decompressor_frame(&p->account.meta.decompressor, payload, len, k->raw_size,
				       &raw))
			ret = err_nomem(err);
		bytes = (const u8 *)raw.data;
		len = raw.len;
	}
	/* the account, and facts of the end, are of what stands before them */
	if (!ret && (k->type == BLOCK_COUNTS || k->type == BLOCK_END))
		ret = flush_all(p, err);
	if (!ret && k->type == BLOCK_SYMS)
		ret = functions_get(&p->later, cur_init_le(bytes, len)) ? err_nomem(err) : 0;
	else if (!ret)
		ret = writer_block(p->w, (enum block_type)k->type, bytes, len, err);
	/* many functions of no records: those were lost */
	if (!ret && p->later.names.len > BLOCK_RAW_MAX)
		ret = flush_all(p, err);
	buf_free(&raw);
	return ret;
}

static void decode(struct pack *p, const struct blocks_item *it)
{
	const struct columns_want sideband = {.no_samples = true};

	data_block_decode(&p->data, p->decoder, &it->head, it->payload, NULL);
	if (p->data.ret && p->data.ret != -EBADMSG)
		return;
	data_block_decode(&p->sideband, p->decoder, &it->head, it->payload, &sideband);
	if (p->sideband.ret == -ENOMEM)
		p->data.ret = -ENOMEM;
}

static int take_item(struct pack *p, const struct blocks_item *it, struct err *err)
{
	const bool whole = it->kind == BLOCKS_WHOLE, is_data = whole && it->head.type == BLOCK_DATA;
	const struct recording_damage *d = &p->recording.damage;
	struct blocks_step step;
	int ret;

	if (is_data)
		decode(p, it);
	ret = blocks_account_take(&p->account, it, &p->data, &step, err);
	if (!ret && step.after_end)
		return refuse(p, "something follows the end of the recording,", it->at,
			      "pack --force leaves it out", err);
	if (!ret && (d->blocks || d->missing || d->cut_at))
		ret = bad(p, it->at, err);
	if (ret || !whole || step.repeated)
		return ret;
	ret = skip_hole(p, step.missing, err);
	if (ret)
		return ret;
	if (is_data)
		return take_data(p, it, err);
	return step.bad ? 0 : copy_block(p, &it->head, it->payload, err);
}

static int copy_all(struct pack *p, struct err *err)
{
	struct blocks_item it;
	int ret = p->in.damaged ? bad(p, 0, err) : 0;

	while (!ret && (ret = blocks_next(&p->in, &it)) > 0) {
		ret = take_item(p, &it, err);
		if (p->o->progress)
			p->o->progress(p->o->arg, stream_tell(&p->in.in),
				       p->in.in.seekable ? p->in.in.size : 0);
	}
	if (p->in.in.error)
		return err_set(err, -p->in.in.error, "cannot read it: %s",
			       strerror(-p->in.in.error));
	if (!ret && !p->account.ended)
		ret = refuse(p, "it has not been finished: it ends", stream_tell(&p->in.in),
			     "let its recorder end first; pack --force takes it as it is", err);
	if (!ret && p->recording.damage.samples > recording_unwritten(&p->recording))
		ret = refuse(p, "blocks with samples are missing: it ends", stream_tell(&p->in.in),
			     "pack --force takes what is there", err);
	return ret ? ret : flush_all(p, err);
}

int pack_stream(struct stream *in, struct writer *w, const struct pack_options *o,
		struct pack_result *result, struct err *err)
{
	struct pack p = {.o = o, .result = result, .w = w};
	int ret;

	*result = (struct pack_result){0};
	ret = blocks_begin(&p.in, in, err);
	if (!ret) {
		blocks_account_begin(&p.account, &p.recording, &p.in);
		p.decoder = columns_decoder_new(err);
		p.encoder = columns_encoder_new(&p.recording.events, err);
		ret = p.decoder && p.encoder ? copy_all(&p, err) : -ENOMEM;
	}
	*in = p.in.in; /* the caller closes it */
	result->bytes_before = stream_tell(in);
	result->bytes_after = w->bytes;
	columns_decoder_free(p.decoder);
	columns_encoder_free(p.encoder);
	functions_free(&p.symbols);
	functions_free(&p.later);
	data_block_free(&p.data);
	data_block_free(&p.sideband);
	data_block_free(&p.own);
	foreign_order_free(&p.foreign);
	blocks_account_free(&p.account);
	recording_free(&p.recording);
	buf_free(&p.payload);
	return ret;
}
