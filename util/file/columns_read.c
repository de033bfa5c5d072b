// SPDX-License-Identifier: GPL-2.0
#include "util/file/columns_read.h"

#include <errno.h>

#include "util/file/block.h"
#include "util/file/columns_group.h"
#include "util/file/columns_write.h"
#include "util/record/deferred.h"

#define HEADER      sizeof(struct perf_event_header)
#define RECORD_MAX  UINT16_MAX
#define RECORDS_MAX (BLOCK_SIZE_MAX / (u32)HEADER)
/* Rows may be copied in steps of so many bytes: they and the record have that much behind them. */
#define STEP 16
_Static_assert(COLUMNS_ROOM >= RECORD_MAX + STEP, "a record has no room for its last step");

void columns_reader_free(struct columns_reader *r)
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
	u64 nr = columns_get_varint(c), len = columns_get_varint(c), i;
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
		buf_clear(&k->rest);
		if (!columns_class_get(&k->class, &text))
			return text.bad ? bad(c) : nomem(r, c);
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

static bool make_rows(struct columns_read_rows *k)
{
	size_t need = (size_t)MIN(k->nr, (u32)COLUMNS_ROWS) * k->class.row_size + STEP;
	u8 *rows;

	while (k->values.nr < k->class.cols.nr)
		if (!vec_push(&k->values))
			return false;
	if (need <= k->cap)
		return true;
	rows = realloc(k->rows, need);
	if (!rows)
		return false;
	k->rows = rows;
	k->cap = need;
	return true;
}

/* Memory for so many values; NULL: there is none. */
static u8 *make_values(struct columns_values *v, u32 width, u32 n)
{
	size_t need = (size_t)width * n;
	u8 *data;

	if (need <= v->cap)
		return v->data;
	data = realloc(v->data, need);
	if (!data)
		return NULL;
	v->data = data;
	v->cap = need;
	return data;
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
	if (!make_values(v, width, v->constant ? 1 : k->nr))
		return nomem(r, c);
	if (width == 8)
		return columns_get_ints(r->in, c, (u64 *)v->data, v->constant ? 1 : k->nr);
	return get_part(r, c, v->data, width, width, v->constant ? 1 : k->nr);
}

static bool get_chain(struct columns_reader *r, struct cur *c, const struct columns_read_rows *k,
		      struct columns_values *v)
{
	if (!make_values(v, 8, k->nr))
		return nomem(r, c);
	return get_part(r, c, v->data, 8, 4, k->nr) && get_part(r, c, v->data + 4, 8, 4, k->nr);
}

/* Of a column before this one, of 4 or 8 bytes. */
static u64 value_of(const struct columns_values *v, u32 width, u32 i)
{
	const u8 *p = v->data + (v->constant ? 0 : (size_t)i * width);
	u64 value;
	u32 v32;

	if (width == 4) {
		memcpy(&v32, p, 4);
		return v32;
	}
	memcpy(&value, p, 8);
	return value;
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
	if (!columns_in_room(r->in, k->nr) || !make_values(v, to->width, k->nr))
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
	if (!columns_in_room(r->in, k->nr) || !make_values(v, width, k->nr) ||
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

	if (!columns_in_room(r->in, k->nr) || !make_values(v, col->width, k->nr))
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
		if (!make_values(v, co->width, 1))
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

/*
 * Samples that tell their CPU themselves may be of another than their ring's; of what stands in no
 * column the next row's place is not known.
 */
static bool may_skip(const struct columns_class *k)
{
	u32 i;

	if (k->loose || k->type != PERF_RECORD_SAMPLE || k->cpu_at >= 0)
		return false;
	for (i = 0; i < k->cols.nr; i++)
		if (k->cols.v[i].kind == COLUMN_REST)
			return false;
	return true;
}

/*
 * Records of a plain class are made without looking at every column: what is written as a difference
 * stands before the call chain.
 */
static bool is_plain(const struct columns_reader *r, struct columns_read_rows *k)
{
	const struct columns_class *class = &k->class;
	const struct columns_op *op = class->ops;
	u32 i = 0;

	k->lead = k->tail = 0;
	if (r->foreign || class->loose || class->cpu_at >= 0 || class->time2_at >= 0 ||
	    (class->ip_at >= 0 && (r->want.no_chains || class->chain_at < 0)))
		return false;
	if (i < class->nr_ops && op[i].kind == COLUMN_INT)
		k->lead = op[i++].width;
	if (i < class->nr_ops && op[i].kind == COLUMN_CHAIN) {
		i++;
		if (i < class->nr_ops && op[i].kind == COLUMN_INT)
			k->tail = op[i++].width;
	}
	return i == class->nr_ops && class->time_at < (s32)k->lead && class->ip_at < (s32)k->lead;
}

static bool get_columns(struct columns_reader *r, struct cur *c)
{
	u32 i, col;

	for (i = 0; i < r->nr_classes; i++) {
		struct columns_read_rows *k = &r->classes.v[i];

		r->grouped_by = ID_NONE;
		k->skips = may_skip(&k->class);
		k->plain = is_plain(r, k);
		if (!make_rows(k))
			return nomem(r, c);
		for (col = 0; col < k->class.cols.nr; col++) {
			struct cur part = cur_sub(c, columns_get_varint(c));

			if (part.bad || (k->nr && !get_column(r, &part, k, col)))
				return bad(c);
		}
	}
	return true;
}

/*
 * The next rows of a class, at most `n`. What is constant stays from one time to the next, unless it is
 * undone. Values stand in the byte order of their records, but for those that are undone.
 */
static void fill_rows(const struct columns_reader *r, struct columns_read_rows *k, u32 n)
{
	u32 i, step = k->class.row_size;
	const struct columns_col *c = k->class.cols.v;

	n = MIN(k->nr - k->next, n);
	for (i = 0; i < k->class.cols.nr; i++, c++) {
		const struct columns_values *v = &k->values.v[i];
		bool stays = c->kind < COLUMN_TIME || c->kind > COLUMN_IP;

		if (!v->constant)
			columns_class_copy(k->rows + c->at, step,
					   v->data + (size_t)k->next * c->width, c->width, c->width,
					   n);
		else if (k->same < n || !stays)
			columns_class_copy(k->rows + c->at, step, v->data, 0, c->width, n);
		else
			continue;
		if (r->foreign && columns_class_plain(&k->class, i))
			columns_class_reverse(k->rows + c->at, step, c->width, n);
	}
	k->same = MAX(k->same, n);
	k->first = k->next;
	k->end = k->next + n;
}

static bool get_halves(struct columns_reader *r, struct cur *c)
{
	bool wanted = !r->want.no_chains;
	struct cur part;
	u32 i;

	/* an address may be told by the call chain alone */
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

/* What tells samples apart. */
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

bool columns_reader_open(struct columns_reader *r, struct columns_in *in, struct cur *c,
			 u32 nr_sources, bool foreign, const struct columns_want *want)
{
	u64 records;

	r->in = in;
	r->foreign = foreign;
	r->want = want ? *want : (struct columns_want){0};
	r->next = r->run = r->order.nr = 0;
	r->run_sources.nr = r->run_records.nr = r->nr_classes = 0;
	r->made = 0;
	r->folds = r->want.alike && !foreign;
	if (!cur_left(c))
		return true;
	return get_runs(r, c, nr_sources, &records) && get_class_table(r, c) &&
	       get_order(r, c, (u32)records) && get_halves(r, c) &&
	       columns_blobs_get(&r->blobs, in, c) && get_columns(r, c) &&
	       (!r->folds || begin_fold(r));
}

static u64 get64(const u8 *p)
{
	u64 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static u32 get32(const u8 *p)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static void put64(u8 *p, u64 v)
{
	memcpy(p, &v, sizeof(v));
}

static bool get_pair(const u8 *row, s32 chain_at, u32 halves[COLUMNS_HALVES])
{
	if (chain_at < 0)
		return false;
	halves[COLUMNS_KERNEL] = get32(row + chain_at);
	halves[COLUMNS_USER] = get32(row + chain_at + 4);
	return true;
}

/* Undo what the row was written as the difference to. */
static bool restore(const struct columns_reader *r, const struct columns_class *k,
		    struct columns_source *source, u8 *row)
{
	u32 halves[COLUMNS_HALVES], cpu;
	u64 second = 0;

	if (k->time_at >= 0) {
		source->last += get64(row + k->time_at);
		put64(row + k->time_at, source->last);
		if (k->time2_at >= 0)
			put64(row + k->time2_at, get64(row + k->time2_at) + source->last);
	}
	if (k->ip_at >= 0) {
		if (get_pair(row, k->chain_at, halves) &&
		    !columns_known_second(r->halves, halves, &second))
			return false;
		put64(row + k->ip_at, get64(row + k->ip_at) + second);
	}
	if (k->cpu_at >= 0 && source->ring.cpu != ID_NONE) {
		cpu = get32(row + k->cpu_at) ^ source->ring.cpu;
		memcpy(row + k->cpu_at, &cpu, sizeof(cpu));
	}
	if (r->foreign)
		columns_class_reverse_told(k, row);
	return true;
}

/* Bytes at the end of what there is of the record; false: it has no room for them. */
static bool append(u8 *record, u32 *len, const void *p, u32 n)
{
	if (n > RECORD_MAX - *len)
		return false;
	if (n)
		memcpy(record + *len, p, n);
	*len += n;
	return true;
}

static bool append_row(u8 *record, u32 *len, const u8 *p, u32 n)
{
	u8 *to = record + *len;
	u32 i;

	if (n > RECORD_MAX - *len)
		return false;
	for (i = 0; i < n; i += STEP)
		memcpy(to + i, p + i, STEP);
	*len += n;
	return true;
}

/* `open`: one more word follows, by a column of its own. */
static bool append_chain(struct columns_reader *r, u8 *record, u32 *len, const u8 *row, bool open)
{
	u32 at = *len, nr, i;
	const u64 *words;

	if (!append(record, len, &(u64){0}, 8))
		return false;
	for (i = 0; i < COLUMNS_HALVES && !r->want.no_chains; i++)
		if (!columns_known_half(&r->halves[i], r->in, get32(row + 4 * i), &words, &nr) ||
		    !append(record, len, words, nr * 8))
			return false;
	/* that word is none of the addresses, also where these are left out */
	if (open && r->want.no_chains && !append(record, len, &(u64){DEFERRED_CONTEXT}, 8))
		return false;
	put64(record + at, (*len - at - 8) / 8 + open);
	if (r->foreign)
		columns_class_reverse(record + at, 8, 8, (*len - at) / 8);
	return true;
}

static bool append_blob(const struct columns_reader *r, u8 *record, u32 *len, u32 blob, bool zeros)
{
	const struct columns_blob *b;

	if (blob >= r->blobs.blobs.nr)
		return false;
	b = &r->blobs.blobs.v[blob];
	if (!zeros)
		return append(record, len, b->len ? r->blobs.bytes.data + b->at : NULL, b->len);
	if (b->len > RECORD_MAX - *len)
		return false;
	memset(record + *len, 0, b->len);
	*len += b->len;
	return true;
}

/* The body of a record behind its header. Returns its size with that, 0: it makes no sense. */
static u32 make_body(struct columns_reader *r, struct columns_read_rows *k, const u8 *row,
		     u8 *record)
{
	const struct columns_class *class = &k->class;
	const struct columns_op *op;
	u32 len = HEADER, n;
	bool ok = true;

	for (op = class->ops; ok && op < class->ops + class->nr_ops; op++) {
		switch (op->kind) {
		case COLUMN_INT:
			ok = append_row(record, &len, row + op->at, op->width);
			break;
		case COLUMN_CHAIN:
		case COLUMN_OPEN_CHAIN:
			ok = append_chain(r, record, &len, row + op->at,
					  op->kind == COLUMN_OPEN_CHAIN);
			break;
		case COLUMN_BLOB:
			ok = append_blob(r, record, &len, get32(row + op->at),
					 r->want.no_raw && class->cols.v[op->col].raw);
			break;
		default:
			n = get32(row + op->at);
			ok = n <= k->rest.len - k->rest_at &&
			     append(record, &len, k->rest.data + k->rest_at, n);
			k->rest_at += ok ? n : 0;
			break;
		}
	}
	return ok ? len : 0;
}

/* So many bytes, in steps: there is room for the last of them. */
static inline void copy_row(u8 *to, const u8 *p, u32 n)
{
	const u8 *end = to + n;

	for (; to < end; to += STEP, p += STEP)
		memcpy(to, p, STEP);
}

/* The words of a half, most of which have been asked for before. */
static inline bool half_words(struct columns_reader *r, u32 which, u32 half, const u64 **words,
			      u32 *nr)
{
	struct columns_known *k = &r->halves[which];
	const struct columns_found *f;

	if (half - 1 >= k->halves.nr)
		return columns_known_half(k, r->in, half, words, nr);
	f = &k->halves.v[half - 1];
	if (f->at == ID_NONE)
		return columns_known_half(k, r->in, half, words, nr);
	*words = &k->words.v[f->at];
	*nr = f->nr;
	return true;
}

/* The call chain of a record; its bytes, 0: there are no such halves, or no room. */
static inline u32 put_chain(struct columns_reader *r, const u8 *row, u8 *to, u32 room)
{
	u32 nr[COLUMNS_HALVES], i, n;
	const u64 *words;
	u8 *at = to + 8;

	if (r->want.no_chains) {
		put64(to, 0);
		return room < 8 ? 0 : 8;
	}
	for (i = 0; i < COLUMNS_HALVES; i++) {
		if (!half_words(r, i, get32(row + 4 * i), &words, &nr[i]))
			return 0;
		n = nr[i] * 8;
		if (n + 8 > room)
			return 0;
		if (n)
			memcpy(at, words, n);
		at += n;
		room -= n;
	}
	put64(to, nr[COLUMNS_KERNEL] + nr[COLUMNS_USER]);
	return (u32)(at - to);
}

/*
 * As restore() and make_body(), of a plain class. What is a difference is restored in the record: a row
 * that was just written a word of cannot be read in steps before that has gone a long way.
 */
static u32 make_plain(struct columns_reader *r, const struct columns_read_rows *k,
		      struct columns_source *source, const u8 *row, u8 *record)
{
	const struct columns_class *class = &k->class;
	u32 len = HEADER + k->lead, chain;

	if (len + k->tail > RECORD_MAX)
		return 0;
	copy_row(record + HEADER, row, k->lead);
	if (class->time_at >= 0) {
		source->last += get64(row + class->time_at);
		put64(record + HEADER + class->time_at, source->last);
	}
	if (class->chain_at >= 0) {
		chain = put_chain(r, row + class->chain_at, record + len,
				  RECORD_MAX - len - k->tail);
		if (!chain)
			return 0;
		if (class->ip_at >= 0 && chain > 16)
			put64(record + HEADER + class->ip_at,
			      get64(row + class->ip_at) + get64(record + len + 16));
		len += chain;
		copy_row(record + len, row + class->chain_at + 8, k->tail);
	}
	return len + k->tail;
}

static u32 next_run(struct columns_reader *r)
{
	while (!r->run_records.v[r->run])
		r->run++;
	return r->run_sources.v[r->run];
}

/* The difference of a row's time to the one before in its ring, 0: it has none. */
static u64 time_step(const struct columns_read_rows *k)
{
	const struct columns_values *v;

	if (k->class.time_at < 0)
		return 0;
	v = &k->values.v[k->class.time_col];
	return get64(v->data + (v->constant ? 0 : (size_t)k->next * 8));
}

/* Pass over samples of CPUs that are not wanted. */
static void skip_unwanted(struct columns_reader *r, struct columns_source *sources)
{
	struct columns_read_rows *k;
	struct columns_source *s;

	while (r->next < r->order.nr) {
		s = &sources[next_run(r)];
		if (!s->unwanted)
			return;
		for (; r->run_records.v[r->run]; r->run_records.v[r->run]--) {
			k = &r->classes.v[r->order.v[r->next]];
			if (!k->skips)
				return;
			s->last += time_step(k);
			r->next++;
			k->next++;
		}
	}
}

/*
 * Those of the run that are next, as long as they are of kinds that `to` has. True: it has been told of one
 * more, of a new kind. What does not fold is left.
 */
static bool add_alike(struct columns_reader *r, struct columns_source *sources, u32 s,
		      struct alike *to)
{
	u32 *left = &r->run_records.v[r->run], class, nr, most, taken;
	struct columns_read_rows *k;
	const u16 *order;

	while (*left) {
		order = &r->order.v[r->next];
		class = order[0];
		if (!r->fold.classes.v[class].folds)
			return false;
		k = &r->classes.v[class];
		/* a new kind may end them anywhere */
		most = MIN(*left, (u32)COLUMNS_ROWS);
		for (nr = 1; nr < most && order[nr] == class; nr++)
			;
		taken = columns_fold_take(&r->fold, class, k->next, nr, s, &sources[s].last, to);
		if (taken == ID_NONE) {
			r->folds = !(r->in->nomem = true);
			return false;
		}
		*left -= taken;
		r->next += taken;
		k->next += taken;
		if (taken < nr)
			return true;
	}
	return false;
}

bool columns_reader_alike(struct columns_reader *r, struct columns_source *sources,
			  struct alike *to)
{
	if (!vec_reserve(&to->times, r->order.nr) || !vec_reserve(&to->kind_of, r->order.nr)) {
		r->in->nomem = true;
		return false;
	}
	for (;;) {
		if (r->want.cpu)
			skip_unwanted(r, sources);
		if (!r->folds || r->next == r->order.nr)
			return false;
		if (add_alike(r, sources, next_run(r), to)) {
			r->folds = !columns_fold_vain(&r->fold, r->next);
			return true;
		}
		if (r->run_records.v[r->run])
			return false;
	}
}

int columns_reader_next(struct columns_reader *r, struct columns_source *sources, void *to,
			struct rec *rec)
{
	struct columns_source *source;
	struct perf_event_header *h;
	struct columns_read_rows *k;
	u32 size;
	u8 *row;

	if (r->want.cpu)
		skip_unwanted(r, sources);
	if (r->next == r->order.nr)
		return 0;
	source = &sources[next_run(r)];
	r->run_records.v[r->run]--;
	k = &r->classes.v[r->order.v[r->next++]];
	if (k->next >= k->end)
		fill_rows(r, k, r->folds ? 1 : COLUMNS_ROWS);
	row = k->rows + (size_t)(k->next++ - k->first) * k->class.row_size;
	if (k->plain)
		size = make_plain(r, k, source, row, to);
	else
		size = restore(r, &k->class, source, row) ? make_body(r, k, row, to) : 0;
	if (!size || size > BLOCK_SIZE_MAX - r->made) {
		r->next = r->order.nr;
		return r->in->nomem ? -ENOMEM : -EBADMSG;
	}
	r->made += size;
	*rec = (struct rec){.data = to,
			    .size = size,
			    .type = k->class.type,
			    .misc = k->class.misc,
			    .cpu = source->ring.cpu,
			    .event = k->class.event};
	if (k->class.loose) {
		rec->type = get32(row);
		memcpy(&rec->misc, row + 4, 2);
		rec->event = get32(row + 6);
	}
	h = to;
	h->type = rec->type;
	h->misc = rec->misc;
	h->size = (u16)size;
	if (r->foreign)
		columns_class_reverse_header(h);
	return 1;
}
