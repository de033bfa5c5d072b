/* SPDX-License-Identifier: GPL-2.0 */
/*
 * columns_table.h - a hash table of u64 key -> u32 value for the dictionaries of a block, made to
 * be emptied often: that costs nothing.
 *
 * It may hold a key more than once: the caller checks by the value whether an entry is the one that
 * it looks for. Probing stops after a few steps, so that keys made to collide cost little: users of
 * this table take an entry that is not found, or finds no place, for a new one.
 */
#ifndef FILE_COLUMNS_TABLE_H
#define FILE_COLUMNS_TABLE_H

#include <stdlib.h>
#include <string.h>

#include "util/base/hash.h"
#include "util/base/memory.h"

#define COLUMNS_TABLE_STEPS 48

struct columns_slot {
	u64 key;
	u32 time; /* it is in use if this is the table's */
	u32 value;
};

struct columns_table {
	struct columns_slot *slots;
	u32 mask, nr, time;
};

static inline void columns_table_clear(struct columns_table *t)
{
	t->nr = 0;
	if (++t->time)
		return;
	/* the clock has gone round: what it left may look new */
	if (t->slots)
		memset(t->slots, 0, ((size_t)t->mask + 1) * sizeof(*t->slots));
	t->time = 1;
}

static inline void columns_table_free(struct columns_table *t)
{
	free(t->slots);
	*t = (struct columns_table){0};
}

static inline u32 columns_table_at(const struct columns_table *t, u64 key)
{
	return (u32)(hash_u64(key) >> 3) & t->mask;
}

static inline bool columns_table_grow(struct columns_table *t)
{
	struct columns_table to = {.mask = t->slots ? t->mask * 2 + 1 : 1023, .time = 1};
	u32 i, at, step;
	size_t size;

	if (to.mask >= 1u << 27)
		return false;
	size = ((size_t)to.mask + 1) * sizeof(*to.slots);
	to.slots = memory_alloc_huge(size);
	if (!to.slots)
		return false;
	memset(to.slots, 0, size);
	for (i = 0; t->slots && i <= t->mask; i++) {
		if (t->slots[i].time != t->time)
			continue;
		at = columns_table_at(&to, t->slots[i].key);
		for (step = 0; step < COLUMNS_TABLE_STEPS && to.slots[at].time; step++)
			at = (at + 1) & to.mask;
		if (to.slots[at].time)
			continue;
		to.slots[at] = t->slots[i];
		to.slots[at].time = 1;
		to.nr++;
	}
	free(t->slots);
	*t = to;
	return true;
}

/* Room for one more entry; false when memory is out. To be called before a look that may add. */
static inline bool columns_table_ready(struct columns_table *t)
{
	return t->nr < t->mask / 2 || columns_table_grow(t);
}

/*
 * The next slot where `key` may be, from *at on: one that holds it, a free one (time is not the
 * table's), or NULL after too many steps. *step counts them; begin with *at = columns_table_at().
 */
static inline struct columns_slot *columns_table_next(const struct columns_table *t, u64 key,
						      u32 *at, u32 *step)
{
	struct columns_slot *s;

	while ((*step)++ < COLUMNS_TABLE_STEPS) {
		s = &t->slots[*at];
		*at = (*at + 1) & t->mask;
		if (s->time != t->time || s->key == key)
			return s;
	}
	return NULL;
}

static inline void columns_table_put(struct columns_table *t, struct columns_slot *s, u64 key,
				     u32 value)
{
	*s = (struct columns_slot){key, t->time, value};
	t->nr++;
}

/* The value of a key that is there at most once, ID_NONE if it is not; *slot is its place. */
static inline u32 columns_table_find(const struct columns_table *t, u64 key,
				     struct columns_slot **slot)
{
	u32 at = columns_table_at(t, key), step = 0;

	*slot = columns_table_next(t, key, &at, &step);
	return *slot && (*slot)->time == t->time ? (*slot)->value : ID_NONE;
}

#endif
