// SPDX-License-Identifier: GPL-2.0
#include "util/file/columns_internal.h"

#include <errno.h>

#include "util/file/block.h"
#include "util/file/columns.h"

/* Fewer rows are not worth another order. */
#define GROUP_MIN 256

/* The order of a class's rows by the first field of raw data that is not always the same. */
struct group {
	u32 key;   /* its column, ID_NONE: none */
	bool made; /* the order is in w->grouped */
};

/* All values of a column. */
static void widen(const struct columns_rows *r, u32 col, u64 *to, u32 n)
{
	const struct columns_array *a = &r->arrays.v[col];
	u32 width = r->class.cols.v[col].width, at, len;

	for (at = 0; at < n; at += len) {
		len = MIN(n - at, COLUMNS_RUN);
		columns_class_widen(a->data + (size_t)at * width,
				    a->runs.v[at / COLUMNS_RUN] ? 0 : width, width, to + at, len);
	}
}

/* Integers of `width` bytes at `at` of each value: a column, or part of one. */
static void put_part(struct columns_out *o, const struct columns_rows *r, u32 col, u32 at,
		     u32 width)
{
	const struct columns_array *a = &r->arrays.v[col];
	u32 step = r->class.cols.v[col].width, i, n = r->nr, len;
	u64 *to = o->scratch[0];

	if (width == 8 && step == 8) {
		/* they have the right format already */
		columns_put_runs(o, (u64 *)a->data, n, a->runs.v);
		return;
	}
	if (!a->varies) {
		/* as many as there are of one value are written as one is */
		columns_class_widen(a->data + at, step, width, to, 1);
		columns_put_ints(o, to, 1);
		return;
	}
	for (i = 0; i < n; i += COLUMNS_RUN) {
		len = a->runs.v[i / COLUMNS_RUN] ? 1 : MIN(n - i, COLUMNS_RUN);
		columns_class_widen(a->data + (size_t)i * step + at, step, width, to + i, len);
	}
	columns_put_runs(o, to, n, a->runs.v);
}

static u64 value_at(const struct columns_rows *r, u32 col, u32 i)
{
	const struct columns_array *a = &r->arrays.v[col];
	u32 width = r->class.cols.v[col].width;

	return columns_class_value(a->data + (size_t)(a->runs.v[0] ? 0 : i) * width, width);
}

/* Do two columns of 4 or 8 bytes agree in most of n values, which are less than a run? */
static bool agree(const struct columns_rows *r, u32 a, u32 b, u32 n)
{
	u32 i, others = 0;

	for (i = 0; i < n && others <= n / 3; i++)
		others += value_at(r, a, i) != value_at(r, b, i);
	return others <= n / 3;
}

/* An earlier column that mostly holds the same values: ID_NONE, there is none. */
static u32 like_column(const struct columns_rows *r, u32 col)
{
	const struct columns_col *cols = r->class.cols.v, *c = &cols[col];
	u32 i, n = MIN(r->nr, 64u);

	if (c->kind != COLUMN_INT || !r->arrays.v[col].varies || c->width < 4 || n < 8)
		return ID_NONE;
	for (i = col > 64 ? col - 64 : 0; i < col; i++)
		if (cols[i].kind == COLUMN_INT && cols[i].width == c->width &&
		    cols[i].raw <= c->raw && agree(r, i, col, n))
			return i;
	return ID_NONE;
}

/* The first field of raw data that is not always the same is what others may depend on. */
static u32 find_key(const struct columns_rows *r)
{
	const struct columns_col *c = r->class.cols.v;
	u32 i;

	if (r->nr < GROUP_MIN)
		return ID_NONE;
	for (i = 0; i < r->class.cols.nr; i++)
		if (c[i].kind == COLUMN_INT && c[i].raw && r->arrays.v[i].varies)
			return i;
	return ID_NONE;
}

static bool make_order(struct columns_writer *w, struct columns_out *o,
		       const struct columns_rows *r, struct group *g)
{
	if (g->made)
		return true;
	if (!vec_reserve(&w->grouped, r->nr)) {
		w->failed = true;
		return false;
	}
	widen(r, g->key, o->scratch[0], r->nr);
	columns_group_order(o->scratch[0], r->nr, w->grouped.v);
	return g->made = true;
}

/* Does the column change often enough for another order to be worth its time? */
static bool is_lively(const struct columns_array *a)
{
	u32 i, constant = 0;

	for (i = 0; i < a->runs.nr; i++)
		constant += a->runs.v[i];
	return a->varies && constant < a->runs.nr / 2 + 1;
}

/* False: the column is better off in the order of the records. */
static bool put_grouped(struct columns_writer *w, struct columns_out *o,
			const struct columns_rows *r, u32 col, struct group *g)
{
	u32 i, sample = MIN(r->nr, COLUMNS_GROUP_SAMPLE);

	if (g->key == ID_NONE || col <= g->key || !r->class.cols.v[col].raw ||
	    !is_lively(&r->arrays.v[col]))
		return false;
	widen(r, g->key, o->scratch[0], sample);
	widen(r, col, o->scratch[1], sample);
	if (!columns_group_helps(o->scratch[0], o->scratch[1], sample) || !make_order(w, o, r, g))
		return false;
	columns_put_varint(o->to, (u64)r->class.cols.nr + 1 + g->key);
	widen(r, col, o->scratch[1], r->nr);
	for (i = 0; i < r->nr; i++)
		o->scratch[0][i] = o->scratch[1][w->grouped.v[i]];
	columns_put_ints(o, o->scratch[0], r->nr);
	return true;
}

/* The column as its differences from another: constant in a run in which both are. */
static void put_like(struct columns_writer *w, struct columns_out *o, const struct columns_rows *r,
		     u32 col, u32 like)
{
	const struct columns_array *a = &r->arrays.v[col], *b = &r->arrays.v[like];
	u32 width = r->class.cols.v[col].width, i, j, len;
	u64 *to = o->scratch[0], *other = o->scratch[1];

	if (!vec_reserve(&w->runs, a->runs.nr)) {
		w->failed = true;
		return;
	}
	for (i = 0; i < a->runs.nr; i++, to += COLUMNS_RUN) {
		size_t at = (size_t)i * COLUMNS_RUN * width;

		w->runs.v[i] = a->runs.v[i] & b->runs.v[i];
		len = w->runs.v[i] ? 1 : MIN(r->nr - i * COLUMNS_RUN, COLUMNS_RUN);
		columns_class_widen(a->data + at, a->runs.v[i] ? 0 : width, width, to, len);
		columns_class_widen(b->data + at, b->runs.v[i] ? 0 : width, width, other, len);
		for (j = 0; j < len; j++)
			to[j] = columns_class_like(to[j], other[j]);
	}
	columns_put_runs(o, o->scratch[0], r->nr, w->runs.v);
}

static void put_int(struct columns_writer *w, struct columns_out *o, const struct columns_rows *r,
		    u32 col, struct group *g)
{
	u32 like = like_column(r, col);

	if (like == ID_NONE && put_grouped(w, o, r, col, g))
		return;
	columns_put_varint(o->to, (u32)(like + 1));
	if (like == ID_NONE)
		put_part(o, r, col, 0, r->class.cols.v[col].width);
	else
		put_like(w, o, r, col, like);
}

static void put_wide(struct columns_writer *w, struct columns_out *o, const struct columns_rows *r,
		     u32 col)
{
	const struct columns_array *a = &r->arrays.v[col];
	u32 i, blob = 0, width = r->class.cols.v[col].width, n = a->varies ? r->nr : 1;
	const u8 *p, *last = NULL;

	for (i = 0; i < n; i++) {
		if (!a->runs.v[i / COLUMNS_RUN] || !(i % COLUMNS_RUN)) {
			p = a->data + (size_t)i * width;
			if (!last || memcmp(p, last, width))
				blob = columns_blobs_add(&w->blobs, p, width);
			last = p;
		}
		o->scratch[0][i] = blob;
	}
	columns_put_ints(o, o->scratch[0], n);
}

static void put_column(struct columns_writer *w, struct columns_out *o,
		       const struct columns_rows *r, u32 col, struct group *g)
{
	switch (r->class.cols.v[col].kind) {
	case COLUMN_WIDE:
		put_wide(w, o, r, col);
		break;
	case COLUMN_CHAIN:
	case COLUMN_OPEN_CHAIN:
		/* the numbers of the two halves */
		put_part(o, r, col, 0, 4);
		put_part(o, r, col, 4, 4);
		break;
	case COLUMN_REST:
		put_part(o, r, col, 0, 4);
		columns_put_stream(o, r->rest.data, r->rest.len);
		break;
	default:
		put_int(w, o, r, col, g);
		break;
	}
}

/* Each column with its length before it, so that a reader can pass over it. */
static void put_columns(struct columns_writer *w, struct columns_out *o)
{
	struct buf *to = o->to;
	u32 i, col;

	buf_reset(&w->columns);
	o->to = &w->column;
	for (i = 0; i < w->nr_classes; i++) {
		struct columns_rows *r = &w->classes.v[i];
		struct group g = {0};

		w->failed |= r->rest.failed || !columns_rows_end(r) || !columns_out_room(o, r->nr);
		g.key = find_key(r);
		for (col = 0; col < r->class.cols.nr && !w->failed; col++) {
			buf_reset(&w->column);
			if (o->failed)
				break;
			/* a class may be found not to fit the record that it was made for */
			if (r->nr)
				put_column(w, o, r, col, &g);
			columns_put_varint(&w->columns, w->column.len);
			buf_add(&w->columns, w->column.data, w->column.len);
			w->failed |= w->column.failed;
		}
	}
	w->failed |= w->columns.failed;
	o->to = to;
}

static void put_sized(struct buf *to, const struct buf *part)
{
	columns_put_varint(to, part->len);
	buf_add(to, part->data, part->len);
}

static void put_classes(struct columns_writer *w, struct columns_out *o)
{
	u32 i, nr;

	buf_reset(&w->column);
	for (i = 0; i < w->nr_classes; i++)
		columns_class_put(&w->classes.v[i].class, &w->column);
	w->failed |= w->column.failed;
	columns_put_varint(o->to, w->nr_classes);
	columns_put_varint(o->to, w->column.len);
	columns_put_stream(o, w->column.data, w->column.len);
	/* numbers that are all 0 are written as one is */
	nr = w->nr_classes == 1 ? 1 : w->order.nr;
	if (!columns_out_room(o, nr))
		return;
	for (i = 0; i < nr; i++)
		o->scratch[0][i] = w->order.v[i];
	columns_put_ints(o, o->scratch[0], nr);
}

static void put_halves(struct columns_writer *w, struct columns_out *o)
{
	struct buf *to = o->to;
	u32 i;

	o->to = &w->column;
	for (i = 0; i < COLUMNS_HALVES; i++) {
		buf_reset(&w->column);
		columns_halves_put(&w->halves[i], o);
		w->failed |= w->halves[i].failed || w->column.failed;
		put_sized(to, &w->column);
	}
	o->to = to;
}

static void put_section(struct columns_writer *w, struct columns_out *o)
{
	if (!w->order.nr || w->failed)
		return;
	columns_put_varint(o->to, w->order.nr);
	columns_put_varint(o->to, w->run_sources.nr);
	columns_put_u32s(o, w->run_sources.v, w->run_sources.nr);
	columns_put_u32s(o, w->run_records.v, w->run_records.nr);
	put_classes(w, o);
	put_columns(w, o); /* which finds the last blobs */
	if (w->failed || o->failed)
		return;
	put_halves(w, o);
	columns_blobs_put(&w->blobs, o);
	buf_add(o->to, w->columns.data, w->columns.len);
	w->failed |= w->blobs.failed;
}

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
		buf_reset(&e->section);
		e->out.to = &e->section;
		put_section(&e->writers[i], &e->out);
		columns_put_varint(payload, e->section.len);
		buf_add(payload, e->section.data, e->section.len);
		e->failed |= e->writers[i].failed || e->out.failed || e->section.failed;
	}
	return e->failed || payload->failed ? err_nomem(err) : 0;
}
