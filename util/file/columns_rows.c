// SPDX-License-Identifier: GPL-2.0
#include "util/file/columns_internal.h"

#include "util/base/bytes.h"
#include "util/record/deferred.h"

_Static_assert(COLUMNS_ROWS == COLUMNS_RUN, "rows are taken apart in runs");

/* Rows are compared so many bytes at a time, which may reach behind the last. */
#define CHUNK 16u

typedef u64 chunk __attribute__((vector_size(CHUNK)));

static void free_rows(struct columns_rows *r)
{
	u32 i;

	for (i = 0; i < r->arrays.nr; i++) {
		free(r->arrays.v[i].data);
		vec_free(&r->arrays.v[i].runs);
	}
	vec_free(&r->arrays);
	vec_free(&r->class.cols);
	free(r->rows);
	buf_free(&r->rest);
}

static bool begin_rows(struct columns_rows *r)
{
	size_t rows = (size_t)r->class.row_size * COLUMNS_ROWS + CHUNK;
	size_t need = rows + r->class.row_size + CHUNK;
	u32 i;

	r->nr = r->nr_rows = 0;
	buf_reset(&r->rest);
	while (r->arrays.nr < r->class.cols.nr)
		if (!vec_push(&r->arrays))
			return false;
	for (i = 0; i < r->class.cols.nr; i++)
		r->arrays.v[i].runs.nr = 0;
	if (!columns_class_room(&r->rows, &r->cap, need))
		return false;
	r->differ = r->rows + rows;
	return true;
}

/* Where do the rows differ from their first? */
static void compare_rows(struct columns_rows *r)
{
	u32 at, i, size = r->class.row_size, n = r->nr_rows;
	chunk first, a, b, differ;

	for (at = 0; at < size; at += CHUNK) {
		const u8 *p = r->rows + at;

		memcpy(&first, p, CHUNK);
		memset(&differ, 0, CHUNK);
		/* the first of an odd number is the first itself */
		for (i = n & 1; i < n; i += 2) {
			memcpy(&a, p + (size_t)i * size, CHUNK);
			memcpy(&b, p + (size_t)(i + 1) * size, CHUNK);
			differ |= (a ^ first) | (b ^ first);
		}
		memcpy(r->differ + at, &differ, CHUNK);
	}
}

static bool is_alike(const struct columns_rows *r, const struct columns_col *c)
{
	u32 i;
	u8 any = 0;

	for (i = 0; i < c->width; i++)
		any |= r->differ[c->at + i];
	return !any;
}

/* Take the rows apart: afterwards there is room for COLUMNS_ROWS. False: memory is out. */
static bool split_rows(struct columns_rows *r)
{
	const struct columns_col *c = r->class.cols.v;
	u32 i, n, size = r->class.row_size;

	if (!r->nr_rows)
		return true;
	compare_rows(r);
	for (i = 0; i < r->class.cols.nr; i++, c++) {
		struct columns_array *a = &r->arrays.v[i];
		u8 *same = vec_push(&a->runs);

		if (!same ||
		    !columns_class_room(&a->data, &a->cap, ((size_t)r->nr + r->nr_rows) * c->width))
			return false;
		*same = is_alike(r, c);
		n = *same ? 1 : r->nr_rows;
		columns_class_copy(a->data + (size_t)r->nr * c->width, c->width, r->rows + c->at,
				   size, c->width, n);
	}
	r->nr += r->nr_rows;
	r->nr_rows = 0;
	return true;
}

bool columns_rows_end(struct columns_rows *r)
{
	u32 i, j, width;
	const u8 *data;

	if (!split_rows(r))
		return false;
	for (i = 0; i < r->class.cols.nr; i++) {
		struct columns_array *a = &r->arrays.v[i];

		width = r->class.cols.v[i].width;
		data = a->data;
		a->varies = false;
		for (j = 0; j < a->runs.nr && !a->varies; j++)
			a->varies = !a->runs.v[j] ||
				    memcmp(data + (size_t)j * COLUMNS_ROWS * width, data, width);
	}
	return true;
}

static u64 word_at(const u8 *p, u32 i)
{
	u64 v;

	memcpy(&v, p + (size_t)i * 8, sizeof(v));
	return v;
}

static u32 add_user(struct columns_halves *h, const u8 *p, u32 nr, bool *is_new)
{
	u32 len;

	*is_new = false;
	if (columns_halves_again(h, h->last, p, nr, &len) && len == nr)
		return h->last;
	return columns_halves_add(h, p, nr, is_new);
}

/* The kernel half and its length; `last`: of that event. No half holds the word that begins the next. */
static u32 add_kernel(struct columns_halves *h, u32 last, const u8 *p, u32 nr, u32 *len,
		      bool *is_new)
{
	*is_new = false;
	if (columns_halves_again(h, last, p, nr, len) &&
	    (*len == nr || word_at(p, *len) == (u64)PERF_CONTEXT_USER))
		return last;
	*len = columns_halves_cut(p, nr);
	return columns_halves_add(h, p, *len, is_new);
}

/* What is new of the user half that was added last. */
static void tell_new(const struct columns_halves *users, u32 user, struct columns_stacks *s)
{
	if (users->failed)
		return;
	s->user_from = users->parents.v[user - 1];
	s->user_nodes = users->counts.v[user - 1];
	s->user_first = users->tree.nr - s->user_nodes + 1;
}

/* The numbers of the chain that comes now. Its words are only worth keeping where it comes again and again. */
static void keep_chain(struct columns_chain *c, u32 kernel, u32 user, bool sample, const u8 *p,
		       u32 nr)
{
	c->times = c->kernel == kernel && c->user == user ? c->times + 1 : 0;
	c->kernel = kernel;
	c->user = user;
	c->nr = sample && c->times >= COLUMNS_CHAIN_TIMES && nr <= COLUMNS_CHAIN_MAX ? nr : 0;
	if (c->nr)
		memcpy(c->words, p, (size_t)nr * 8);
}

void columns_chain_any(struct columns_chain *c, struct columns_halves halves[COLUMNS_HALVES],
		       u32 type, const u8 *p, u32 nr, struct columns_stacks *s)
{
	struct columns_halves *users = &halves[COLUMNS_USER];
	u32 cut = 0, kernel = 0, user;
	bool kernel_new = false, user_new;

	/* all of it is the user half there */
	if (type != DEFERRED_RECORD)
		kernel = add_kernel(&halves[COLUMNS_KERNEL], c->kernel, p, nr, &cut, &kernel_new);
	user = add_user(users, p + (size_t)cut * 8, nr - cut, &user_new);
	keep_chain(c, kernel, user, type == PERF_RECORD_SAMPLE, p, nr);
	if (!s)
		return;
	columns_chain_tell(c, s);
	s->kernel_new = kernel_new;
	s->user_new = user_new;
	if (user_new)
		tell_new(users, user, s);
}

#define HEADER sizeof(struct perf_event_header)
/* A record that is of none of so many classes goes into one for all the rest. */
#define CLASSES_MAX 1000

void columns_writer_free(struct columns_writer *w)
{
	u32 i;

	for (i = 0; i < w->classes.nr; i++)
		free_rows(&w->classes.v[i]);
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

/* False: more than one part may be of any length, so that no length can be derived. */
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
	if (!begin_rows(r)) {
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
static void write_differences(const struct columns_class *k, struct columns_source *source, u8 *row,
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
	write_differences(k, source, row, second);
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
		write_differences(&r->class, source, row, second);
}

/*
 * What is left of a record for the one part whose length follows from that alone: a blob, or the
 * rest. False: the columns do not cover the record, whatever was thought of its layout.
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
static struct columns_rows *place_record(struct columns_writer *w, struct columns_layout *l,
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

	if (r->nr_rows == COLUMNS_ROWS && !split_rows(r)) {
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
	struct columns_rows *r = place_record(w, l, rec, &parts, &left);
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
