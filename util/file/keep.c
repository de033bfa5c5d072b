// SPDX-License-Identifier: GPL-2.0
#include "util/file/keep.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "util/base/memory.h"
#include "util/file/writer.h"

/* Blocks begin at multiples of this, so that a head has room wherever there is any. */
#define ENTRY_ALIGN 128u
/* Of all but records and losses: names of functions, mostly. */
#define OTHERS_MAX (128u << 20)
#define PAGES      (64u << 10) /* what is given back at a time: a multiple of all page sizes */
/* Where address space is counted, less of it will do. */
#define TRIES 4

_Static_assert(sizeof(struct keep_block) <= ENTRY_ALIGN, "a head fits");

static bool in_ring(u16 type)
{
	return type == BLOCK_DATA || type == BLOCK_LOSS;
}

/* What is at a position: in the ring these only grow. */
static struct keep_block *ring_block(const struct keep *k, u64 pos)
{
	const struct keep_memory *m = k->memory;

	return (struct keep_block *)((u8 *)m + m->ring_at + pos % m->ring_size);
}

static struct keep_block *other_block(const struct keep *k, u64 pos)
{
	const struct keep_memory *m = k->memory;

	return (struct keep_block *)((u8 *)m + m->others_at + pos % m->others_size);
}

static struct keep_memory *map(u64 max_bytes, u32 shrink)
{
	/* a block that does not fit in front of the end of the ring begins at its start */
	u64 ring =
		ALIGN_UP(max_bytes, (u64)PAGES) + 2 * ((u64)BLOCK_SIZE_MAX >> shrink) + 2 * PAGES;
	u64 others = (u64)OTHERS_MAX >> shrink, size = PAGES + ring + others;
	struct keep_memory *m = memory_new_shared(size);

	if (!m)
		return NULL;
	*m = (struct keep_memory){
		.size = size,
		.ring_at = PAGES,
		.ring_size = ring,
		.others_at = PAGES + ring,
		.others_size = others,
	};
	return m;
}

int keep_open(struct keep *k, u64 max_bytes, u64 window_ns, struct err *err)
{
	u32 shrink;

	*k = (struct keep){.max_bytes = max_bytes, .window_ns = window_ns};
	for (shrink = 0; shrink < TRIES && !k->memory; shrink++)
		k->memory = map(max_bytes, shrink);
	return k->memory ? 0 : err_nomem(err);
}

void keep_attach(struct keep *k, struct keep_memory *memory, const struct keep_ends *ends,
		 u64 max_bytes, u64 window_ns)
{
	const struct keep_block *b;
	u64 pos;

	*k = (struct keep){
		.memory = memory, .end = *ends, .max_bytes = max_bytes, .window_ns = window_ns};
	/* what had been added since may have driven out all that was there then */
	memory->begin = MIN(memory->begin, ends->ring);
	memory->others_begin = MIN(memory->others_begin, ends->others);
	memory->names = MIN(memory->names, ends->others);
	memory->names_ring = MIN(memory->names_ring, ends->ring);
	for (pos = memory->begin; pos < k->end.ring; pos += b->size) {
		b = ring_block(k, pos);
		k->bytes += b->head.stored_size;
	}
}

/* Room for a block in a ring of that size; where it would reach beyond the end, the rest is passed over. */
static struct keep_block *find_room(u8 *ring, u64 ring_size, u64 begin, u64 *end, u64 size)
{
	u64 left = ring_size - *end % ring_size, skip = left < size ? left : 0;

	/* no page has both the newest and the oldest, which is given back */
	if (*end + skip + size - begin > ring_size - PAGES)
		return NULL;
	if (skip)
		*(struct keep_block *)(ring + *end % ring_size) =
			(struct keep_block){.size = (u32)skip};
	*end += skip;
	return (struct keep_block *)(ring + *end % ring_size);
}

static struct keep_block *ring_room(struct keep *k, u64 size)
{
	struct keep_memory *m = k->memory;

	return find_room((u8 *)m + m->ring_at, m->ring_size, m->begin, &k->end.ring, size);
}

static struct keep_block *other_room(struct keep *k, u64 size)
{
	struct keep_memory *m = k->memory;

	return find_room((u8 *)m + m->others_at, m->others_size, m->others_begin, &k->end.others,
			 size);
}

int keep_add(struct keep *k, const struct block *head, u32 samples, const void *payload,
	     struct err *err)
{
	u64 size = ALIGN_UP(sizeof(struct keep_block) + (u64)head->stored_size, (u64)ENTRY_ALIGN);
	bool ring = in_ring(head->type);
	struct keep_block *b = ring ? ring_room(k, size) : other_room(k, size);

	if (!b) {
		err_set(err, ENOSPC, "the memory for what is kept is full");
		err_hint(err, "record with --switch-output instead, which keeps files");
		return -ENOSPC;
	}
	b->head = *head;
	b->samples = samples;
	b->size = (u32)size;
	memcpy(b->payload, payload, head->stored_size);
	k->bytes += ring ? head->stored_size : 0;
	*(ring ? &k->end.ring : &k->end.others) += size;
	return 0;
}

static bool is_old(const struct keep *k, const struct keep_block *b, u64 now)
{
	/* a block without a time belongs to the one before it, which is gone */
	return k->window_ns && b->head.time_max + k->window_ns < now;
}

const struct keep_block *keep_oldest(const struct keep *k, u64 now)
{
	const struct keep_block *b;

	if (k->memory->begin == k->end.ring)
		return NULL;
	b = ring_block(k, k->memory->begin);
	return is_old(k, b, now) || k->bytes > k->max_bytes ? b : NULL;
}

/* The pages in front of a position of a ring that lay behind one before. */
static void give_back(u8 *ring, u64 size, u64 from, u64 to)
{
	u64 at = from & ~(u64)(PAGES - 1), len;

	for (to &= ~(u64)(PAGES - 1); at < to; at += len) {
		len = MIN(to - at, size - at % size);
		madvise(ring + at % size, (size_t)len, MADV_REMOVE);
	}
}

void keep_drop(struct keep *k, u64 now)
{
	struct keep_memory *m = k->memory;
	u64 begin = m->begin;
	struct keep_block *b = ring_block(k, begin);

	if (!is_old(k, b, now))
		m->dropped += b->samples;
	m->evicted += b->samples;
	k->bytes -= b->head.stored_size;
	__atomic_store_n(&m->begin, begin + b->size, __ATOMIC_RELEASE);
	give_back((u8 *)m + m->ring_at, m->ring_size, begin, m->begin);
	if (m->begin >= m->names_ring)
		keep_drop_names(k);
}

const struct keep_block *keep_oldest_name_user(const struct keep *k)
{
	const struct keep_memory *m = k->memory;

	return m->begin < m->names_ring ? ring_block(k, m->begin) : NULL;
}

/* Blocks that are of no generation: they go with the present one. */
static void take_lasting(const struct keep *k, struct buf *lasting)
{
	const struct keep_memory *m = k->memory;
	const struct keep_block *b;
	u64 pos;

	for (pos = m->others_begin; pos < m->names; pos += b->size) {
		b = other_block(k, pos);
		if (b->head.type == BLOCK_IDS)
			buf_add(lasting, b, b->size);
	}
}

void keep_drop_names(struct keep *k)
{
	struct keep_memory *m = k->memory;
	u64 begin = m->others_begin;
	struct buf lasting = {0};
	struct keep_block *b, *to;
	size_t at;

	if (begin == m->names)
		return;
	take_lasting(k, &lasting);
	__atomic_store_n(&m->others_begin, m->names, __ATOMIC_RELEASE);
	give_back((u8 *)m + m->others_at, m->others_size, begin, m->names);
	for (at = 0; !lasting.failed && at < lasting.len; at += b->size) {
		b = (struct keep_block *)(void *)(lasting.data + at);
		to = other_room(k, b->size);
		if (!to)
			break;
		memcpy(to, b, b->size);
		k->end.others += b->size;
	}
	buf_free(&lasting);
}

bool keep_names_due(const struct keep *k)
{
	return k->end.others - k->memory->names >= k->memory->others_size / 8 * 3;
}

void keep_begin_names(struct keep *k)
{
	k->memory->names = k->end.others;
	k->memory->names_ring = k->end.ring;
}

int keep_write(const struct keep *k, struct writer *w, struct err *err)
{
	const struct keep_block *b;
	int ret = 0;
	u64 pos;

	for (pos = k->memory->others_begin; pos < k->end.others && !ret; pos += b->size) {
		b = other_block(k, pos);
		if (b->head.type)
			ret = writer_kept(w, b, err);
	}
	for (pos = k->memory->begin; pos < k->end.ring && !ret; pos += b->size) {
		b = ring_block(k, pos);
		if (b->head.type)
			ret = writer_kept(w, b, err);
	}
	return ret;
}

void keep_free(struct keep *k)
{
	if (k->memory)
		memory_free_shared(k->memory, k->memory->size);
	*k = (struct keep){0};
}
