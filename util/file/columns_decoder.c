// SPDX-License-Identifier: GPL-2.0
#include "util/file/columns_internal.h"

#include <errno.h>
#include <string.h>

#include "util/file/block.h"
#include "util/file/columns.h"

#define HEADER      sizeof(struct perf_event_header)
#define RECORDS_MAX (BLOCK_SIZE_MAX / (u32)HEADER)
/* Of all classes: each column is of some record, most of 8 bytes of it. */
#define COLUMNS_MAX (BLOCK_SIZE_MAX / 8)

static void free_reader(struct columns_reader *r)
{
	u32 i, j;

	for (i = 0; i < r->classes.nr; i++) {
		struct columns_read_rows *k = &r->classes.v[i];

		for (j = 0; j < k->values.nr; j++)
			free(k->values.v[j].data);
		vec_free(&k->values);
		vec_free(&k->class.cols);
		free(k->rows);
		buf_free(&k->rest);
	}
	vec_free(&r->classes);
	vec_free(&r->order);
	vec_free(&r->run_sources);
	vec_free(&r->run_records);
	vec_free(&r->grouped);
	for (i = 0; i < COLUMNS_HALVES; i++)
		columns_known_free(&r->halves[i]);
	columns_blobs_free(&r->blobs);
	columns_fold_free(&r->fold);
}

static bool bad(struct cur *c)
{
	c->bad = true;
	return false;
}

static bool nomem(struct columns_reader *r, struct cur *c)
{
	r->in->nomem = true;
	return bad(c);
}

static bool get_runs(struct columns_reader *r, struct cur *c, u32 nr_sources, u64 *records)
{
	u64 runs, sum = 0;
	u32 i;

	*records = columns_get_varint(c);
	runs = columns_get_varint(c);
	if (c->bad || *records > RECORDS_MAX || runs > *records)
		return bad(c);
	if (!vec_reserve(&r->run_sources, runs) || !vec_reserve(&r->run_records, runs))
		return nomem(r, c);
	r->run_sources.nr = r->run_records.nr = (u32)runs;
	if (!columns_get_u32s(r->in, c, r->run_sources.v, runs) ||
	    !columns_get_u32s(r->in, c, r->run_records.v, runs))
		return false;
	for (i = 0; i < runs; i++) {
		sum += r->run_records.v[i];
		if (!r->run_records.v[i] || r->run_sources.v[i] >= nr_sources)
			return bad(c);
	}
	return sum == *records || bad(c);
}

static bool get_class_table(struct columns_reader *r, struct cur *c)
{
	u64 nr = columns_get_varint(c), len = columns_get_varint(c), columns = 0, i;
	struct cur text;
	const u8 *p;

	if (c->bad || nr > UINT16_MAX || len > BLOCK_SIZE_MAX)
		return bad(c);
	p = columns_get_stream(r->in, c, len);
	if (!p)
		return bad(c);
	text = cur_init(p, len);
	for (i = 0; i < nr; i++) {
		struct columns_read_rows *k;

		if (i == r->classes.nr && !vec_push(&r->classes))
			return nomem(r, c);
		k = &r->classes.v[i];
		k->nr = k->next = k->first = k->end = k->same = 0;
		k->rest_at = 0;
		buf_reset(&k->rest);
		if (!columns_class_get(&k->class, &text))
			return text.bad ? bad(c) : nomem(r, c);
		columns += k->class.cols.nr;
		if (columns > COLUMNS_MAX)
			return bad(c);
	}
	r->nr_classes = (u32)nr;
	return true;
}

static bool get_order(struct columns_reader *r, struct cur *c, u32 records)
{
	u64 bytes = 0;
	u32 i, end;

	if (!vec_reserve(&r->order, records) || !columns_in_room(r->in, records))
		return nomem(r, c);
	if (!columns_get_ints(r->in, c, r->in->scratch[0], records))
		return false;
	for (i = 0; i < records; i = end) {
		u64 k = r->in->scratch[0][i];

		if (k >= r->nr_classes)
			return bad(c);
		/* there are fewer runs than records */
		for (end = i; end < records && r->in->scratch[0][end] == k; end++)
			r->order.v[end] = (u16)k;
		r->classes.v[k].nr += end - i;
	}
	r->order.nr = records;
	for (i = 0; i < r->nr_classes; i++)
		bytes += (u64)r->classes.v[i].nr * r->classes.v[i].class.row_size;
	return bytes <= 2ull * BLOCK_SIZE_MAX || bad(c);
}

static bool values_room(struct columns_values *v, u32 width, u32 n)
{
	return columns_class_room(&v->data, &v->cap, (size_t)width * n);
}

/* Integers to values of `width` bytes, `step` bytes apart. False: one is too large. */
static bool narrow(u8 *p, u32 step, u32 width, const u64 *v, u32 n)
{
	u64 over = 0;
	u32 i;

	switch (width) {
	case 1:
		for (i = 0; i < n; i++, p += step) {
			over |= v[i];
			*p = (u8)v[i];
		}
		return !(over >> 8);
	case 2:
		for (i = 0; i < n; i++, p += step) {
			over |= v[i];
			memcpy(p, &(u16){(u16)v[i]}, 2);
		}
		return !(over >> 16);
	case 4:
		for (i = 0; i < n; i++, p += step) {
			over |= v[i];
			memcpy(p, &(u32){(u32)v[i]}, 4);
		}
		return !(over >> 32);
	default:
		for (i = 0; i < n; i++, p += step)
			memcpy(p, &v[i], 8);
		return true;
	}
}

static bool get_part(struct columns_reader *r, struct cur *c, u8 *p, u32 step, u32 width, u32 n)
{
	if (!columns_in_room(r->in, n))
		return nomem(r, c);
	return columns_get_ints(r->in, c, r->in->scratch[0], n) &&
	       (narrow(p, step, width, r->in->scratch[0], n) || bad(c));
}

static bool get_int(struct columns_reader *r, struct cur *c, const struct columns_read_rows *k,
		    u32 width, struct columns_values *v)
{
	struct cur peek = *c;

	v->constant = columns_get_constant(&peek);
	if (!values_room(v, width, v->constant ? 1 : k->nr))
		return nomem(r, c);
	if (width == 8)
		return columns_get_ints(r->in, c, (u64 *)v->data, v->constant ? 1 : k->nr);
	return get_part(r, c, v->data, width, width, v->constant ? 1 : k->nr);
}

static bool get_chain(struct columns_reader *r, struct cur *c, const struct columns_read_rows *k,
		      struct columns_values *v)
{
	if (!values_room(v, 8, k->nr))
		return nomem(r, c);
	return get_part(r, c, v->data, 8, 4, k->nr) && get_part(r, c, v->data + 4, 8, 4, k->nr);
}

/* Of a column before this one, of 4 or 8 bytes. */
static u64 value_of(const struct columns_values *v, u32 width, u32 i)
{
	return columns_class_value(v->data + (v->constant ? 0 : (size_t)i * width), width);
}

static bool get_like(struct columns_reader *r, struct cur *c, struct columns_read_rows *k, u32 col,
		     u64 from)
{
	const struct columns_col *to = &k->class.cols.v[col], *of;
	struct columns_values *v = &k->values.v[col];
	const struct columns_values *old;
	u64 *wide;
	u32 i;

	if (from >= col)
		return bad(c);
	of = &k->class.cols.v[from];
	old = &k->values.v[from];
	if (of->kind != COLUMN_INT || of->width != to->width || to->width < 4 ||
	    (of->raw && r->want.no_raw))
		return bad(c);
	if (!columns_in_room(r->in, k->nr) || !values_room(v, to->width, k->nr))
		return nomem(r, c);
	wide = r->in->scratch[0];
	if (!columns_get_ints(r->in, c, wide, k->nr))
		return false;
	for (i = 0; i < k->nr; i++)
		wide[i] = columns_class_like(wide[i], value_of(old, to->width, i));
	return narrow(v->data, to->width, to->width, wide, k->nr) || bad(c);
}

/* Values in the order of an earlier column. */
static bool get_grouped(struct columns_reader *r, struct cur *c, struct columns_read_rows *k,
			u32 col, u64 key)
{
	u32 width = k->class.cols.v[col].width, i;
	struct columns_values *v = &k->values.v[col];
	const struct columns_values *from;
	const struct columns_col *of;

	if (key >= col)
		return bad(c);
	from = &k->values.v[key];
	of = &k->class.cols.v[key];
	if (of->kind != COLUMN_INT || (of->raw && r->want.no_raw))
		return bad(c);
	if (!columns_in_room(r->in, k->nr) || !values_room(v, width, k->nr) ||
	    !vec_reserve(&r->grouped, k->nr))
		return nomem(r, c);
	if (r->grouped_by != key) {
		r->grouped_by = (u32)key;
		columns_class_widen(from->data, from->constant ? 0 : of->width, of->width,
				    r->in->scratch[0], k->nr);
		columns_group_order(r->in->scratch[0], k->nr, r->grouped.v);
	}
	if (!columns_get_ints(r->in, c, r->in->scratch[0], k->nr))
		return false;
	for (i = 0; i < k->nr; i++)
		r->in->scratch[1][r->grouped.v[i]] = r->in->scratch[0][i];
	return narrow(v->data, width, width, r->in->scratch[1], k->nr) || bad(c);
}

static bool get_wide(struct columns_reader *r, struct cur *c, const struct columns_read_rows *k,
		     const struct columns_col *col, struct columns_values *v)
{
	u32 i;

	if (!columns_in_room(r->in, k->nr) || !values_room(v, col->width, k->nr))
		return nomem(r, c);
	if (!columns_get_ints(r->in, c, r->in->scratch[0], k->nr))
		return false;
	for (i = 0; i < k->nr; i++) {
		const struct columns_blob *b;

		if (r->in->scratch[0][i] >= r->blobs.blobs.nr)
			return bad(c);
		b = &r->blobs.blobs.v[r->in->scratch[0][i]];
		if (b->len != col->width)
			return bad(c);
		memcpy(v->data + (size_t)i * b->len, r->blobs.bytes.data + b->at, b->len);
	}
	return true;
}

static bool get_rest(struct columns_reader *r, struct cur *c, struct columns_read_rows *k,
		     struct columns_values *v)
{
	u64 len = 0;
	const u8 *p;
	u32 i, n;

	/* one only, since there is one place for it */
	if (k->rest.len || !get_int(r, c, k, 4, v))
		return bad(c);
	for (i = 0; i < k->nr; i++) {
		memcpy(&n, v->data + (v->constant ? 0 : (size_t)i * 4), 4);
		len += n;
	}
	if (len > BLOCK_SIZE_MAX)
		return bad(c);
	p = len ? columns_get_stream(r->in, c, len) : (const u8 *)"";
	if (!p)
		return false;
	buf_add(&k->rest, p, len);
	return !k->rest.failed || nomem(r, c);
}

static bool get_column(struct columns_reader *r, struct cur *c, struct columns_read_rows *k,
		       u32 col)
{
	const struct columns_col *co = &k->class.cols.v[col];
	struct columns_values *v = &k->values.v[col];
	u64 like;

	v->constant = false;
	if (co->raw && r->want.no_raw && (co->kind == COLUMN_INT || co->kind == COLUMN_WIDE)) {
		if (!values_room(v, co->width, 1))
			return nomem(r, c);
		memset(v->data, 0, co->width);
		return v->constant = true;
	}
	switch (co->kind) {
	case COLUMN_WIDE:
		return get_wide(r, c, k, co, v);
	case COLUMN_CHAIN:
	case COLUMN_OPEN_CHAIN:
		return get_chain(r, c, k, v);
	case COLUMN_REST:
		return get_rest(r, c, k, v);
	default:
		like = columns_get_varint(c);
		if (like > k->class.cols.nr)
			return get_grouped(r, c, k, col, like - k->class.cols.nr - 1);
		return like ? get_like(r, c, k, col, like - 1) : get_int(r, c, k, co->width, v);
	}
}

/* A column of 8 bytes whose values may be all the same, as one for each row. */
static bool spread(struct columns_values *v, u32 nr)
{
	u64 same, *to;
	u32 i;

	if (!v->constant)
		return true;
	memcpy(&same, v->data, sizeof(same));
	if (!values_room(v, sizeof(same), nr))
		return false;
	for (i = 0, to = (u64 *)v->data; i < nr; i++)
		to[i] = same;
	v->constant = false;
	return true;
}

/*
 * Where call chains come out empty, no address shall be the difference to one of theirs: they become
 * what they are.
 */
static bool leave_chains(struct columns_reader *r, struct cur *c, struct columns_read_rows *k)
{
	u32 halves[COLUMNS_HALVES], ip = 0, chain = 0, i;
	const struct columns_col *cols = k->class.cols.v;
	u64 *to, second;

	while (cols[ip].kind != COLUMN_IP)
		ip++;
	while (cols[chain].kind != COLUMN_CHAIN && cols[chain].kind != COLUMN_OPEN_CHAIN)
		chain++;
	if (!spread(&k->values.v[ip], k->nr))
		return nomem(r, c);
	for (i = 0, to = (u64 *)k->values.v[ip].data; i < k->nr; i++) {
		memcpy(halves, k->values.v[chain].data + (size_t)i * 8, sizeof(halves));
		if (!columns_known_second(r->halves, halves, &second))
			return bad(c);
		to[i] += second;
	}
	k->class.cols.v[ip].kind = COLUMN_INT;
	k->class.ip_at = -1;
	return true;
}

static bool get_columns(struct columns_reader *r, struct cur *c)
{
	u32 i, col;

	for (i = 0; i < r->nr_classes; i++) {
		struct columns_read_rows *k = &r->classes.v[i];

		r->grouped_by = ID_NONE;
		if (!columns_record_begin(r, k))
			return nomem(r, c);
		for (col = 0; col < k->class.cols.nr; col++) {
			struct cur part = cur_sub(c, columns_get_varint(c));

			if (part.bad || (k->nr && !get_column(r, &part, k, col)))
				return bad(c);
		}
		if (r->want.no_chains && k->nr && k->class.ip_at >= 0 && k->class.chain_at >= 0 &&
		    !leave_chains(r, c, k))
			return false;
	}
	return true;
}

static bool get_halves(struct columns_reader *r, struct cur *c)
{
	bool wanted = !r->want.no_chains;
	struct cur part;
	u32 i;

	/* an address may be in the call chain alone */
	for (i = 0; i < r->nr_classes; i++)
		wanted |= r->classes.v[i].class.ip_at >= 0;
	for (i = 0; i < COLUMNS_HALVES; i++) {
		r->halves[i].halves.nr = 0;
		part = cur_sub(c, columns_get_varint(c));
		if (part.bad || (wanted && !columns_known_get(&r->halves[i], r->in, &part)))
			return bad(c);
	}
	return true;
}

/* Compute the keys that distinguish samples. False: out of memory. */
static bool begin_fold(struct columns_reader *r)
{
	u32 i;

	columns_fold_clear(&r->fold);
	for (i = 0; i < r->nr_classes; i++) {
		struct columns_read_rows *k = &r->classes.v[i];

		if (!columns_fold_add(&r->fold, &k->class, k->values.v, k->nr, r->want.no_chains))
			return !(r->in->nomem = true);
	}
	return true;
}

static bool open_reader(struct columns_reader *r, struct columns_in *in, struct cur *c,
			u32 nr_sources, bool foreign, const struct columns_want *want)
{
	u64 records;

	r->in = in;
	r->foreign = foreign;
	r->want = want ? *want : (struct columns_want){0};
	r->next = r->run = r->order.nr = 0;
	r->run_sources.nr = r->run_records.nr = r->nr_classes = 0;
	r->made = 0;
	r->folds = r->want.grouped && !foreign;
	if (!cur_left(c))
		return true;
	return get_runs(r, c, nr_sources, &records) && get_class_table(r, c) &&
	       get_order(r, c, (u32)records) && get_halves(r, c) &&
	       columns_blobs_get(&r->blobs, in, c) && get_columns(r, c) &&
	       (!r->folds || begin_fold(r));
}

#define GROUPS (1u << COLUMNS_GROUP_BITS)

static u32 group_of(u64 key)
{
	return (u32)key & (GROUPS - 1);
}

void columns_group_order(const u64 *keys, u32 n, u32 *order)
{
	u32 begins[GROUPS + 1], i;

	memset(begins, 0, sizeof(begins));
	for (i = 0; i < n; i++)
		begins[group_of(keys[i]) + 1]++;
	for (i = 1; i <= GROUPS; i++)
		begins[i] += begins[i - 1];
	for (i = 0; i < n; i++)
		order[begins[group_of(keys[i])]++] = i;
}

/* Bytes of the second that are not those of the first. */
static u32 news(u64 first, u64 second)
{
	u64 x = first ^ second;

	return x ? (71 - (u32)__builtin_clzll(x)) / 8 : 0;
}

bool columns_group_helps(const u64 *keys, const u64 *values, u32 n)
{
	u64 last[GROUPS] = {0}, alone = 0, grouped = 0;
	u32 i;

	n = MIN(n, COLUMNS_GROUP_SAMPLE);
	for (i = 1; i < n; i++) {
		u64 *of = &last[group_of(keys[i])];

		alone += news(values[i - 1], values[i]);
		grouped += news(*of, values[i]);
		*of = values[i];
	}
	return grouped * 8 < alone * 7;
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
		free_reader(&d->readers[i]);
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
		if (part.bad ||
		    !open_reader(&d->readers[i], &d->in, &part, d->sources.nr, d->foreign, want))
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

bool columns_sample_groups(struct columns_decoder *d, struct sample_groups *to)
{
	struct columns_reader *r = &d->readers[SECTION_SAMPLES];
	bool is_new;

	while (d->section < SECTION_SAMPLES && !columns_reader_left(&d->readers[d->section]))
		d->section++;
	if (d->failed || d->section != SECTION_SAMPLES || !r->folds)
		return false;
	is_new = columns_reader_groups(r, d->sources.v, to);
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
