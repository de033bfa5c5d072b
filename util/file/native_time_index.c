// SPDX-License-Identifier: GPL-2.0
#include "util/file/native_internal.h"

/* How many to look at at once: several rounds of a recorder. Blocks other than DATA are in between. */
#define BLOCKS  64u
#define HEADERS 256u
/* Blocks that must be known after one before its order can be set as late as possible. */
#define ENOUGH 16u

static bool add(struct native_time_index *o, const struct blocks_item *it)
{
	struct native_time_index_block *b = vec_push(&o->blocks);

	if (b)
		*b = (struct native_time_index_block){it->at, it->head.time_min, it->head.order};
	return b;
}

/* From a block on. False: memory is out. */
static bool look(struct native_time_index *o, const struct blocks *of, const struct blocks_item *it)
{
	struct blocks b = blocks_fork(of, it->at + it->bytes);
	struct blocks_item next;
	u32 i;

	o->blocks.nr = o->pos = 0;
	if (!add(o, it))
		return false;
	for (i = 0; i < HEADERS && o->blocks.nr < BLOCKS; i++) {
		o->at_end = !blocks_hop(&b, &next);
		o->whole = !o->at_end && next.head.type == BLOCK_END;
		if (o->at_end || o->whole)
			break;
		if (next.head.type == BLOCK_DATA && !add(o, &next))
			return false;
	}
	return true;
}

/* What the blocks behind each of them say of its order. */
static void settle(struct native_time_index *o)
{
	u64 oldest = o->whole ? UINT64_MAX : o->blocks.v[o->blocks.nr - 1].order;
	struct native_time_index_block *b;
	u32 i;

	for (i = o->blocks.nr; i-- > 0;) {
		b = &o->blocks.v[i];
		b->order = MAX(b->order, oldest);
		/* a block whose records have no time does not hold up those that have */
		if (b->time_min)
			oldest = MIN(oldest, b->time_min);
	}
}

u64 native_time_index_get(struct native_time_index *o, const struct blocks *of,
			  const struct blocks_item *it)
{
	if (!of->in.seekable)
		return it->head.order;
	while (o->pos < o->blocks.nr && o->blocks.v[o->pos].at < it->at)
		o->pos++;
	if (o->pos == o->blocks.nr || o->blocks.v[o->pos].at != it->at ||
	    (!o->at_end && !o->whole && o->blocks.nr - o->pos < ENOUGH)) {
		if (!look(o, of, it))
			return it->head.order;
		settle(o);
	}
	return o->blocks.v[o->pos].order;
}

void native_time_index_free(struct native_time_index *o)
{
	vec_free(&o->blocks);
}
