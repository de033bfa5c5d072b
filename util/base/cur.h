/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cur.h - the bounded cursor: the only way to read foreign bytes.
 *
 * Files, rings, ELF images and kernel text are read through it. A read past the end returns 0 (or
 * NULL), moves nothing and sets `bad`, which stays set: read straight through, test once.
 * Integers are host-endian unless `swap` is set, which reverses their bytes.
 */
#ifndef BASE_CUR_H
#define BASE_CUR_H

#include <string.h>

#include "util/base/types.h"

struct cur {
	const u8 *p, *end;
	bool bad;
	bool swap;
};

static inline struct cur cur_init(const void *p, size_t len)
{
	/* there may be no bytes at all, and NULL has nothing behind it */
	const u8 *from = p ? p : (const u8 *)"";

	return (struct cur){.p = from, .end = from + len};
}

/* One whose integers are little-endian on every machine, as buf_le32() and its like write them. */
static inline struct cur cur_init_le(const void *p, size_t len)
{
	struct cur c = cur_init(p, len);

	c.swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	return c;
}

static inline size_t cur_left(const struct cur *c)
{
	return (size_t)(c->end - c->p);
}

/* `len` bytes in place, or NULL. */
static inline const void *cur_bytes(struct cur *c, size_t len)
{
	const u8 *p = c->p;

	if (c->bad || len > cur_left(c)) {
		c->bad = true;
		return NULL;
	}
	c->p += len;
	return p;
}

static inline bool cur_skip(struct cur *c, size_t len)
{
	return cur_bytes(c, len) != NULL;
}

static inline bool cur_copy(struct cur *c, void *to, size_t len)
{
	const void *p = cur_bytes(c, len);

	if (!p) {
		memset(to, 0, len);
		return false;
	}
	memcpy(to, p, len);
	return true;
}

static inline u8 cur_u8(struct cur *c)
{
	u8 v;

	cur_copy(c, &v, sizeof(v));
	return v;
}

static inline u16 cur_u16(struct cur *c)
{
	u16 v;

	cur_copy(c, &v, sizeof(v));
	return c->swap ? __builtin_bswap16(v) : v;
}

static inline u32 cur_u32(struct cur *c)
{
	u32 v;

	cur_copy(c, &v, sizeof(v));
	return c->swap ? __builtin_bswap32(v) : v;
}

static inline u64 cur_u64(struct cur *c)
{
	u64 v;

	cur_copy(c, &v, sizeof(v));
	return c->swap ? __builtin_bswap64(v) : v;
}

/* A cursor over the next `len` bytes, which are passed over here. */
static inline struct cur cur_sub(struct cur *c, size_t len)
{
	struct cur s = {.swap = c->swap, .bad = true};
	const void *p = cur_bytes(c, len);

	if (p) {
		s = cur_init(p, len);
		s.swap = c->swap;
	}
	return s;
}

/* A NUL-terminated string in place; its length (without NUL) in *len if not NULL. */
const char *cur_str(struct cur *c, size_t *len);
/* A u32 length in the cursor's order and that many bytes. Not NUL-terminated. */
const char *cur_lstr(struct cur *c, size_t *len);
/* One line without its '\n'; false at the end of the text. */
bool cur_line(struct cur *c, const char **line, size_t *len);

/*
 * LEB128, the integers of DWARF that take as many bytes as they need (DWARF 5, section 7.6). What does not fit into 64 bits
 * is cut; an integer that never ends sets `bad`.
 */
static inline u64 cur_uleb(struct cur *c)
{
	u64 v = 0;
	unsigned int shift = 0;
	u8 byte;

	do {
		byte = cur_u8(c);
		if (shift < 64)
			v |= (u64)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return c->bad ? 0 : v;
}

static inline s64 cur_sleb(struct cur *c)
{
	u64 v = 0;
	unsigned int shift = 0;
	u8 byte;

	do {
		byte = cur_u8(c);
		if (shift < 64)
			v |= (u64)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (shift < 64 && byte & 0x40)
		v |= ~0ull << shift;
	return c->bad ? 0 : (s64)v;
}

#endif
