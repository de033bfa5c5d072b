// SPDX-License-Identifier: GPL-2.0
#include "util/file/columns_write.h"

#include "util/file/columns_group.h"
#include "util/record/deferred.h"

#define HEADER sizeof(struct perf_event_header)
/* Fewer rows are not worth another order. */
#define GROUP_MIN 256
/* A record that is of none of so many classes goes into one for all the rest. */
#define CLASSES_MAX 1000

void columns_writer_free(struct columns_writer *w)
{
	u32 i, j;

	for (i = 0; i < w->classes.nr; i++) {
		struct columns_rows *r = &w->classes.v[i];

		for (j = 0; j < r->arrays.nr; j++)
			free(r->arrays.v[j].data);
		vec_free(&r->arrays);
		vec_free(&r->class.cols);
		free(r->rows);
		buf_free(&r->rest);
	}
	vec_free(&w->classes);
	vec_free(&w->layouts);
	columns_table_free(&w->by_key);
	vec_free(&w->order);
	vec_free(&w->run_sources);
	vec_free(&w->run_records);
	for (i = 0; i < COLUMNS_HALVES; i++)
		columns_halves_free(&w->halves[i]);
	columns_blobs_free(&w->blobs);
	buf_free(&w->columns);
	buf_free(&w->column);
	vec_free(&w->grouped);
	free(w->words);
}

void columns_writer_clear(struct columns_writer *w)
{
	u32 i, events = w->events->events.nr;

	columns_table_clear(&w->by_key);
	w->nr_classes = w->order.nr = w->run_sources.nr = w->run_records.nr = 0;
	for (i = 0; i < COLUMNS_HALVES; i++)
		columns_halves_clear(&w->halves[i]);
	columns_blobs_clear(&w->blobs);
	w->in_run = w->failed = false;
	w->layouts.nr = 0;
	if (!vec_reserve(&w->layouts, (u64)events + 1)) {
		w->failed = true;
		return;
	}
	for (i = 0; i < events; i++)
		columns_layout_init(&w->layouts.v[i], &w->events->events.v[i], w->foreign);
	columns_layout_init(&w->layouts.v[events], NULL, w->foreign);
	w->layouts.nr = events + 1;
}

void columns_writer_run(struct columns_writer *w, u32 source)
{
	if (w->source != source)
		w->in_run = false;
	w->source = source;
}

static bool begin_run(struct columns_writer *w)
{
	u32 *to = vec_push(&w->run_sources), *records = vec_push(&w->run_records);

	if (!to || !records)
		return false;
	*to = w->source;
	w->in_run = true;
	return true;
}

/* A new class, with the memory of one of an earlier block. */
static struct columns_rows *new_class(struct columns_writer *w)
{
	struct columns_rows *r;

	if (w->nr_classes == w->classes.nr && !vec_push(&w->classes)) {
		w->failed = true;
		return NULL;
	}
	r = &w->classes.v[w->nr_classes++];
	r->nr = r->nr_rows = 0;
	buf_clear(&r->rest);
	return r;
}

static bool rows_room(struct columns_rows *r)
{
	size_t need = (size_t)r->class.row_size * COLUMNS_ROWS + 1;
	u8 *rows;

	while (r->arrays.nr < r->class.cols.nr)
		if (!vec_push(&r->arrays))
			return false;
	if (need <= r->cap)
		return true;
	rows = realloc(r->rows, need);
	if (!rows)
		return false;
	r->rows = rows;
	r->cap = need;
	return true;
}

/* Take the rows apart. */
static bool rows_to_columns(struct columns_rows *r)
{
	const struct columns_col *c = r->class.cols.v;
	u32 i;

	for (i = 0; i < r->class.cols.nr; i++, c++) {
		struct columns_array *a = &r->arrays.v[i];
		size_t need = ((size_t)r->nr + r->nr_rows) * c->width;

		if (need > a->cap) {
			size_t cap = MAX(need, a->cap * 2);
			u8 *data = realloc(a->data, cap);

			if (!data)
				return false;
			a->data = data;
			a->cap = cap;
		}
		columns_class_copy(a->data + (size_t)r->nr * c->width, c->width, r->rows + c->at,
				   r->class.row_size, c->width, r->nr_rows);
	}
	r->nr += r->nr_rows;
	r->nr_rows = 0;
	return true;
}

/* False: more than one part may be of any length, so that none can be told. */
static bool describe_rows(struct columns_rows *r)
{
	const struct columns_class *k = &r->class;
	u32 i, open = 0;

	r->plain = 0;
	for (i = 0; i < k->nr_ops; i++) {
		r->plain += k->ops[i].kind == COLUMN_INT ? k->ops[i].width : 0;
		open += k->ops[i].kind == COLUMN_BLOB || k->ops[i].kind == COLUMN_REST;
	}
	r->open = open;
	return open <= 1;
}

static struct columns_rows *add_class(struct columns_writer *w, const struct columns_layout *l,
				      const struct rec *rec, const struct columns_parts *p)
{
	struct columns_rows *r = new_class(w);

	if (!r)
		return NULL;
	r->key = p->key;
	if ((p->key.type == ID_NONE || !columns_shape_class(l, rec, p, &r->class) ||
	     !describe_rows(r)) &&
	    (!columns_shape_loose(&r->class) || !describe_rows(r))) {
		w->failed = true;
		return NULL;
	}
	if (!rows_room(r)) {
		w->failed = true;
		return NULL;
	}
	return r;
}

static bool same_key(const struct columns_key *a, const struct columns_key *b)
{
	return a->form == b->form && a->event == b->event && a->misc == b->misc &&
	       a->lead == b->lead && a->type == b->type && a->chain == b->chain;
}

static struct columns_rows *find_class(struct columns_writer *w, const struct columns_layout *l,
				       const struct rec *rec, struct columns_parts *p)
{
	struct columns_slot *slot;
	struct columns_rows *r;
	u32 at, step;
	u64 key;

	if (!columns_table_ready(&w->by_key)) {
		w->failed = true;
		return NULL;
	}
	for (;;) {
		const struct columns_key *k = &p->key;

		key = ((u64)k->form << 32 | k->event) * 31 +
		      ((u64)k->type << 32 | (u32)k->misc << 16) + k->lead + ((u64)k->chain << 48);
		at = columns_table_at(&w->by_key, key);
		step = 0;
		while ((slot = columns_table_next(&w->by_key, key, &at, &step))) {
			if (slot->time != w->by_key.time)
				break;
			r = &w->classes.v[slot->value];
			if (same_key(&r->key, k))
				return r;
		}
		if (k->type == ID_NONE || w->nr_classes < CLASSES_MAX)
			break;
		p->key = (struct columns_key){.type = ID_NONE};
	}
	r = add_class(w, l, rec, p);
	if (r && slot)
		columns_table_put(&w->by_key, slot, key, w->nr_classes - 1);
	return r;
}

static struct columns_rows *class_of(struct columns_writer *w, struct columns_layout *l,
				     const struct rec *rec, struct columns_parts *p)
{
	struct columns_rows *r;

	if (l->last != ID_NONE && same_key(&w->classes.v[l->last].key, &p->key))
		return &w->classes.v[l->last];
	r = find_class(w, l, rec, p);
	if (r)
		l->last = (u32)(r - w->classes.v);
	return r;
}

static u64 get64(const u8 *p)
{
	u64 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static void put64(u8 *p, u64 v)
{
	memcpy(p, &v, sizeof(v));
}

static void put32(u8 *p, u32 v)
{
	memcpy(p, &v, sizeof(v));
}

static void add_chain(struct columns_writer *w, u8 *to, const struct rec *rec, const u8 *p, u32 nr,
		      struct columns_stacks *s)
{
	/* all of it is the user half there */
	u32 cut = rec->type == DEFERRED_RECORD ? 0 : columns_halves_cut(p, nr), kernel, user;
	bool kernel_new, user_new;

	kernel = columns_halves_add(&w->halves[COLUMNS_KERNEL], p, cut, &kernel_new);
	user = columns_halves_add(&w->halves[COLUMNS_USER], p + (size_t)cut * 8, nr - cut,
				  &user_new);
	put32(to, kernel);
	put32(to + 4, user);
	if (s)
		*s = (struct columns_stacks){kernel ? kernel : ID_NONE, user ? user : ID_NONE,
					     kernel_new, user_new};
}

/* What is written as the difference to something known. */
static void predict(const struct columns_class *k, struct columns_source *source, u8 *row,
		    u64 second)
{
	u64 time;

	if (k->time_at >= 0) {
		time = get64(row + k->time_at);
		if (k->time2_at >= 0)
			put64(row + k->time2_at, get64(row + k->time2_at) - time);
		if (!source->timed) {
			source->timed = true;
			source->first = source->last = time;
		}
		put64(row + k->time_at, time - source->last);
		source->last = time;
	}
	if (k->ip_at >= 0)
		put64(row + k->ip_at, get64(row + k->ip_at) - second);
	if (k->cpu_at >= 0 && source->ring.cpu != ID_NONE) {
		u32 cpu;

		memcpy(&cpu, row + k->cpu_at, sizeof(cpu));
		put32(row + k->cpu_at, cpu ^ source->ring.cpu);
	}
}

/* The words of a call chain of the other byte order in ours, until the next; NULL: no memory. */
static const u8 *own_words(struct columns_writer *w, const u8 *p, u32 nr)
{
	if (!w->words)
		w->words = malloc(UINT16_MAX + 1);
	if (!w->words)
		return NULL;
	memcpy(w->words, p, (size_t)nr * 8);
	columns_class_reverse((u8 *)w->words, 8, 8, nr);
	return (const u8 *)w->words;
}

/* What the row has of the record, in our byte order. */
static void own_row(const struct columns_class *k, u8 *row)
{
	u32 i;

	for (i = 0; i < k->cols.nr; i++)
		if (columns_class_plain(k, i))
			columns_class_reverse(row + k->cols.v[i].at, 8, k->cols.v[i].width, 1);
	columns_class_reverse_told(k, row);
}

static void fill_row(struct columns_writer *w, struct columns_rows *r, u8 *row,
		     struct columns_source *source, const struct rec *rec, u32 chain, u32 len,
		     struct columns_stacks *stacks)
{
	const struct columns_class *k = &r->class;
	const u8 *p = rec->data + HEADER, *words;
	const struct columns_op *op;
	u64 second = 0;

	if (k->loose) {
		put32(row, rec->type);
		memcpy(row + 4, &rec->misc, 2);
		put32(row + 6, rec->event);
	}
	for (op = k->ops; op < k->ops + k->nr_ops; op++) {
		switch (op->kind) {
		case COLUMN_INT:
			/* most often one word, its time */
			if (op->width == 8)
				memcpy(row + op->at, p, 8);
			else
				memcpy(row + op->at, p, op->width);
			p += op->width;
			break;
		case COLUMN_CHAIN:
		case COLUMN_OPEN_CHAIN:
			words = p + 8;
			p += 8 + (size_t)chain * 8;
			if (w->foreign)
				words = own_words(w, words, chain);
			if (!words) {
				w->failed = true;
				return;
			}
			if (chain > 1)
				second = get64(words + 8);
			add_chain(w, row + op->at, rec, words, chain, stacks);
			break;
		case COLUMN_BLOB:
			put32(row + op->at, columns_blobs_add(&w->blobs, p, len));
			p += len;
			break;
		case COLUMN_REST:
			put32(row + op->at, len);
			buf_add(&r->rest, p, len);
			p += len;
			break;
		}
	}
	if (w->foreign)
		own_row(k, row);
	predict(k, source, row, second);
}

/*
 * What is left of a record for the one part whose length only that tells: a blob, or the rest.
 * False: the columns do not cover the record, whatever was thought of its layout.
 */
static bool find_left(const struct columns_rows *r, const struct rec *rec, u32 chain, u32 *left)
{
	u32 covered = HEADER + r->plain + (r->class.chain_at >= 0 ? 8 + chain * 8 : 0);

	*left = rec->size - covered;
	return r->open ? covered <= rec->size : covered == rec->size;
}

void columns_writer_add(struct columns_writer *w, struct columns_source *source,
			const struct rec *rec, struct columns_stacks *stacks)
{
	struct columns_layout *l;
	struct columns_parts parts;
	struct columns_rows *r;
	u32 left;

	if (stacks)
		*stacks = (struct columns_stacks){ID_NONE, ID_NONE, false, false};
	if (w->failed ||
	    (w->order.nr == w->order.cap && !vec_reserve(&w->order, (u64)w->order.nr + 1)) ||
	    (!w->in_run && !begin_run(w))) {
		w->failed = true;
		return;
	}
	l = &w->layouts.v[MIN(rec->event, w->layouts.nr - 1)];
	columns_shape_parts(l, rec, &parts);
	r = class_of(w, l, rec, &parts);
	if (r && !find_left(r, rec, parts.chain, &left)) {
		parts = (struct columns_parts){.key = {.type = ID_NONE}};
		r = class_of(w, l, rec, &parts);
		left = rec->size - HEADER;
	}
	if (!r || (r->nr_rows == COLUMNS_ROWS && !rows_to_columns(r))) {
		w->failed = true;
		return;
	}
	w->order.v[w->order.nr++] = (u16)(r - w->classes.v);
	w->run_records.v[w->run_records.nr - 1]++;
	fill_row(w, r, r->rows + (size_t)r->nr_rows++ * r->class.row_size, source, rec, parts.chain,
		 left, stacks);
}

static void put_part(struct columns_out *o, const u8 *p, u32 step, u32 width, u32 n)
{
	/* most columns of most classes hold one value */
	if (n > 1 && step == width && !memcmp(p, p + width, (size_t)(n - 1) * width))
		n = 1;
	if (width == 8 && step == 8) {
		columns_put_ints(o, (const u64 *)p, n);
		return;
	}
	columns_class_widen(p, step, width, o->scratch[0], n);
	columns_put_ints(o, o->scratch[0], n);
}

/* In how many of the first rows two columns of one width agree. */
static u32 agree(const u8 *a, const u8 *b, u32 width, u32 n)
{
	u32 i, same = 0;

	for (i = 0; i < n; i++)
		same += !memcmp(a + (size_t)i * width, b + (size_t)i * width, width);
	return same;
}

/* An earlier column that mostly holds the same values: ID_NONE, there is none. */
static u32 like_column(const struct columns_rows *r, u32 col)
{
	const struct columns_col *cols = r->class.cols.v, *c = &cols[col];
	const u8 *data = r->arrays.v[col].data;
	u32 i, width = c->width, n = MIN(r->nr, 64u);

	if (c->kind != COLUMN_INT || width < 4 || n < 8 ||
	    !memcmp(data, data + width, (size_t)(r->nr - 1) * width))
		return ID_NONE;
	for (i = col > 64 ? col - 64 : 0; i < col; i++)
		if (cols[i].kind == COLUMN_INT && cols[i].width == width && cols[i].raw <= c->raw &&
		    agree(r->arrays.v[i].data, data, width, n) >= n - n / 3)
			return i;
	return ID_NONE;
}

static bool is_constant(const struct columns_rows *r, u32 col)
{
	u32 width = r->class.cols.v[col].width;
	const u8 *data = r->arrays.v[col].data;

	return r->nr < 2 || !memcmp(data, data + width, (size_t)(r->nr - 1) * width);
}

/* The first field of raw data that is not always the same is what others may depend on. */
static void find_key(struct columns_writer *w, struct columns_out *o, struct columns_rows *r)
{
	const struct columns_col *c = r->class.cols.v;
	u32 i;

	r->group_key = ID_NONE;
	if (r->nr < GROUP_MIN)
		return;
	for (i = 0; i < r->class.cols.nr; i++)
		if (c[i].kind == COLUMN_INT && c[i].raw && !is_constant(r, i))
			break;
	if (i == r->class.cols.nr)
		return;
	if (!vec_reserve(&w->grouped, r->nr)) {
		w->failed = true;
		return;
	}
	r->group_key = i;
	columns_class_widen(r->arrays.v[i].data, c[i].width, c[i].width, o->scratch[0], r->nr);
	columns_group_order(o->scratch[0], r->nr, w->grouped.v);
}

/* False: the column is better off in the order of the records. */
static bool put_grouped(struct columns_writer *w, struct columns_out *o,
			const struct columns_rows *r, u32 col)
{
	const struct columns_col *c = r->class.cols.v;
	u32 i;

	if (r->group_key == ID_NONE || col <= r->group_key || !c[col].raw || is_constant(r, col))
		return false;
	columns_class_widen(r->arrays.v[r->group_key].data, c[r->group_key].width,
			    c[r->group_key].width, o->scratch[0], MIN(r->nr, COLUMNS_GROUP_SAMPLE));
	columns_class_widen(r->arrays.v[col].data, c[col].width, c[col].width, o->scratch[1],
			    r->nr);
	if (!columns_group_helps(o->scratch[0], o->scratch[1], r->nr))
		return false;
	columns_put_varint(o->to, (u64)r->class.cols.nr + 1 + r->group_key);
	for (i = 0; i < r->nr; i++)
		o->scratch[0][i] = o->scratch[1][w->grouped.v[i]];
	columns_put_ints(o, o->scratch[0], r->nr);
	return true;
}

static void put_int(struct columns_writer *w, struct columns_out *o, const struct columns_rows *r,
		    u32 col)
{
	u32 like = like_column(r, col), width = r->class.cols.v[col].width, i;
	const u8 *data = r->arrays.v[col].data;

	if (like == ID_NONE && put_grouped(w, o, r, col))
		return;
	columns_put_varint(o->to, (u32)(like + 1));
	if (like == ID_NONE) {
		put_part(o, data, width, width, r->nr);
		return;
	}
	columns_class_widen(data, width, width, o->scratch[0], r->nr);
	columns_class_widen(r->arrays.v[like].data, width, width, o->scratch[1], r->nr);
	for (i = 0; i < r->nr; i++)
		o->scratch[0][i] = columns_class_like(o->scratch[0][i], o->scratch[1][i]);
	columns_put_ints(o, o->scratch[0], r->nr);
}

static void put_wide(struct columns_writer *w, struct columns_out *o, const struct columns_rows *r,
		     u32 col)
{
	const u8 *p = r->arrays.v[col].data;
	u32 i, blob = 0, width = r->class.cols.v[col].width;

	for (i = 0; i < r->nr; i++, p += width) {
		if (!i || memcmp(p, p - width, width))
			blob = columns_blobs_add(&w->blobs, p, width);
		o->scratch[0][i] = blob;
	}
	columns_put_ints(o, o->scratch[0], r->nr);
}

static void put_column(struct columns_writer *w, struct columns_out *o,
		       const struct columns_rows *r, u32 col)
{
	const struct columns_col *c = &r->class.cols.v[col];

	switch (c->kind) {
	case COLUMN_WIDE:
		put_wide(w, o, r, col);
		break;
	case COLUMN_CHAIN:
	case COLUMN_OPEN_CHAIN:
		put_part(o, r->arrays.v[col].data, 8, 4, r->nr);
		put_part(o, r->arrays.v[col].data + 4, 8, 4, r->nr);
		break;
	case COLUMN_REST:
		put_part(o, r->arrays.v[col].data, 4, 4, r->nr);
		columns_put_stream(o, r->rest.data, r->rest.len);
		break;
	default:
		put_int(w, o, r, col);
		break;
	}
}

/* Each column with its length before it, so that a reader can pass over it. */
static void put_columns(struct columns_writer *w, struct columns_out *o)
{
	struct buf *to = o->to;
	u32 i, col;

	buf_clear(&w->columns);
	o->to = &w->column;
	for (i = 0; i < w->nr_classes; i++) {
		struct columns_rows *r = &w->classes.v[i];

		w->failed |= r->rest.failed || !rows_to_columns(r);
		if (!w->failed && columns_out_room(o, r->nr))
			find_key(w, o, r);
		for (col = 0; col < r->class.cols.nr && !w->failed; col++) {
			buf_clear(&w->column);
			if (o->failed)
				break;
			/* a class may be found not to fit the record that it was made for */
			if (r->nr)
				put_column(w, o, r, col);
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
	u32 i;

	buf_clear(&w->column);
	for (i = 0; i < w->nr_classes; i++)
		columns_class_put(&w->classes.v[i].class, &w->column);
	w->failed |= w->column.failed;
	columns_put_varint(o->to, w->nr_classes);
	columns_put_varint(o->to, w->column.len);
	columns_put_stream(o, w->column.data, w->column.len);
	if (!columns_out_room(o, w->order.nr))
		return;
	for (i = 0; i < w->order.nr; i++)
		o->scratch[0][i] = w->order.v[i];
	columns_put_ints(o, o->scratch[0], w->order.nr);
}

static void put_halves(struct columns_writer *w, struct columns_out *o)
{
	struct buf *to = o->to;
	u32 i;

	o->to = &w->column;
	for (i = 0; i < COLUMNS_HALVES; i++) {
		buf_clear(&w->column);
		columns_halves_put(&w->halves[i], o);
		w->failed |= w->halves[i].failed || w->column.failed;
		put_sized(to, &w->column);
	}
	o->to = to;
}

void columns_writer_end(struct columns_writer *w, struct columns_out *o)
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
