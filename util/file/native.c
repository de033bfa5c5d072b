// SPDX-License-Identifier: GPL-2.0
#include "util/file/native.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/file/foreign_order.h"
#include "util/file/late_names.h"
#include "util/file/meta.h"
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

/* What the next block should say of those before it. */
struct native_expected {
	u64 seq;
	bool after_bad; /* bytes were passed over, in which blocks may have been */
	u64 samples;    /* in the DATA blocks read or known to be lost so far */
	bool samples_known;
};

struct native {
	struct source source;
	struct recording recording;
	struct blocks blocks;
	struct read_ahead *ahead; /* made with the first step */
	struct meta meta;
	struct native_data now;
	struct native_time_index behind;
	u64 hollow;           /* of the blocks that are held */
	bool let_go;          /* too much is held: the order is given up */
	bool late_names;      /* they were read */
	VEC(struct buf) idle; /* memory of blocks that came back */
	VEC(struct sample_groups) idle_groups;
	struct data_rings rings;
	struct foreign_order foreign;
	struct native_expected next;
	int read_error; /* -errno; returned after what was read before it */
	bool at_end;    /* nothing more is read ahead */
	bool ended;
};

static void note_damage(struct native *n, u64 at, u64 bytes)
{
	struct recording_damage *d = &n->recording.damage;

	if (!d->bytes)
		d->first_at = at;
	d->bytes += bytes;
	d->blocks++;
}

/* Every block says how many samples came before it: what is missing was lost with a hole. */
static void count_hole(struct native *n, const struct block *k)
{
	if (n->next.samples_known && k->samples_before > n->next.samples)
		n->recording.damage.samples += k->samples_before - n->next.samples;
	n->next.samples = k->samples_before;
	n->next.samples_known = true;
}

/* Every block has its number, too. A hole is reported as such. */
static void count_missing(struct native *n, const struct blocks_item *it)
{
	struct recording_damage *d = &n->recording.damage;

	if (it->head.seq > n->next.seq && !n->next.after_bad) {
		if (!d->missing)
			d->missing_at = it->at;
		d->missing += it->head.seq - n->next.seq;
	}
	n->next.seq = MAX(n->next.seq, it->head.seq + 1);
	n->next.after_bad = false;
}

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
	return late_names_read(&n->meta, &n->recording, &n->blocks, it->at + it->bytes);
}

static int take_meta(struct native *n, const struct blocks_item *it)
{
	const struct block *k = &it->head;
	int ret;

	if (k->seq >= n->next.seq)
		count_hole(n, k);
	ret = meta_read(&n->meta, &n->recording, k, it->payload);
	if (!ret && k->type == BLOCK_META)
		ret = look_for_late_names(n, it);
	if (ret == META_REPEATED) {
		n->recording.damage.repeated++;
		return 0;
	}
	n->ended |= k->type == BLOCK_END && ret != -EBADMSG;
	return ret;
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

/* It was decoded before the events were known. */
static void decode_again(struct native *n, struct read_ahead_block *b)
{
	struct columns_want want = want_of(n, &b->item);

	native_read_ahead_again(n->ahead, b, &want);
}

static int take_data(struct native *n, struct read_ahead_block *b)
{
	const struct block *k = &b->item.head;
	struct recording_damage *d = &n->recording.damage;
	struct data_rings_step step;
	int ret = meta_repeated(&n->meta, k);

	n->meta.records = true;
	if (ret < 0)
		return ret;
	if ((b->data.groups.times.nr && one_by_one(&n->recording.events)) ||
	    (b->want.no_chains && !leaves_chains(n)))
		decode_again(n, b);
	if (b->data.ret && b->data.ret != -EBADMSG)
		return b->data.ret;
	if (!data_rings_take(&n->rings, &b->data, &step))
		return -ENOMEM;
	if (ret || step.repeated) {
		d->repeated++;
		return 0;
	}
	d->gaps += step.missing != 0;
	d->gap_bytes += step.missing;
	count_hole(n, k);
	n->next.samples += b->data.samples;
	if (b->data.foreign && foreign_order_block(&n->foreign, &n->recording, &b->data))
		return -ENOMEM;
	n->next.samples_known =
		!n->source.want.no_samples && !n->source.want.cpu && !outside(&n->source.want, k);
	if (lend(n, &b->data, k->stored_size))
		return -ENOMEM;
	n->now.block = b;
	n->now.order = native_time_index_get(&n->behind, &n->blocks, &b->item);
	n->let_go = n->hollow > HOLLOW_MAX;
	n->now.pos = 0;
	return b->data.ret;
}

static int take_whole(struct native *n, struct read_ahead_block *b, struct err *err)
{
	const struct block *k = &b->item.head;
	int ret = k->type == BLOCK_DATA ? take_data(n, b) : take_meta(n, &b->item);

	count_missing(n, &b->item);
	if (ret == -ENOMEM)
		return err_nomem(err);
	if (ret == -ENOTSUP) {
		err_set(err, ENOTSUP, "%s: block %llu at byte %llu is of a newer format",
			n->recording.path, (unsigned long long)k->seq,
			(unsigned long long)b->item.at);
		err_hint(err, "read it with the perf-lite that wrote it, or a newer one");
		return -ENOTSUP;
	}
	if (ret)
		note_damage(n, b->item.at, b->item.bytes);
	return 1;
}

static int cannot_read(const struct native *n, struct err *err)
{
	return err_set(err, -n->read_error, "cannot read %s: %s", n->recording.path,
		       strerror(-n->read_error));
}

/* Take up the next block. 1: done, 0: end of the file, -EINTR: none has come yet. */
static int next_block(struct native *n, struct err *err)
{
	struct read_ahead_block *b;
	int ret;

	n->now.block = NULL;
	record_buffer_put(n->source.record_buffer);
	n->source.record_buffer = NULL;
	ret = fill(n, err);
	if (ret)
		return ret;
	b = native_read_ahead_pop(n->ahead);
	if (!b && n->read_error)
		return cannot_read(n, err);
	if (!b)
		return n->at_end ? 0 : -EINTR;
	switch (b->item.kind) {
	case BLOCKS_WHOLE:
		return take_whole(n, b, err);
	case BLOCKS_BAD:
		note_damage(n, b->item.at, b->item.bytes);
		n->next.after_bad = true;
		break;
	case BLOCKS_CUT:
		n->recording.damage.cut_at = b->item.at;
		break;
	}
	return 1;
}

/* But for blocks that are there twice, nothing belongs there: another recording was joined to this one, or the disk is at fault. */
static int look_behind_end(struct native *n, struct err *err)
{
	struct recording_damage *d = &n->recording.damage;
	struct read_ahead_block *b;
	int ret;

	for (;;) {
		ret = fill(n, err);
		if (ret)
			return ret;
		b = native_read_ahead_pop(n->ahead);
		if (!b)
			return n->read_error ? cannot_read(n, err) : 0;
		ret = b->item.kind == BLOCKS_WHOLE ? meta_repeated(&n->meta, &b->item.head) : 0;
		if (ret < 0)
			return err_nomem(err);
		if (!ret) {
			d->after_end = b->item.at;
			return 0;
		}
		d->repeated++;
	}
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
		} else if (n->ended) {
			ret = look_behind_end(n, err);
			if (ret)
				return ret;
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
	meta_free(&n->meta);
	data_rings_free(&n->rings);
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
	n->next.samples_known = true;
	if (n->blocks.damaged)
		note_damage(n, 0, n->blocks.damaged);
	return &n->source;
}
