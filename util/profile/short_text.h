/* SPDX-License-Identifier: GPL-2.0 */
/*
 * short_text.h - short pieces of text that many lines have: a cache of fixed size.
 *
 * A piece is known by two numbers, which together must say all that it is made of. Zero-initialised,
 * a cache is empty and ready; it owns nothing.
 */
#ifndef PROFILE_SHORT_TEXT_H
#define PROFILE_SHORT_TEXT_H

#include "util/base/buf.h"
#include "util/base/hash.h"

#define SHORT_TEXT_SLOTS 256
#define SHORT_TEXT_MOST  32 /* most pieces are no longer */

struct short_text {
	u64 a, b;
	u8 len; /* 0: free */
	char text[103];
};

struct short_texts {
	struct short_text slots[SHORT_TEXT_SLOTS];
};

static inline u32 short_text_slot(u64 a, u64 b)
{
	return (u32)(hash_u64(a + b * 3) >> 20) % SHORT_TEXT_SLOTS;
}

/* False: it is not there. */
static inline bool short_text_put(const struct short_texts *c, u64 a, u64 b, struct buf *out)
{
	const struct short_text *s = &c->slots[short_text_slot(a, b)];
	char *d;

	if (!s->len || s->a != a || s->b != b)
		return false;
	d = buf_room(out, sizeof(s->text));
	if (!d)
		return true;
	/* copies of fixed size, what is behind the piece with it: lengths are hard to predict */
	memcpy(d, s->text, SHORT_TEXT_MOST);
	if (s->len > SHORT_TEXT_MOST)
		memcpy(d, s->text, sizeof(s->text));
	buf_wrote(out, s->len);
	return true;
}

/* What is too long is not kept. */
static inline void short_text_keep(struct short_texts *c, u64 a, u64 b, const char *text,
				   size_t len)
{
	struct short_text *s = &c->slots[short_text_slot(a, b)];

	if (len > sizeof(s->text))
		return;
	s->a = a;
	s->b = b;
	s->len = (u8)len;
	if (len)
		memcpy(s->text, text, len);
}

#endif
