// SPDX-License-Identifier: GPL-2.0
#include "util/base/hash.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "util/base/vec.h"

u64 hash_bytes(const void *p, size_t len)
{
	return XXH3_64bits(p, len);
}

static struct hmap_slot *hmap_slot(const struct hmap *m, u64 key)
{
	u32 i = (u32)(hash_u64(key) >> 7) & m->mask;

	while (m->slots[i].used && m->slots[i].key != key)
		i = (i + 1) & m->mask;
	return &m->slots[i];
}

u32 hmap_get(const struct hmap *m, u64 key)
{
	struct hmap_slot *s;

	if (!m->slots)
		return ID_NONE;
	s = hmap_slot(m, key);
	return s->used ? s->val : ID_NONE;
}

static bool hmap_grow(struct hmap *m)
{
	u32 size = m->slots ? (m->mask + 1) * 2 : 64;
	struct hmap bigger = {.mask = size - 1};
	u32 i;

	if (!size)
		return false;
	bigger.slots = calloc(size, sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	bigger.nr = m->nr;
	if (m->slots) {
		for (i = 0; i <= m->mask; i++)
			if (m->slots[i].used)
				*hmap_slot(&bigger, m->slots[i].key) = m->slots[i];
	}
	free(m->slots);
	*m = bigger;
	return true;
}

bool hmap_set(struct hmap *m, u64 key, u32 val)
{
	struct hmap_slot *s;

	if ((!m->slots || (u64)m->nr * 4 >= ((u64)m->mask + 1) * 3) && !hmap_grow(m))
		return false;
	s = hmap_slot(m, key);
	if (!s->used)
		m->nr++;
	*s = (struct hmap_slot){.key = key, .val = val, .used = 1};
	return true;
}

void hmap_clear(struct hmap *m)
{
	if (m->slots)
		memset(m->slots, 0, ((size_t)m->mask + 1) * sizeof(*m->slots));
	m->nr = 0;
}

void hmap_free(struct hmap *m)
{
	free(m->slots);
	*m = (struct hmap){0};
}

/* The slot that holds the string, or the free one where it belongs. */
static u32 strtab_slot(const struct strtab *t, const void *s, size_t len, u32 hash)
{
	u32 i = hash & t->mask;

	for (; t->slots[i]; i = (i + 1) & t->mask) {
		const struct strtab_entry *e = &t->entries[t->slots[i] - 1];

		if (e->hash == hash && e->len == len && (!len || !memcmp(e->s, s, len)))
			break;
	}
	return i;
}

u32 strtab_find(const struct strtab *t, const void *s, size_t len)
{
	u32 slot;

	if (!t->slots)
		return ID_NONE;
	slot = t->slots[strtab_slot(t, s, len, (u32)hash_bytes(s, len))];
	return slot ? slot - 1 : ID_NONE;
}

static bool strtab_grow(struct strtab *t)
{
	u32 size = t->slots ? (t->mask + 1) * 2 : 64;
	u32 *slots;
	u32 i, at;

	if (!size)
		return false;
	slots = calloc(size, sizeof(*slots));
	if (!slots)
		return false;
	for (i = 0; i < t->nr; i++) {
		at = t->entries[i].hash & (size - 1);
		while (slots[at])
			at = (at + 1) & (size - 1);
		slots[at] = i + 1;
	}
	free(t->slots);
	t->slots = slots;
	t->mask = size - 1;
	return true;
}

u32 strtab_add(struct strtab *t, const void *s, size_t len)
{
	u32 hash = (u32)hash_bytes(s, len);
	struct strtab_entry e;
	u32 slot;

	if (len > UINT32_MAX)
		return ID_NONE;
	if ((!t->slots || (u64)t->nr * 4 >= ((u64)t->mask + 1) * 3) && !strtab_grow(t))
		return ID_NONE;
	slot = strtab_slot(t, s, len, hash);
	if (t->slots[slot])
		return t->slots[slot] - 1;
	e = (struct strtab_entry){
		.s = arena_strndup(&t->arena, s, len), .len = (u32)len, .hash = hash};
	if (!e.s || !vec_grow((void **)&t->entries, &t->cap, (u64)t->nr + 1, sizeof(e)))
		return ID_NONE;
	t->entries[t->nr] = e;
	t->slots[slot] = ++t->nr;
	return t->nr - 1;
}

void strtab_free(struct strtab *t)
{
	arena_free(&t->arena);
	free(t->entries);
	free(t->slots);
	*t = (struct strtab){0};
}
