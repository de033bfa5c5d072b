// SPDX-License-Identifier: GPL-2.0
#include "util/format/text_cache.h"

#include <stdlib.h>

/* All is forgotten when there is more text than this. */
#define TEXT_MAX (4u << 20)

/* What was made once is known to have been. */
static void forget_all(struct text_cache *c)
{
	u32 i;

	buf_reset(&c->text);
	for (i = 0; i < KNOWN_TEXT_SLOTS; i++)
		c->slots[i].len = 0;
}

void text_cache_keep(struct text_cache *c, u64 key, const char *text, size_t len)
{
	struct text_cache_slot *s;

	if (!c->slots)
		c->slots = calloc(KNOWN_TEXT_SLOTS, sizeof(*c->slots));
	if (!c->slots || !key || len > TEXT_MAX / 16)
		return;
	if (c->text.len + len > TEXT_MAX)
		forget_all(c);
	s = &c->slots[text_cache_slot(key)];
	if (s->key != key) {
		*s = (struct text_cache_slot){.key = key};
		return;
	}
	s->at = (u32)c->text.len;
	buf_add(&c->text, text, len);
	if (c->text.failed)
		forget_all(c);
	else
		s->len = (u32)len;
}

void text_cache_free(struct text_cache *c)
{
	free(c->slots);
	c->slots = NULL;
	buf_free(&c->text);
}
