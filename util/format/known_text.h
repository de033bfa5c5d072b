/* SPDX-License-Identifier: GPL-2.0 */
/*
 * known_text.h - text that was made before, by number: a cache of bounded size.
 *
 *	text = known_text_find(c, key, &len)
 *	if (!text) { make it; known_text_keep(c, key, made, len); }
 *
 * Text is kept when it is made for the second time: what comes once costs nothing. Zero-initialised,
 * a cache is empty and ready.
 */
#ifndef FORMAT_KNOWN_TEXT_H
#define FORMAT_KNOWN_TEXT_H

#include "util/base/buf.h"

#define KNOWN_TEXT_SLOTS (1u << 15)

struct known_text_slot {
	u64 key;
	u32 at;
	u32 len; /* 0: was made once, is not kept */
};

struct known_text {
	struct known_text_slot *slots;
	struct buf text;
};

static inline u32 known_text_slot(u64 key)
{
	return (u32)(key ^ key >> 20) % KNOWN_TEXT_SLOTS;
}

/* NULL: it is not kept. Key 0 never is. Valid until the next known_text_keep(). */
static inline const char *known_text_find(const struct known_text *c, u64 key, u32 *len)
{
	const struct known_text_slot *s;

	if (!c->slots)
		return NULL;
	s = &c->slots[known_text_slot(key)];
	*len = s->len;
	return s->key == key && s->len ? c->text.data + s->at : NULL;
}

void known_text_keep(struct known_text *c, u64 key, const char *text, size_t len);
void known_text_free(struct known_text *c);

#endif
