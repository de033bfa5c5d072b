// SPDX-License-Identifier: GPL-2.0
#include "util/base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/text.h"

static void comma(struct buf *b)
{
	if (b->len && b->data[b->len - 1] != '{' && b->data[b->len - 1] != '[')
		buf_addc(b, ',');
}

void json_key(struct buf *b, const char *key)
{
	size_t len = strlen(key);
	char *d;

	comma(b);
	d = buf_room(b, len + 3);
	if (!d)
		return;
	d[0] = '"';
	memcpy(d + 1, key, len);
	memcpy(d + 1 + len, "\":", 3);
	b->len += len + 3;
}

void json_key_escaped(struct buf *b, const char *key, size_t len)
{
	comma(b);
	json_string(b, key, len);
	buf_addc(b, ':');
}

void json_item(struct buf *b)
{
	comma(b);
}

void json_open_item(struct buf *b, char bracket)
{
	comma(b);
	json_open(b, bracket);
}

/* Bytes that need no escape, from s on. */
static size_t plain_len(const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		u8 c = (u8)s[i];

		if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\')
			break;
	}
	return i;
}

void json_string(struct buf *b, const char *s, size_t len)
{
	size_t i = 0, n;
	u8 c;

	buf_addc(b, '"');
	for (;;) {
		n = plain_len(s + i, len - i);
		buf_add(b, s + i, n);
		i += n;
		if (i == len)
			break;
		c = (u8)s[i];
		n = c < 0x80 ? 1 : text_utf8_len(s + i, len - i);
		if (c == '"' || c == '\\') {
			buf_addc(b, '\\');
			buf_addc(b, (char)c);
		} else if (c < 0x80) {
			buf_addf(b, "\\u%04x", c);
		} else if (n) {
			buf_add(b, s + i, n);
		} else {
			buf_adds(b, "\xef\xbf\xbd");
		}
		i += n ? n : 1;
	}
	buf_addc(b, '"');
}

void json_name(struct buf *b, const char *s, size_t len)
{
	struct buf plain = {0};

	if (text_is_plain(s, len)) {
		json_string(b, s, len);
		return;
	}
	text_escape(&plain, s, len);
	json_string(b, buf_str(&plain), plain.len);
	b->failed |= plain.failed;
	buf_free(&plain);
}

void json_unsigned(struct buf *b, u64 v)
{
	buf_dec(b, v, 0);
}

void json_signed(struct buf *b, s64 v)
{
	buf_sdec(b, v, 0);
}

void json_address(struct buf *b, u64 v)
{
	buf_adds(b, "\"0x");
	buf_hex(b, v, 0);
	buf_addc(b, '"');
}

/* What printf made of a number; a locale's decimal separator may be several bytes. */
static void put_double(struct buf *b, const char *text)
{
	bool point = false;

	for (; *text; text++) {
		if (strchr("+-0123456789e", *text)) {
			buf_addc(b, *text);
		} else if (!point) {
			buf_addc(b, '.');
			point = true;
		}
	}
}

void json_double(struct buf *b, double v)
{
	char text[64];
	int digits;

	if (!isfinite(v)) {
		buf_adds(b, "null");
		return;
	}
	for (digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, v);
		/* the same locale reads what it wrote */
		if (strtod(text, NULL) == v)
			break;
	}
	put_double(b, text);
}

void json_rounded(struct buf *b, double v)
{
	json_double(b, rint(v * 100) / 100);
}

void json_fixed(struct buf *b, double v, unsigned int decimals)
{
	char text[384]; /* DBL_MAX has 309 digits before the point */

	if (!isfinite(v)) {
		buf_adds(b, "null");
		return;
	}
	snprintf(text, sizeof(text), "%.*f", (int)MIN(decimals, 17u), v);
	put_double(b, text);
}

void json_bool(struct buf *b, bool v)
{
	buf_adds(b, v ? "true" : "false");
}

void json_put_open(struct buf *b, const char *key, char bracket)
{
	json_key(b, key);
	json_open(b, bracket);
}

void json_put_string(struct buf *b, const char *key, const char *s)
{
	json_key(b, key);
	if (s)
		json_string(b, s, strlen(s));
	else
		buf_adds(b, "null");
}

void json_put_name(struct buf *b, const char *key, const char *s)
{
	json_key(b, key);
	json_name(b, s, strlen(s));
}

void json_put_buf(struct buf *b, const char *key, const struct buf *s)
{
	json_key(b, key);
	json_string(b, buf_str(s), s->len);
	b->failed |= s->failed;
}

void json_put_unsigned(struct buf *b, const char *key, u64 v)
{
	json_key(b, key);
	json_unsigned(b, v);
}

void json_put_signed(struct buf *b, const char *key, s64 v)
{
	json_key(b, key);
	json_signed(b, v);
}

void json_put_address(struct buf *b, const char *key, u64 v)
{
	json_key(b, key);
	json_address(b, v);
}

void json_put_double(struct buf *b, const char *key, double v)
{
	json_key(b, key);
	json_double(b, v);
}

void json_put_fixed(struct buf *b, const char *key, double v, unsigned int decimals)
{
	json_key(b, key);
	json_fixed(b, v, decimals);
}

void json_put_bool(struct buf *b, const char *key, bool v)
{
	json_key(b, key);
	json_bool(b, v);
}
