/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hash.h - hashing, a u64 -> u32 map, and an interner of byte strings.
 *
 * Both tables are open-addressed, grow by doubling and never remove an entry.
 * Zero-initialised structs are empty and ready.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "util/base/arena.h"
#include "util/base/types.h"

u64 hash_bytes(const void *p, size_t len); /* XXH3-64 */

static inline u64 hash_u64(u64 x)
{
	x ^= x >> 32;
	x *= 0x9e3779b97f4a7c15ull;
	return x ^ (x >> 29);
}

/* u64 key -> u32 value. */
struct hmap {
	struct hmap_slot *slots;
	u32 nr, mask; /* mask + 1 slots, 0 while empty */
};

struct hmap_slot {
	u64 key;
	u32 val;
	u32 used;
};

/* The value of `key`, or ID_NONE. */
u32 hmap_get(const struct hmap *m, u64 key);
/* Set `key`; false when memory is out. */
bool hmap_set(struct hmap *m, u64 key, u32 val);
void hmap_clear(struct hmap *m);
void hmap_free(struct hmap *m);

/* Byte strings <-> dense u32 ids, in order of first sight. Strings are NUL-terminated copies. */
struct strtab {
	struct arena arena;
	struct strtab_entry {
		const char *s;
		u32 len;
		u32 hash;
	} * entries;
	u32 nr, cap;
	u32 *slots; /* id + 1, 0 = free */
	u32 mask;
};

/* The id of the string, made if new; ID_NONE when memory is out. */
u32 strtab_add(struct strtab *t, const void *s, size_t len);
/* The id of the string, or ID_NONE if it was never added. */
u32 strtab_find(const struct strtab *t, const void *s, size_t len);
static inline const char *strtab_get(const struct strtab *t, u32 id)
{
	return id < t->nr ? t->entries[id].s : "";
}
void strtab_free(struct strtab *t);

#endif
