// SPDX-License-Identifier: GPL-2.0
#include "util/file/columns_write.h"

#include "util/base/bytes.h"
#include "util/record/deferred.h"

#define HEADER sizeof(struct perf_event_header)
/* A record that is of none of so many classes goes into one for all the rest. */
#define CLASSES_MAX 1000

void columns_writer_free(struct columns_writer *w)
{
	u32 i;

	for (i = 0; i < w->classes.nr; i++)
		columns_rows_free(&w->classes.v[i]);
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
	vec_free(&w->runs);
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
	if (w->nr_classes == w->classes.nr && !vec_push(&w->classes)) {
		w->failed = true;
		return NULL;
	}
	return &w->classes.v[w->nr_classes++];
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
	r->lead = k->chain_at >= 0 ? (u32)k->chain_at : r->plain;
	r->behind = r->plain - r->lead;
	r->time_alone = k->time_at >= 0 && k->time2_at < 0 && k->ip_at < 0 && k->cpu_at < 0;
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
	if (!columns_rows_begin(r)) {
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

/* What a row has of a call chain. */
static void put_halves(u8 *to, const struct columns_chain *c)
{
	bytes_put_u32(to, c->kernel);
	bytes_put_u32(to + 4, c->user);
}

static inline void predict_time(struct columns_source *source, u8 *at, u64 time)
{
	if (!source->timed) {
		source->timed = true;
		source->first = source->last = time;
	}
	bytes_put_u64(at, time - source->last);
	source->last = time;
}

/* What is written as the difference to something known. */
static void predict(const struct columns_class *k, struct columns_source *source, u8 *row,
		    u64 second)
{
	u64 time;

	if (k->time_at >= 0) {
		time = bytes_u64(row + k->time_at);
		if (k->time2_at >= 0)
			bytes_put_u64(row + k->time2_at, bytes_u64(row + k->time2_at) - time);
		predict_time(source, row + k->time_at, time);
	}
	if (k->ip_at >= 0)
		bytes_put_u64(row + k->ip_at, bytes_u64(row + k->ip_at) - second);
	if (k->cpu_at >= 0 && source->ring.cpu != ID_NONE) {
		u32 cpu;

		memcpy(&cpu, row + k->cpu_at, sizeof(cpu));
		bytes_put_u32(row + k->cpu_at, cpu ^ source->ring.cpu);
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

static void fill_row(struct columns_writer *w, struct columns_layout *l, struct columns_rows *r,
		     u8 *row, struct columns_source *source, const struct rec *rec, u32 chain,
		     u32 len, struct columns_stacks *stacks)
{
	const struct columns_class *k = &r->class;
	const u8 *p = rec->data + HEADER, *words;
	const struct columns_op *op;
	u64 second = 0;

	if (k->loose) {
		bytes_put_u32(row, rec->type);
		memcpy(row + 4, &rec->misc, 2);
		bytes_put_u32(row + 6, rec->event);
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
				second = bytes_u64(words + 8);
			columns_chain_any(&l->before, w->halves, rec->type, words, chain, stacks);
			put_halves(row + op->at, &l->before);
			break;
		case COLUMN_BLOB:
			bytes_put_u32(row + op->at, columns_blobs_add(&w->blobs, p, len));
			p += len;
			break;
		case COLUMN_REST:
			bytes_put_u32(row + op->at, len);
			buf_add(&r->rest, p, len);
			p += len;
			break;
		}
	}
	if (w->foreign)
		own_row(k, row);
	predict(k, source, row, second);
}

/* The same for a sample that is nothing but plain bytes and a call chain between them. */
static inline void fill_plain(struct columns_writer *w, struct columns_layout *l,
			      const struct columns_rows *r, u8 *row, struct columns_source *source,
			      const u8 *p, u32 chain, struct columns_stacks *stacks)
{
	u8 *to = row + r->lead;
	u64 second = 0;

	/* most often one word, its time */
	if (r->lead == 8)
		memcpy(row, p, 8);
	else
		memcpy(row, p, r->lead);
	p += r->lead;
	if (r->class.chain_at >= 0) {
		if (chain > 1)
			second = bytes_u64(p + 16);
		columns_chain_sample(&l->before, w->halves, p + 8, chain, stacks);
		put_halves(to, &l->before);
		p += 8 + (size_t)chain * 8;
		memcpy(to + 8, p, r->behind);
	}
	if (r->time_alone)
		predict_time(source, row + r->class.time_at, bytes_u64(row + r->class.time_at));
	else
		predict(&r->class, source, row, second);
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

/* What the next sample of the event is compared with, before its parts are looked for. */
static void remember(struct columns_layout *l, const struct columns_rows *r, const struct rec *rec,
		     const struct columns_parts *p)
{
	bool plain = p->key.type == PERF_RECORD_SAMPLE && p->key.chain != COLUMN_OPEN_CHAIN &&
		     l->event && !l->group && !l->foreign && !r->open;

	l->again = (struct columns_again){plain ? rec->size - p->chain * 8 : 0, p->raw, rec->misc};
}

/* The class of a record that is not like the one before; NULL: out of memory. */
static struct columns_rows *place(struct columns_writer *w, struct columns_layout *l,
				  const struct rec *rec, struct columns_parts *p, u32 *left)
{
	struct columns_rows *r;

	columns_shape_parts(l, rec, p);
	r = class_of(w, l, rec, p);
	if (r && !find_left(r, rec, p->chain, left)) {
		*p = (struct columns_parts){.key = {.type = ID_NONE}};
		r = class_of(w, l, rec, p);
		*left = rec->size - HEADER;
	}
	if (r)
		remember(l, r, rec, p);
	return r;
}

/* Room for one more row of a class. */
static inline u8 *next_row(struct columns_writer *w, u32 class)
{
	struct columns_rows *r = &w->classes.v[class];

	if (r->nr_rows == COLUMNS_ROWS && !columns_rows_apart(r)) {
		w->failed = true;
		return NULL;
	}
	w->order.v[w->order.nr++] = (u16) class;
	w->run_records.v[w->run_records.nr - 1]++;
	return r->rows + (size_t)r->nr_rows++ * r->class.row_size;
}

/* A record that is not like the one before. */
static __attribute__((noinline)) void add_other(struct columns_writer *w, struct columns_layout *l,
						struct columns_source *source,
						const struct rec *rec,
						struct columns_stacks *stacks)
{
	struct columns_parts parts;
	u32 left = 0;
	struct columns_rows *r = place(w, l, rec, &parts, &left);
	u8 *row = r ? next_row(w, (u32)(r - w->classes.v)) : NULL;

	if (row)
		fill_row(w, l, r, row, source, rec, parts.chain, left, stacks);
	else
		w->failed = true;
}

void columns_writer_add(struct columns_writer *w, struct columns_source *source,
			const struct rec *rec, struct columns_stacks *stacks)
{
	struct columns_layout *l;
	u32 chain;
	u8 *row;

	if (w->failed ||
	    (w->order.nr == w->order.cap && !vec_reserve(&w->order, (u64)w->order.nr + 1)) ||
	    (!w->in_run && !begin_run(w))) {
		w->failed = true;
		return;
	}
	l = &w->layouts.v[MIN(rec->event, w->layouts.nr - 1)];
	if (!columns_shape_again(l, rec, &chain)) {
		add_other(w, l, source, rec, stacks);
		return;
	}
	row = next_row(w, l->last);
	if (row)
		fill_plain(w, l, &w->classes.v[l->last], row, source, rec->data + HEADER, chain,
			   stacks);
}
