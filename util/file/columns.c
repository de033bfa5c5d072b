// SPDX-License-Identifier: GPL-2.0
#include "util/file/columns.h"

#include <errno.h>

#include "util/file/block.h"
#include "util/file/columns_record.h"
#include "util/file/columns_section.h"

/* The first byte of a payload. */
#define COLUMNS_VERSION 2
/* In it: the records are those of a big-endian machine. */
#define COLUMNS_BIG_ENDIAN 128

#define HOST_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* What stands apart in a payload. */
enum { SECTION_SIDEBAND, SECTION_SAMPLES, SECTIONS };

/* Of a ring, in the payload. */
enum { RING_SIDEBAND = 1, RING_TIMED = 2 };

struct columns_encoder {
	struct columns_writer writers[SECTIONS];
	struct columns_out out;
	VEC(struct columns_source) sources;
	struct columns_table by_ring;
	u32 source; /* of the run, ID_NONE: none yet */
	u64 bytes;  /* of records */
	bool foreign;
	struct buf section;
	bool failed; /* sticky until columns_begin(): memory ran out */
};

struct columns_encoder *columns_encoder_new(const struct event_set *events, struct err *err)
{
	struct columns_encoder *e = calloc(1, sizeof(*e));
	u32 i;

	if (!e || compress_init(&e->out.zstd, 1, err)) {
		err_nomem(err);
		free(e);
		return NULL;
	}
	for (i = 0; i < SECTIONS; i++)
		e->writers[i].events = events;
	columns_begin(e);
	return e;
}

void columns_encoder_free(struct columns_encoder *e)
{
	u32 i;

	if (!e)
		return;
	for (i = 0; i < SECTIONS; i++)
		columns_writer_free(&e->writers[i]);
	columns_out_free(&e->out);
	vec_free(&e->sources);
	columns_table_free(&e->by_ring);
	buf_free(&e->section);
	free(e);
}

void columns_set_foreign(struct columns_encoder *e, bool foreign)
{
	e->foreign = foreign;
}

void columns_begin(struct columns_encoder *e)
{
	u32 i;

	for (i = 0; i < SECTIONS; i++) {
		e->writers[i].foreign = e->foreign;
		columns_writer_clear(&e->writers[i]);
	}
	columns_table_clear(&e->by_ring);
	e->sources.nr = 0;
	e->source = ID_NONE;
	e->bytes = 0;
	e->failed = e->out.failed = false;
}

static bool same_ring(const struct columns_ring *a, const struct columns_ring *b)
{
	return a->number == b->number && a->cpu == b->cpu && a->sideband == b->sideband;
}

static u32 source_of(struct columns_encoder *e, const struct columns_ring *r)
{
	u64 key = ((u64)r->number << 32 | r->cpu) * 2 + r->sideband;
	u32 at, step = 0;
	struct columns_slot *slot;
	struct columns_source *s;

	if (!columns_table_ready(&e->by_ring))
		return ID_NONE;
	at = columns_table_at(&e->by_ring, key);
	while ((slot = columns_table_next(&e->by_ring, key, &at, &step))) {
		if (slot->time != e->by_ring.time)
			break;
		if (same_ring(&e->sources.v[slot->value].ring, r))
			return slot->value;
	}
	s = vec_push(&e->sources);
	if (!s)
		return ID_NONE;
	s->ring = *r;
	if (slot)
		columns_table_put(&e->by_ring, slot, key, e->sources.nr - 1);
	return e->sources.nr - 1;
}

void columns_run(struct columns_encoder *e, const struct columns_ring *r)
{
	struct columns_ring *known;

	e->source = source_of(e, r);
	if (e->source == ID_NONE) {
		e->failed = true;
		return;
	}
	known = &e->sources.v[e->source].ring;
	if (known->from == known->to)
		known->from = r->from;
	if (r->from != r->to) {
		known->from = MIN(known->from, r->from);
		known->to = MAX(known->to, r->to);
	}
	columns_writer_run(&e->writers[r->sideband ? SECTION_SIDEBAND : SECTION_SAMPLES],
			   e->source);
}

void columns_add(struct columns_encoder *e, const struct rec *rec, struct columns_stacks *stacks)
{
	struct columns_source *s;

	if (stacks)
		*stacks = (struct columns_stacks){.kernel = ID_NONE, .user = ID_NONE};
	if (e->failed || e->source == ID_NONE)
		return;
	s = &e->sources.v[e->source];
	e->bytes += rec->size;
	columns_writer_add(&e->writers[s->ring.sideband ? SECTION_SIDEBAND : SECTION_SAMPLES], s,
			   rec, stacks);
}

static void put_rings(const struct columns_encoder *e, struct buf *b)
{
	u32 i;

	columns_put_varint(b, e->sources.nr);
	for (i = 0; i < e->sources.nr; i++) {
		const struct columns_source *s = &e->sources.v[i];

		columns_put_varint(b, (u32)(s->ring.number + 1));
		columns_put_varint(b, (u32)(s->ring.cpu + 1));
		buf_u8(b,
		       (u8)((s->ring.sideband ? RING_SIDEBAND : 0) | (s->timed ? RING_TIMED : 0)));
		columns_put_varint(b, s->ring.from);
		columns_put_varint(b, s->ring.to - s->ring.from);
		if (s->timed)
			columns_put_varint(b, s->first);
	}
}

/* The longest time between the first and the last record of a ring. */
static u64 time_span(const struct columns_encoder *e)
{
	const struct columns_source *s;
	u64 ns = 0;
	u32 i;

	for (i = 0; i < e->sources.nr; i++) {
		s = &e->sources.v[i];
		/* what the recorder made begins with records of time 0 */
		if (s->timed && s->first && s->last > s->first)
			ns = MAX(ns, s->last - s->first);
	}
	return ns;
}

/*
 * A level beyond the first, while records are at least so many ns apart: 7 takes 200 ns more for each,
 * a 200th of one CPU; 12 takes 1000, for one to three hundredths less than 7 gives, so a 500th.
 */
static int level_by_rate(const struct columns_encoder *e)
{
	static const struct {
		u32 level, apart;
	} levels[] = {{12, 500000}, {7, 40000}};
	u64 records = 0, span = time_span(e);
	u32 i;

	for (i = 0; i < SECTIONS; i++)
		records += e->writers[i].order.nr;
	for (i = 0; i < ARRAY_SIZE(levels); i++)
		if (records * levels[i].apart <= span)
			return (int)levels[i].level;
	return 1;
}

int columns_end(struct columns_encoder *e, int level, struct buf *payload, struct err *err)
{
	bool big_endian;
	u32 i;

	if (e->bytes > BLOCK_SIZE_MAX)
		return err_set(err, E2BIG, "%llu bytes of records are too many for one block",
			       (unsigned long long)e->bytes);
	e->out.zstd.level = level == COLUMNS_BY_RATE ? level_by_rate(e) : level;
	big_endian = e->writers[0].foreign != HOST_BIG_ENDIAN;
	buf_u8(payload, COLUMNS_VERSION | (big_endian ? COLUMNS_BIG_ENDIAN : 0));
	put_rings(e, payload);
	for (i = 0; i < SECTIONS && !e->failed; i++) {
		buf_clear(&e->section);
		e->out.to = &e->section;
		columns_section_put(&e->writers[i], &e->out);
		columns_put_varint(payload, e->section.len);
		buf_add(payload, e->section.data, e->section.len);
		e->failed |= e->writers[i].failed || e->out.failed || e->section.failed;
	}
	return e->failed || payload->failed ? err_nomem(err) : 0;
}

struct columns_decoder {
	struct columns_reader readers[SECTIONS];
	struct columns_in in;
	VEC(struct columns_source) sources;
	VEC(struct columns_ring) rings;
	size_t head; /* bytes before the sections */
	u32 section; /* that records come from */
	u64 *record; /* the one that columns_next() gave last */
	bool foreign;
	int failed; /* what columns_next() has said */
};

struct columns_decoder *columns_decoder_new(struct err *err)
{
	struct columns_decoder *d = calloc(1, sizeof(*d));

	if (!d)
		err_nomem(err);
	return d;
}

void columns_decoder_trim(struct columns_decoder *d)
{
	u32 i;

	for (i = 0; i < SECTIONS; i++)
		columns_reader_free(&d->readers[i]);
	columns_in_free(&d->in);
	vec_free(&d->sources);
	vec_free(&d->rings);
	free(d->record);
	*d = (struct columns_decoder){.section = SECTIONS};
}

void columns_decoder_free(struct columns_decoder *d)
{
	if (!d)
		return;
	columns_decoder_trim(d);
	free(d);
}

static bool get_ring(struct columns_source *s, struct cur *c)
{
	u64 number = columns_get_varint(c), cpu = columns_get_varint(c);
	u8 flags = cur_u8(c);

	s->ring.number = (u32)number - 1;
	s->ring.cpu = (u32)cpu - 1;
	s->ring.sideband = flags & RING_SIDEBAND;
	s->ring.from = columns_get_varint(c);
	s->ring.to = s->ring.from + columns_get_varint(c);
	s->timed = flags & RING_TIMED;
	if (s->timed)
		s->first = s->last = columns_get_varint(c);
	return !c->bad && number <= UINT32_MAX && cpu <= UINT32_MAX &&
	       flags <= (RING_SIDEBAND | RING_TIMED);
}

static int get_rings(struct columns_decoder *d, struct cur *c, const struct columns_want *want)
{
	u64 nr = columns_get_varint(c), i;
	struct columns_source *s;
	struct columns_ring *r;

	for (i = 0; i < nr && !c->bad; i++) {
		s = vec_push(&d->sources);
		r = vec_push(&d->rings);
		if (!s || !r)
			return -ENOMEM;
		if (!get_ring(s, c))
			return -EBADMSG;
		s->unwanted = want && want->cpu && !s->ring.sideband && s->ring.cpu != ID_NONE &&
			      !want->cpu(want->filter, s->ring.cpu);
		*r = s->ring;
	}
	return c->bad ? -EBADMSG : 0;
}

int columns_open(struct columns_decoder *d, const void *payload, size_t len,
		 const struct columns_want *want)
{
	struct cur c = cur_init(payload, len), part;
	u8 version = cur_u8(&c);
	u32 i;
	int ret;

	d->sources.nr = d->rings.nr = 0;
	d->in.nomem = false;
	d->failed = 0;
	d->section = SECTIONS;
	d->foreign = !!(version & COLUMNS_BIG_ENDIAN) != HOST_BIG_ENDIAN;
	version &= (u8)~COLUMNS_BIG_ENDIAN;
	if (version > COLUMNS_VERSION)
		return -ENOTSUP;
	ret = version ? get_rings(d, &c, want) : -EBADMSG;
	d->head = len - cur_left(&c);
	if (ret || (want && want->runs_only))
		return ret;
	for (i = 0; i < SECTIONS; i++) {
		part = cur_sub(&c, columns_get_varint(&c));
		if (i == SECTION_SAMPLES && want && want->no_samples)
			part.p = part.end;
		if (part.bad || !columns_reader_open(&d->readers[i], &d->in, &part, d->sources.nr,
						     d->foreign, want))
			return d->in.nomem ? -ENOMEM : -EBADMSG;
	}
	d->section = 0;
	return 0;
}

const struct columns_ring *columns_rings(const struct columns_decoder *d, u32 *nr)
{
	*nr = d->rings.nr;
	return d->rings.v;
}

size_t columns_head(const struct columns_decoder *d)
{
	return d->head;
}

bool columns_foreign(const struct columns_decoder *d)
{
	return d->foreign;
}

int columns_next(struct columns_decoder *d, struct rec *rec)
{
	if (!d->record)
		d->record = malloc(COLUMNS_ROOM);
	return d->record ? columns_next_to(d, d->record, rec) : -ENOMEM;
}

bool columns_alike(struct columns_decoder *d, struct alike *to)
{
	struct columns_reader *r = &d->readers[SECTION_SAMPLES];
	bool is_new;

	while (d->section < SECTION_SAMPLES && !columns_reader_left(&d->readers[d->section]))
		d->section++;
	if (d->failed || d->section != SECTION_SAMPLES || !r->folds)
		return false;
	is_new = columns_reader_alike(r, d->sources.v, to);
	if (d->in.nomem)
		d->failed = -ENOMEM;
	return is_new;
}

int columns_next_to(struct columns_decoder *d, void *to, struct rec *rec)
{
	int ret = d->failed;

	while (!ret && d->section < SECTIONS) {
		ret = columns_reader_next(&d->readers[d->section], d->sources.v, to, rec);
		if (!ret)
			d->section++;
	}
	if (ret < 0)
		d->failed = ret;
	return ret;
}
