// SPDX-License-Identifier: GPL-2.0
#include "util/base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *buf_room(struct buf *b, size_t more)
{
	size_t cap;
	char *p;

	if (b->failed)
		return NULL;
	if (b->cap - b->len > more)
		return b->data + b->len;
	if (more > SIZE_MAX / 4 || b->len > SIZE_MAX / 4) {
		b->failed = true;
		return NULL;
	}
	cap = b->cap ? b->cap : 64;
	while (cap - b->len <= more)
		cap *= 2;
	p = realloc(b->data, cap);
	if (!p) {
		b->failed = true;
		return NULL;
	}
	b->data = p;
	b->cap = cap;
	return p + b->len;
}

void buf_add(struct buf *b, const void *p, size_t len)
{
	char *d = buf_room(b, len);

	if (!d)
		return;
	if (len)
		memcpy(d, p, len);
	b->len += len;
	b->data[b->len] = '\0';
}

void buf_addc(struct buf *b, char c)
{
	char *d = buf_room(b, 1);

	if (!d)
		return;
	d[0] = c;
	d[1] = '\0';
	b->len++;
}

void buf_adds(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_vaddf(struct buf *b, const char *fmt, va_list ap)
{
	va_list again;
	char *d;
	int n;

	d = buf_room(b, 128);
	if (!d)
		return;
	va_copy(again, ap);
	n = vsnprintf(d, b->cap - b->len, fmt, ap);
	if (n >= 0 && (size_t)n >= b->cap - b->len) {
		d = buf_room(b, (size_t)n);
		if (d)
			n = vsnprintf(d, b->cap - b->len, fmt, again);
	}
	va_end(again);
	if (d && n > 0)
		b->len += (size_t)n;
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(b, fmt, ap);
	va_end(ap);
}

void buf_pad(struct buf *b, char c, size_t n)
{
	char *d = buf_room(b, n);

	if (!d)
		return;
	memset(d, c, n);
	b->len += n;
	b->data[b->len] = '\0';
}

static void add_number(struct buf *b, const char *digits, unsigned int n, unsigned int width,
		       char fill)
{
	unsigned int pad = width > n ? width - n : 0;
	char *d = buf_room(b, n + pad);

	if (!d)
		return;
	memset(d, fill, pad);
	memcpy(d + pad, digits, n);
	b->len += n + pad;
	b->data[b->len] = '\0';
}

static unsigned int dec_digits(char out[static 20], u64 v)
{
	unsigned int n = 20;

	do {
		out[--n] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	return n;
}

void buf_dec(struct buf *b, u64 v, unsigned int width)
{
	char t[20];
	unsigned int at = dec_digits(t, v);

	add_number(b, t + at, 20 - at, width, ' ');
}

void buf_dec0(struct buf *b, u64 v, unsigned int width)
{
	char t[20];
	unsigned int at = dec_digits(t, v);

	add_number(b, t + at, 20 - at, width, '0');
}

void buf_sdec(struct buf *b, s64 v, unsigned int width)
{
	char t[21];
	unsigned int at;

	if (v >= 0) {
		buf_dec(b, (u64)v, width);
		return;
	}
	at = dec_digits(t + 1, 0 - (u64)v);
	t[at] = '-';
	add_number(b, t + at, 21 - at, width, ' ');
}

void buf_hex(struct buf *b, u64 v, unsigned int width)
{
	static const char digit[] = "0123456789abcdef";
	char t[16];
	unsigned int n = 16;

	do {
		t[--n] = digit[v & 15];
		v >>= 4;
	} while (v);
	add_number(b, t + n, 16 - n, width, ' ');
}

void buf_u8(struct buf *b, u8 v)
{
	buf_add(b, &v, sizeof(v));
}

void buf_u16(struct buf *b, u16 v)
{
	buf_add(b, &v, sizeof(v));
}

void buf_u32(struct buf *b, u32 v)
{
	buf_add(b, &v, sizeof(v));
}

void buf_u64(struct buf *b, u64 v)
{
	buf_add(b, &v, sizeof(v));
}

void buf_lstr(struct buf *b, const char *s, size_t len)
{
	buf_u32(b, (u32)len);
	buf_add(b, s, len);
}

const char *buf_str(const struct buf *b)
{
	return b->data && b->len ? b->data : "";
}

void buf_clear(struct buf *b)
{
	b->len = 0;
	b->failed = false;
	if (b->data)
		b->data[0] = '\0';
}

void buf_free(struct buf *b)
{
	free(b->data);
	*b = (struct buf){0};
}
