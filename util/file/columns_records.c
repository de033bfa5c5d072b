// SPDX-License-Identifier: GPL-2.0
#include "util/file/columns_internal.h"

#include <errno.h>

#include "util/base/bytes.h"
#include "util/file/block.h"
#include "util/record/deferred.h"

#define HEADER     sizeof(struct perf_event_header)
#define RECORD_MAX UINT16_MAX
/* Rows may be copied in steps of so many bytes: they and the record have that much behind them. */
#define STEP 16
_Static_assert(COLUMNS_ROOM >= RECORD_MAX + STEP, "a record has no room for its last step");

/*
 * Samples with a CPU of their own may be from another CPU than their ring's. Where some bytes are in
 * no column, the place of the next row is not known.
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
 * Records of a plain class are made without looking at every column: all columns that are written as
 * differences precede the call chain.
 */
static bool is_plain(const struct columns_reader *r, struct columns_read_rows *k)
{
	const struct columns_class *class = &k->class;
	const struct columns_op *op = class->ops;
	u32 i = 0;

	k->lead = k->tail = 0;
	if (r->foreign || class->loose || class->cpu_at >= 0 || class->time2_at >= 0 ||
	    (class->ip_at >= 0 && class->chain_at < 0))
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

bool columns_record_begin(const struct columns_reader *r, struct columns_read_rows *k)
{
	size_t need = (size_t)MIN(k->nr, (u32)COLUMNS_ROWS) * k->class.row_size + STEP;

	k->skips = may_skip(&k->class);
	k->plain = is_plain(r, k);
	while (k->values.nr < k->class.cols.nr)
		if (!vec_push(&k->values))
			return false;
	return columns_class_room(&k->rows, &k->cap, need);
}

/*
 * The next rows of a class, at most `n`. Constant columns stay from one call to the next, unless they
 * are undone. Values are in the byte order of their records, except for those that are undone.
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

static bool get_pair(const u8 *row, s32 chain_at, u32 halves[COLUMNS_HALVES])
{
	if (chain_at < 0)
		return false;
	halves[COLUMNS_KERNEL] = bytes_u32(row + chain_at);
	halves[COLUMNS_USER] = bytes_u32(row + chain_at + 4);
	return true;
}

/* Undo what the row was written as the difference to. */
static bool restore(const struct columns_reader *r, const struct columns_class *k,
		    struct columns_source *source, u8 *row)
{
	u32 halves[COLUMNS_HALVES], cpu;
	u64 second = 0;

	if (k->time_at >= 0) {
		source->last += bytes_u64(row + k->time_at);
		bytes_put_u64(row + k->time_at, source->last);
		if (k->time2_at >= 0)
			bytes_put_u64(row + k->time2_at,
				      bytes_u64(row + k->time2_at) + source->last);
	}
	if (k->ip_at >= 0) {
		if (get_pair(row, k->chain_at, halves) &&
		    !columns_known_second(r->halves, halves, &second))
			return false;
		bytes_put_u64(row + k->ip_at, bytes_u64(row + k->ip_at) + second);
	}
	if (k->cpu_at >= 0 && source->ring.cpu != ID_NONE) {
		cpu = bytes_u32(row + k->cpu_at) ^ source->ring.cpu;
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
		if (!columns_known_half(&r->halves[i], r->in, bytes_u32(row + 4 * i), &words,
					&nr) ||
		    !append(record, len, words, nr * 8))
			return false;
	/* that word is none of the addresses, also where these are left out */
	if (open && r->want.no_chains && !append(record, len, &(u64){DEFERRED_CONTEXT}, 8))
		return false;
	bytes_put_u64(record + at, (*len - at - 8) / 8 + open);
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
			ok = append_blob(r, record, &len, bytes_u32(row + op->at),
					 r->want.no_raw && class->cols.v[op->col].raw);
			break;
		default:
			n = bytes_u32(row + op->at);
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
		bytes_put_u64(to, 0);
		return room < 8 ? 0 : 8;
	}
	for (i = 0; i < COLUMNS_HALVES; i++) {
		if (!half_words(r, i, bytes_u32(row + 4 * i), &words, &nr[i]))
			return 0;
		n = nr[i] * 8;
		if (n + 8 > room)
			return 0;
		if (n)
			memcpy(at, words, n);
		at += n;
		room -= n;
	}
	bytes_put_u64(to, nr[COLUMNS_KERNEL] + nr[COLUMNS_USER]);
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
		source->last += bytes_u64(row + class->time_at);
		bytes_put_u64(record + HEADER + class->time_at, source->last);
	}
	if (class->chain_at >= 0) {
		chain = put_chain(r, row + class->chain_at, record + len,
				  RECORD_MAX - len - k->tail);
		if (!chain)
			return 0;
		if (class->ip_at >= 0 && chain > 16)
			bytes_put_u64(record + HEADER + class->ip_at,
				      bytes_u64(row + class->ip_at) + bytes_u64(record + len + 16));
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
	return bytes_u64(v->data + (v->constant ? 0 : (size_t)k->next * 8));
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
 * Append the next samples of the run, as long as they are of kinds that `to` has. True: the last one
 * is of a new kind. What does not fold is left.
 */
static bool add_groups(struct columns_reader *r, struct columns_source *sources, u32 s,
		       struct sample_groups *to)
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

bool columns_reader_groups(struct columns_reader *r, struct columns_source *sources,
			   struct sample_groups *to)
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
		if (add_groups(r, sources, next_run(r), to)) {
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
		rec->type = bytes_u32(row);
		memcpy(&rec->misc, row + 4, 2);
		rec->event = bytes_u32(row + 6);
	}
	h = to;
	h->type = rec->type;
	h->misc = rec->misc;
	h->size = (u16)size;
	if (r->foreign)
		columns_class_reverse_header(h);
	return 1;
}
