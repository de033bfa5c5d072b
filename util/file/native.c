// SPDX-License-Identifier: GPL-2.0
#include "util/file/native.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/file/blocks_account.h"
#include "util/file/foreign_order.h"
#include "util/file/late_names.h"
#include "util/file/native_internal.h"

/* More threads than this wait for the one that takes what they decode. */
#define THREADS_MAX 8
/* A smaller file is read before the threads have started. */
#define THREADS_FILE_MIN (256u << 10)
/* Likewise where samples come by kinds, which are decoded about as fast as blocks are handed over. */
#define THREADS_GROUPS_MIN (1u << 20)

/*
 * A block of a few bytes may claim 64 MiB of records, and no order that lets them go. What blocks
 * unpack to beyond this ratio is counted while they are held; beyond this sum nothing is held back
 * any more, and what comes later is out of order. Copies of empty stacks unpack to 600 times.
 */
#define HOLLOW_RATIO 1024u
#define HOLLOW_MAX   (128u << 20)

/* The bytes of a DATA block whose records are given out. */
struct record_buffer_block {
	struct record_buffer record_buffer;
	struct native *owner;
	u64 hollow; /* bytes beyond HOLLOW_RATIO */
	struct buf bytes;
	struct sample_groups groups;
};

/* The DATA block whose records are given out. */
struct native_data {
	const struct read_ahead_block *block; /* NULL: none */
	u32 pos;                              /* in its records */
	bool give_groups;                     /* its samples are to be given, too */
	u64 order;                            /* behind it */
};

struct native {
	struct source source;
	struct recording recording;
	struct blocks blocks;
	struct read_ahead *ahead; /* made with the first step */
	struct blocks_account account;
	struct native_data now;
	struct native_time_index behind;
	u64 hollow;           /* of the blocks that are held */
	bool let_go;          /* too much is held: the order is given up */
	bool late_names;      /* they were read */
	VEC(struct buf) idle; /* memory of blocks that came back */
	VEC(struct sample_groups) idle_groups;
	struct foreign_order foreign;
	int read_error; /* -errno; returned after what was read before it */
	bool at_end;    /* nothing more is read ahead */
	bool ended;
};

/* Threads beside the caller's, which has enough to do with what they decode. */
static u32 thread_count(const struct native *n)
{
	u64 want = n->source.want.threads;
	u64 min = n->source.want.grouped ? THREADS_GROUPS_MIN : THREADS_FILE_MIN;
	long cpus;

	if (want)
		return (u32)MIN(want, THREADS_MAX) - 1;
	if (!n->blocks.in.seekable || n->blocks.in.size < min)
		return 0;
	cpus = sysconf(_SC_NPROCESSORS_ONLN);
	return cpus < 2 ? 0 : (u32)MIN(cpus, THREADS_MAX) - 1;
}

/* Does the block hold nothing but samples that are not wanted, and side-band? */
static bool outside(const struct source_want *w, const struct block *k)
{
	if (!k->time_max)
		return false;
	return (w->time_from && k->time_max < w->time_from) ||
	       (w->time_to && k->time_min > w->time_to);
}

/*
 * Idle memory for the records of a block: the smallest that they fit in, else the largest, as they may be less than the
 * header says where not all of them is wanted. What is never taken again would gather, a piece for each block. Large
 * ones are not given to small blocks, or in the end all would be large. NULL: there is none.
 */
static struct buf *find_idle(struct native *n, u32 raw_size)
{
	u64 need = (u64)raw_size + COLUMNS_ROOM;
	struct buf *best = NULL, *largest = NULL;
	u32 i;

	for (i = 0; i < n->idle.nr; i++) {
		struct buf *b = &n->idle.v[i];

		if (b->cap < need && (!largest || b->cap > largest->cap))
			largest = b;
		if (b->cap >= need && b->cap / 4 <= need && (!best || b->cap < best->cap))
			best = b;
	}
	return best ? best : largest;
}

/* Samples that are looked at one by one: what they say depends on the one before, or on one behind. */
static bool one_by_one(const struct event_set *events)
{
	u32 i;

	for (i = 0; i < events->events.nr; i++)
		if (events->events.v[i].layout.sample_type & PERF_SAMPLE_READ)
			return true;
	return events->defers;
}

static bool leaves_chains(const struct native *n)
{
	const struct source_want *w = &n->source.want;

	return w->no_chains || (w->addresses && event_set_addresses(&n->recording.events));
}

static struct columns_want want_of(const struct native *n, const struct blocks_item *it)
{
	const struct source_want *w = &n->source.want;

	return (struct columns_want){
		.no_samples = w->no_samples || (it->has_head && outside(w, &it->head)),
		.no_chains = leaves_chains(n),
		.no_raw = w->no_raw &&
			  !(w->raw_event && event_set_has(&n->recording.events, w->raw_event)),
		.cpu = w->cpu,
		.filter = w->filter,
	};
}

static bool push(struct native *n, const struct blocks_item *it)
{
	struct columns_want want = want_of(n, it);
	bool decodes = it->kind == BLOCKS_WHOLE && it->head.type == BLOCK_DATA;
	struct buf *idle = NULL, bytes = {0};

	want.grouped = n->source.want.grouped && !one_by_one(&n->recording.events);
	if (decodes)
		idle = find_idle(n, it->head.raw_size);
	if (idle) {
		bytes = *idle;
		*idle = n->idle.v[--n->idle.nr];
	}
	return native_read_ahead_push(n->ahead, it, &want, bytes);
}

static int fill(struct native *n, struct err *err)
{
	struct blocks_item it;
	int ret;

	if (!n->ahead) {
		n->ahead = native_read_ahead_new(thread_count(n));
		if (!n->ahead)
			return err_nomem(err);
	}
	while (!n->at_end && native_read_ahead_room(n->ahead)) {
		if (n->source.want.brief_waits && !blocks_wait(&n->blocks))
			break;
		ret = blocks_next(&n->blocks, &it);
		if (ret <= 0) {
			n->read_error = ret;
			n->at_end = true;
		} else if (!push(n, &it)) {
			return err_nomem(err);
		}
	}
	return 0;
}

/* Names that follow the records, once it is known that there are some. */
static int look_for_late_names(struct native *n, const struct blocks_item *it)
{
	if (n->late_names || !n->blocks.in.seekable || !recording_fact(&n->recording, LATE_NAMES))
		return 0;
	n->late_names = true;
	return late_names_read(&n->account.meta, &n->recording, &n->blocks, it->at + it->bytes);
}

static void come_back(struct record_buffer *l)
{
	struct record_buffer_block *b = (struct record_buffer_block *)l;
	struct sample_groups *groups =
		b->groups.times.cap ? vec_push(&b->owner->idle_groups) : NULL;
	struct buf *idle = b->bytes.cap ? vec_push(&b->owner->idle) : NULL;

	b->owner->hollow -= b->hollow;
	if (idle)
		*idle = b->bytes;
	else
		buf_free(&b->bytes);
	if (groups)
		*groups = b->groups;
	else
		sample_groups_free(&b->groups);
	free(b);
}

/* The block's bytes stay until nobody needs them. */
static int lend(struct native *n, struct data_block *data, u32 stored_size)
{
	const u64 size = data->bytes.len + data->groups.bytes.len;
	const u64 most = (u64)stored_size * HOLLOW_RATIO;
	struct record_buffer_block *b = malloc(sizeof(*b));

	if (!b)
		return -ENOMEM;
	*b = (struct record_buffer_block){
		.record_buffer = {.refs = 1, .back = come_back},
		.owner = n,
		.hollow = size > most ? size - most : 0,
		.bytes = data->bytes,
		.groups = data->groups,
	};
	n->hollow += b->hollow;
	data->bytes = (struct buf){0};
	data->groups = (struct sample_groups){0};
	if (n->idle_groups.nr)
		data->groups = n->idle_groups.v[--n->idle_groups.nr];
	n->now.give_groups = b->groups.times.nr;
	n->source.groups = &b->groups;
	n->source.record_buffer = &b->record_buffer;
	return 0;
}

/* Decode it once more, if that was done before the events were known. */
static void decode_again(struct native *n, struct read_ahead_block *b)
{
	struct columns_want want = want_of(n, &b->item);

	if ((b->data.groups.times.nr && one_by_one(&n->recording.events)) ||
	    (b->want.no_chains && !want.no_chains))
		native_read_ahead_again(n->ahead, b, &want);
}

static int take_records(struct native *n, struct read_ahead_block *b)
{
	const struct block *k = &b->item.head;
	const struct source_want *w = &n->source.want;

	if (b->data.foreign && foreign_order_block(&n->foreign, &n->recording, &b->data))
		return -ENOMEM;
	n->account.samples_unknown = w->no_samples || w->cpu || outside(w, k);
	if (lend(n, &b->data, k->stored_size))
		return -ENOMEM;
	n->now.block = b;
	n->now.order = native_time_index_get(&n->behind, &n->blocks, &b->item);
	n->let_go = n->hollow > HOLLOW_MAX;
	n->now.pos = 0;
	return 0;
}

static int take(struct native *n, struct read_ahead_block *b, struct blocks_step *step,
		struct err *err)
{
	const bool whole = b->item.kind == BLOCKS_WHOLE && !n->account.ended;
	const u16 type = b->item.head.type;
	int ret;

	if (whole && type == BLOCK_DATA)
		decode_again(n, b);
	ret = blocks_account_take(&n->account, &b->item, &b->data, step, err);
	if (ret == -ENOTSUP)
		err_prefix(err, "%s", n->recording.path);
	if (ret || !whole || step->repeated)
		return ret;
	if (type == BLOCK_DATA)
		ret = take_records(n, b);
	else if (type == BLOCK_META)
		ret = look_for_late_names(n, &b->item);
	return ret ? err_nomem(err) : 0;
}

/* Take up the next block; with END, those there twice behind it. 1: done, 0: end of the file, -EINTR: none has come yet. */
static int next_block(struct native *n, struct err *err)
{
	struct read_ahead_block *b;
	struct blocks_step step;
	int ret;

	n->now.block = NULL;
	record_buffer_put(n->source.record_buffer);
	n->source.record_buffer = NULL;
	do {
		ret = fill(n, err);
		b = ret ? NULL : native_read_ahead_pop(n->ahead);
		if (b)
			ret = take(n, b, &step, err);
		if (ret)
			return ret;
	} while (b && n->account.ended && !step.after_end);
	if (!b && n->read_error)
		return err_set(err, -n->read_error, "cannot read %s: %s", n->recording.path,
			       strerror(-n->read_error));
	n->ended |= n->account.ended;
	return b || n->ended ? 1 : n->at_end ? 0 : -EINTR;
}

static int native_next(struct source *s, struct rec *rec, struct err *err)
{
	struct native *n = (struct native *)s;
	int ret;

	for (;;) {
		if (n->now.block && n->now.pos < n->now.block->data.records.nr) {
			*rec = n->now.block->data.records.v[n->now.pos++];
			rec->event = event_set_find(&n->recording.events, rec);
			n->recording.at = n->now.block->item.at;
			return SOURCE_RECORD;
		}
		if (n->now.block && n->now.give_groups) {
			n->now.give_groups = false;
			n->recording.at = n->now.block->item.at;
			return SOURCE_GROUPS;
		}
		if (n->now.block && (n->now.order > s->order || n->let_go)) {
			s->order = n->let_go ? UINT64_MAX : n->now.order;
			n->let_go = false;
			return SOURCE_WAIT;
		}
		if (n->ended)
			return SOURCE_END;
		ret = next_block(n, err);
		if (ret == -EINTR)
			return SOURCE_WAIT;
		if (ret < 0)
			return ret;
		if (ret == 0) {
			n->recording.damage.no_end = true;
			s->order = UINT64_MAX;
			n->ended = true;
		}
	}
}

static void native_finish(struct source *s)
{
	struct native *n = (struct native *)s;

	record_buffer_put(s->record_buffer);
	s->record_buffer = NULL;
	n->now.block = NULL;
	n->ended = true;
	while (n->idle.nr)
		buf_free(&n->idle.v[--n->idle.nr]);
	vec_free(&n->idle);
	while (n->idle_groups.nr)
		sample_groups_free(&n->idle_groups.v[--n->idle_groups.nr]);
	vec_free(&n->idle_groups);
	native_read_ahead_free(n->ahead);
	n->ahead = NULL;
}

static void native_close(struct source *s)
{
	struct native *n = (struct native *)s;

	native_finish(s);
	stream_close(&n->blocks.in);
	blocks_account_free(&n->account);
	foreign_order_free(&n->foreign);
	native_time_index_free(&n->behind);
}

static const struct source_ops native_ops = {
	.next = native_next, .close = native_close, .finish = native_finish};

struct source *native_open(struct stream *in, struct err *err)
{
	struct native *n = calloc(1, sizeof(*n));

	if (!n) {
		err_nomem(err);
		return NULL;
	}
	if (blocks_begin(&n->blocks, in, err)) {
		*in = n->blocks.in; /* still the caller's */
		free(n);
		return NULL;
	}
	n->source.ops = &native_ops;
	n->source.recording = &n->recording;
	event_set_ring_cpus(&n->recording.events);
	blocks_account_begin(&n->account, &n->recording, &n->blocks);
	return &n->source;
}
