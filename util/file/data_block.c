// SPDX-License-Identifier: GPL-2.0
#include "util/file/data_block.h"

#include <errno.h>
#include <stdlib.h>

/*
 * Who counts takes memory for each kind of samples. Where there are so many bytes of them, what decoded them is better
 * there than kept for another block; elsewhere new pages for each block would cost more than all else.
 */
#define TRIM_SIZE (256u << 10)

static int copy_rings(struct data_block *b, const struct columns_decoder *d)
{
	u32 nr = 0;
	const struct columns_ring *rings = columns_rings(d, &nr);

	if (!nr)
		return 0;
	if (!vec_reserve(&b->rings, nr))
		return -ENOMEM;
	memcpy(b->rings.v, rings, nr * sizeof(*rings));
	b->rings.nr = nr;
	return 0;
}

/*
 * The next record, to the records or, the first of a kind, to the kinds. A payload of a few bytes may
 * say anything: no more is made of it than its header says.
 */
static int copy_record(struct data_block *b, struct columns_decoder *d, const struct block *head,
		       bool is_new)
{
	struct buf *bytes = is_new ? &b->groups.bytes : &b->bytes;
	char *to = buf_room(bytes, COLUMNS_ROOM);
	u32 n = is_new ? b->groups.kinds.nr : b->records.nr;
	struct rec *rec;
	int ret;

	if (!to || !(is_new ? vec_reserve(&b->groups.kinds, (u64)n + 1)
			    : vec_reserve(&b->records, (u64)n + 1)))
		return -ENOMEM;
	rec = is_new ? &b->groups.kinds.v[n] : &b->records.v[n];
	ret = columns_next_to(d, to, rec);
	if (ret <= 0)
		return ret;
	if ((u64)b->records.nr + b->groups.times.nr - is_new >= head->records ||
	    rec->size > head->raw_size - b->raw_size)
		return -EBADMSG;
	if (is_new)
		b->groups.kinds.nr++;
	else
		b->records.nr++;
	b->raw_size += rec->size;
	b->samples += !is_new && rec->type == PERF_RECORD_SAMPLE;
	/* the bytes behind it up to the next one are zero */
	memset(to + rec->size, 0, 8);
	bytes->len += ALIGN_UP(rec->size, 8u);
	return 1;
}

static int copy_records(struct data_block *b, struct columns_decoder *d, const struct block *head,
			bool groups)
{
	bool is_new;
	int ret;

	do {
		is_new = groups && columns_sample_groups(d, &b->groups);
		ret = copy_record(b, d, head, is_new);
		if (ret <= 0 && is_new)
			sample_groups_drop(&b->groups);
	} while (ret > 0);
	if ((u64)b->records.nr + b->groups.times.nr > head->records)
		ret = -EBADMSG;
	b->samples += b->groups.times.nr;
	return ret;
}

/* Point the records at their bytes, which do not move any more. */
static void place_records(struct rec *records, u32 nr, const struct buf *bytes)
{
	const u8 *at = (const u8 *)bytes->data;
	u32 i;

	for (i = 0; i < nr; i++) {
		records[i].data = at;
		at += ALIGN_UP(records[i].size, 8u);
	}
}

void data_block_decode(struct data_block *b, struct columns_decoder *d, const struct block *head,
		       const void *payload, const struct columns_want *want)
{
	b->records.nr = b->rings.nr = b->samples = b->raw_size = 0;
	buf_reset(&b->bytes);
	sample_groups_clear(&b->groups);
	b->ret = columns_open(d, payload, head->stored_size, want);
	b->foreign = !b->ret && columns_foreign(d);
	if (!b->ret)
		b->ret = copy_rings(b, d);
	if (!b->ret && !(want && want->runs_only))
		b->ret = copy_records(b, d, head, want && want->grouped);
	place_records(b->records.v, b->records.nr, &b->bytes);
	place_records(b->groups.kinds.v, b->groups.kinds.nr, &b->groups.bytes);
	if (want && want->grouped && b->bytes.len + b->groups.bytes.len > TRIM_SIZE)
		columns_decoder_trim(d);
	if (!b->ret && !want && (b->records.nr != head->records || b->raw_size != head->raw_size))
		b->ret = -EBADMSG;
}

void data_block_free(struct data_block *b)
{
	vec_free(&b->records);
	vec_free(&b->rings);
	buf_free(&b->bytes);
	sample_groups_free(&b->groups);
}

/* The place in `to` of a ring; of a new one, a new place that says `from`. */
static u32 ring_place(struct data_rings *r, const struct columns_ring *ring)
{
	u32 at = hmap_get(&r->index, ring->number);
	u64 *to;

	if (at != ID_NONE)
		return at;
	to = vec_push(&r->to);
	if (!to)
		return ID_NONE;
	*to = ring->from;
	return hmap_set(&r->index, ring->number, r->to.nr - 1) ? r->to.nr - 1 : ID_NONE;
}

bool data_rings_take(struct data_rings *r, const struct data_block *b, struct data_rings_step *step)
{
	u32 i, at, read = 0, old = 0;

	*step = (struct data_rings_step){.ring = ID_NONE};
	for (i = 0; i < b->rings.nr; i++) {
		if (b->rings.v[i].from >= b->rings.v[i].to)
			continue;
		at = ring_place(r, &b->rings.v[i]);
		if (at == ID_NONE)
			return false;
		read++;
		old += b->rings.v[i].to <= r->to.v[at];
	}
	step->repeated = read && old == read;
	if (step->repeated)
		return true;
	for (i = 0; i < b->rings.nr; i++) {
		const struct columns_ring *ring = &b->rings.v[i];
		u64 *to;

		if (ring->from >= ring->to)
			continue;
		to = &r->to.v[hmap_get(&r->index, ring->number)];
		if (ring->from != *to)
			step->ring = ring->number;
		if (ring->from > *to)
			step->missing += ring->from - *to;
		else
			step->twice += MIN(*to, ring->to) - ring->from;
		*to = MAX(*to, ring->to);
	}
	return true;
}

void data_rings_free(struct data_rings *r)
{
	hmap_free(&r->index);
	vec_free(&r->to);
}
