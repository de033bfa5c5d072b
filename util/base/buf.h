/* SPDX-License-Identifier: GPL-2.0 */
/*
 * buf.h - a growing byte buffer for text and for binary blocks.
 *
 * A zero-initialised struct buf is empty and ready. Append freely and test `failed` once at the
 * end: after a failed allocation every further append does nothing. `data` is always
 * NUL-terminated one past `len` once anything was appended; buf_str() never returns NULL.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>
#include <string.h>

#include "util/base/types.h"

struct buf {
	char *data;
	size_t len, cap;
	bool failed; /* sticky: memory ran out */
};

/* buf_room() where there is none yet. */
char *buf_grow(struct buf *b, size_t more);

/* Make room for `more` bytes and return where they go, or NULL; `len` is not moved. */
static inline char *buf_room(struct buf *b, size_t more)
{
	return b->cap - b->len > more ? b->data + b->len : buf_grow(b, more);
}

/* So many bytes were written where buf_room() said. */
static inline void buf_wrote(struct buf *b, size_t len)
{
	b->len += len;
	b->data[b->len] = '\0';
}

static inline void buf_add(struct buf *b, const void *p, size_t len)
{
	char *d = buf_room(b, len);

	if (!d)
		return;
	if (len)
		memcpy(d, p, len);
	buf_wrote(b, len);
}

static inline void buf_adds(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

static inline void buf_addc(struct buf *b, char c)
{
	char *d = buf_room(b, 1);

	if (!d)
		return;
	*d = c;
	buf_wrote(b, 1);
}

void buf_addf(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void buf_vaddf(struct buf *b, const char *fmt, va_list ap) PRINTF_LIKE(2, 0);
void buf_pad(struct buf *b, char c, size_t n);

/* Numbers without printf, for the hot paths. `width` pads with blanks on the left. */
void buf_dec(struct buf *b, u64 v, unsigned int width);
void buf_sdec(struct buf *b, s64 v, unsigned int width);
void buf_dec0(struct buf *b, u64 v, unsigned int width); /* pads with zeros */
void buf_hex(struct buf *b, u64 v, unsigned int width);
void buf_hex0(struct buf *b, u64 v, unsigned int width); /* pads with zeros */
void buf_fixed2(struct buf *b, double v);                /* as "%.2f" */

/* Host-endian integers: records, and files of perf's. */
void buf_u8(struct buf *b, u8 v);
void buf_u16(struct buf *b, u16 v);
void buf_u32(struct buf *b, u32 v);
void buf_u64(struct buf *b, u64 v);
/* Little-endian ones, on every machine: what the data file adds to records. */
void buf_le16(struct buf *b, u16 v);
void buf_le32(struct buf *b, u32 v);
void buf_le64(struct buf *b, u64 v);
/* Little-endian u32 length, the bytes; no padding, no NUL. */
void buf_lstr(struct buf *b, const char *s, size_t len);

const char *buf_str(const struct buf *b);
/* Empty, with its memory. What failed stays failed: one test behind a loop tells of all that went through it. */
void buf_clear(struct buf *b);
/* As new, with its memory: for who has told of a failure and goes on. */
void buf_reset(struct buf *b);
void buf_free(struct buf *b);

#endif
