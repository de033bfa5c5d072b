/* SPDX-License-Identifier: GPL-2.0 */
/*
 * text_cache.h - text that was made before, by number: a cache of bounded size.
 *
 *	text = text_cache_find(c, key, &len)
 *	if (!text) { make it; text_cache_keep(c, key, made, len); }
 *
 * Text is kept when it is made for the second time: what comes once costs nothing. Zero-initialised,
 * a cache is empty and ready.
 */
#ifndef FORMAT_TEXT_CACHE_H
#define FORMAT_TEXT_CACHE_H

#include "util/base/buf.h"

#define KNOWN_TEXT_SLOTS (1u << 15)

struct text_cache_slot {
	u64 key;
	u32 at;
	u32 len; /* 0: was made once, is not kept */
};

struct text_cache {
	struct text_cache_slot *slots;
	struct buf text;
};

static inline u32 text_cache_slot(u64 key)
{
	return (u32)(key ^ key >> 20) % KNOWN_TEXT_SLOTS;
}

/* NULL: it is not kept. Key 0 never is. Valid until the next text_cache_keep(). */
static inline const char *text_cache_find(const struct text_cache *c, u64 key, u32 *len)
{
	const struct text_cache_slot *s;

	if (!c->slots)
		return NULL;
	s = &c->slots[text_cache_slot(key)];
	*len = s->len;
	return s->key == key && s->len ? c->text.data + s->at : NULL;
}

void text_cache_keep(struct text_cache *c, u64 key, const char *text, size_t len);
void text_cache_free(struct text_cache *c);

#endif
