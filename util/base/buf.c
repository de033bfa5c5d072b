// SPDX-License-Identifier: GPL-2.0
#include "util/base/buf.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *buf_grow(struct buf *b, size_t more)
{
	size_t cap;
	char *p = NULL;

	if (b->failed)
		return NULL;
	if (b->cap - b->len > more)
		return b->data + b->len;
	cap = b->cap ? b->cap : 64;
	if (more <= SIZE_MAX / 4 && b->len <= SIZE_MAX / 4) {
		while (cap - b->len <= more)
			cap *= 2;
		p = realloc(b->data, cap);
	}
	if (!p) {
		b->failed = true;
		b->cap = b->len; /* no room for anything that follows */
		return NULL;
	}
	b->data = p;
	b->cap = cap;
	return p + b->len;
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
	buf_wrote(b, n);
}

static unsigned int decimal_digits(u64 v)
{
	static const u64 powers[] = {
		0,
		10ull,
		100ull,
		1000ull,
		10000ull,
		100000ull,
		1000000ull,
		10000000ull,
		100000000ull,
		1000000000ull,
		10000000000ull,
		100000000000ull,
		1000000000000ull,
		10000000000000ull,
		100000000000000ull,
		1000000000000000ull,
		10000000000000000ull,
		100000000000000000ull,
		1000000000000000000ull,
		10000000000000000000ull,
	};
	/* bits * log10(2), which is one too low above the next power of ten */
	unsigned int n = (64 - (unsigned int)__builtin_clzll(v | 1)) * 1233 >> 12;

	return n + (v >= powers[n]);
}

/* Two digits at a time, from the last one back. */
static void put_decimal(char *end, u64 v)
{
	static const char pairs[] = "00010203040506070809101112131415161718192021222324"
				    "25262728293031323334353637383940414243444546474849"
				    "50515253545556575859606162636465666768697071727374"
				    "75767778798081828384858687888990919293949596979899";

	for (; v >= 100; v /= 100)
		memcpy(end -= 2, pairs + v % 100 * 2, 2);
	if (v >= 10)
		memcpy(end - 2, pairs + v * 2, 2);
	else
		end[-1] = (char)('0' + v);
}

static void add_decimal(struct buf *b, u64 v, bool minus, unsigned int width, char fill)
{
	unsigned int n = decimal_digits(v) + minus, pad = width > n ? width - n : 0;
	char *d = buf_room(b, n + pad);

	if (!d)
		return;
	if (pad)
		memset(d, fill, pad);
	d[pad] = '-';
	put_decimal(d + pad + n, v);
	buf_wrote(b, n + pad);
}

void buf_dec(struct buf *b, u64 v, unsigned int width)
{
	add_decimal(b, v, false, width, ' ');
}

void buf_dec0(struct buf *b, u64 v, unsigned int width)
{
	add_decimal(b, v, false, width, '0');
}

void buf_sdec(struct buf *b, s64 v, unsigned int width)
{
	add_decimal(b, v < 0 ? 0 - (u64)v : (u64)v, v < 0, width, ' ');
}

/* The eight digits of a number, as they are in memory. */
static u64 hex_digits(u32 v)
{
	u64 x = v, letters;

	/* a nibble for each byte, the last one lowest */
	x = (x | x << 16) & 0x0000ffff0000ffffull;
	x = (x | x << 8) & 0x00ff00ff00ff00ffull;
	x = (x | x << 4) & 0x0f0f0f0f0f0f0f0full;
	letters = ((x + 0x0606060606060606ull) >> 4) & 0x0101010101010101ull;
	x += 0x3030303030303030ull + letters * ('a' - '0' - 10);
	return htobe64(x);
}

static void add_hex(struct buf *b, u64 v, unsigned int width, char fill)
{
	unsigned int n = (67 - (unsigned int)__builtin_clzll(v | 1)) / 4;
	unsigned int pad = width > n ? width - n : 0;
	char *d = buf_room(b, pad + 16);
	u64 digits[2];

	if (!d)
		return;
	if (pad)
		memset(d, fill, pad);
	v <<= 4 * (16 - n);
	digits[0] = hex_digits((u32)(v >> 32));
	digits[1] = hex_digits((u32)v);
	memcpy(d + pad, digits, sizeof(digits)); /* those behind the n-th are passed over */
	buf_wrote(b, n + pad);
}

void buf_hex(struct buf *b, u64 v, unsigned int width)
{
	add_hex(b, v, width, ' ');
}

void buf_hex0(struct buf *b, u64 v, unsigned int width)
{
	add_hex(b, v, width, '0');
}

void buf_fixed2(struct buf *b, double v)
{
	double hundredths = v * 100, part;
	u64 n;

	if (!__builtin_signbit(v) && hundredths < 1e9) {
		n = (u64)hundredths;
		part = hundredths - (double)n;
		/* what is nearly half way is for those who know all its digits */
		if (part < 0.499 || part > 0.501) {
			n += part > 0.5;
			buf_dec(b, n / 100, 0);
			buf_addc(b, '.');
			buf_dec0(b, n % 100, 2);
			return;
		}
	}
	buf_addf(b, "%.2f", v);
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

void buf_le16(struct buf *b, u16 v)
{
	buf_u16(b, htole16(v));
}

void buf_le32(struct buf *b, u32 v)
{
	buf_u32(b, htole32(v));
}

void buf_le64(struct buf *b, u64 v)
{
	buf_u64(b, htole64(v));
}

void buf_lstr(struct buf *b, const char *s, size_t len)
{
	buf_le32(b, (u32)len);
	buf_add(b, s, len);
}

const char *buf_str(const struct buf *b)
{
	return b->data && b->len ? b->data : "";
}

void buf_clear(struct buf *b)
{
	b->len = 0;
	if (b->failed)
		b->cap = 0;
	if (b->data)
		b->data[0] = '\0';
}

void buf_reset(struct buf *b)
{
	buf_clear(b);
	b->failed = false;
}

void buf_free(struct buf *b)
{
	free(b->data);
	*b = (struct buf){0};
}
