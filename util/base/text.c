// SPDX-License-Identifier: GPL-2.0
#include "util/base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "util/base/hash.h"

unsigned int text_utf8_len(const char *text, size_t left)
{
	const u8 *s = (const u8 *)text;
	u8 c = s[0];
	unsigned int n, i;

	if (c < 0x80)
		return 1;
	if (c < 0xc2 || c > 0xf4)
		return 0;
	n = c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
	if (n > left)
		return 0;
	for (i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((c == 0xe0 && s[1] < 0xa0) || (c == 0xed && s[1] > 0x9f) ||
	    (c == 0xef && s[1] == 0xbf && s[2] > 0xbd) || (c == 0xf0 && s[1] < 0x90) ||
	    (c == 0xf4 && s[1] > 0x8f))
		return 0;
	if (c == 0xc2 && s[1] < 0xa0) /* C1 controls */
		return 0;
	return n;
}

size_t text_cut(const char *s, size_t len, size_t max)
{
	size_t i = MIN(len, max);

	if (len <= max)
		return len;
	/* the character that the cut is in begins at most three bytes before */
	while (i && max - i < 3 && ((u8)s[i] & 0xc0) == 0x80)
		i--;
	return i + text_utf8_len(s + i, len - i) > max ? i : max;
}

static bool plain_ascii(u8 c)
{
	return c >= 0x20 && c < 0x7f;
}

bool text_is_plain(const char *s, size_t len)
{
	size_t i, n;

	for (i = 0; i < len; i += n) {
		n = 1;
		if (plain_ascii((u8)s[i]))
			continue;
		n = (u8)s[i] < 0x80 ? 0 : text_utf8_len(s + i, len - i);
		if (!n)
			return false;
	}
	return true;
}

typedef void (*escape_one)(struct buf *b, const u8 *s, unsigned int n);

/* Walk the string: good characters to `good`, broken or control bytes to `bad`. */
static void walk(struct buf *b, const char *s, size_t len, escape_one good, escape_one bad)
{
	const u8 *p = (const u8 *)s;
	unsigned int n;
	size_t i;

	for (i = 0; i < len;) {
		n = plain_ascii(p[i]) ? 1 : p[i] < 0x80 ? 0 : text_utf8_len(s + i, len - i);
		(n ? good : bad)(b, p + i, n ? n : 1);
		i += n ? n : 1;
	}
}

static void put_as_is(struct buf *b, const u8 *s, unsigned int n)
{
	buf_add(b, s, n);
}

static void put_hex_escape(struct buf *b, const u8 *s, unsigned int n)
{
	(void)n;
	buf_addf(b, "\\x%02x", s[0]);
}

void text_escape(struct buf *b, const char *s, size_t len)
{
	if (text_is_plain(s, len))
		buf_add(b, s, len);
	else
		walk(b, s, len, put_as_is, put_hex_escape);
}

u32 text_intern(struct strtab *t, const char *name)
{
	size_t len = strlen(name);
	struct buf b = {0};
	u32 id;

	if (text_is_plain(name, len))
		return strtab_add(t, name, len);
	text_escape(&b, name, len);
	id = b.failed ? ID_NONE : strtab_add(t, b.data, b.len);
	buf_free(&b);
	return id;
}

static void put_xml(struct buf *b, const u8 *s, unsigned int n)
{
	switch (s[0]) {
	case '&':
		buf_adds(b, "&amp;");
		break;
	case '<':
		buf_adds(b, "&lt;");
		break;
	case '>':
		buf_adds(b, "&gt;");
		break;
	case '"':
		buf_adds(b, "&quot;");
		break;
	case '\'':
		buf_adds(b, "&#39;");
		break;
	default:
		buf_add(b, s, n);
	}
}

void text_ranges(struct buf *b, const u32 *v, u32 nr)
{
	u32 i, last;

	for (i = 0; i < nr; i = last + 1) {
		for (last = i; last + 1 < nr && v[last + 1] == v[last] + 1;)
			last++;
		buf_addf(b, "%s%u", i ? "," : "", v[i]);
		if (last > i)
			buf_addf(b, "-%u", v[last]);
	}
}

void text_xml(struct buf *b, const char *s, size_t len)
{
	walk(b, s, len, put_xml, put_hex_escape);
}

#define WORD_MAX 96

static void put_csv(struct buf *b, const u8 *s, unsigned int n)
{
	if (s[0] == '"')
		buf_addc(b, '"');
	buf_add(b, s, n);
}

void text_csv(struct buf *b, const char *s, size_t len)
{
	if (!memchr(s, ',', len) && !memchr(s, '"', len) &&
	    (!len || (s[0] != ' ' && s[len - 1] != ' '))) {
		text_escape(b, s, len);
		return;
	}
	buf_addc(b, '"');
	walk(b, s, len, put_csv, put_hex_escape);
	buf_addc(b, '"');
}

static void put_in_quotes(struct buf *b, const u8 *s, unsigned int n)
{
	buf_adds(b, s[0] == '\'' ? "'\\'" : "");
	buf_add(b, s, n);
}

static void put_behind_backslash(struct buf *b, const u8 *s, unsigned int n)
{
	buf_adds(b, s[0] == '\'' || s[0] == '\\' ? "\\" : "");
	buf_add(b, s, n);
}

static bool is_shell_word(const char *word)
{
	for (; (u8)*word >= 0x80 || isalnum((u8)*word) || (*word && strchr("_@%+=:,./-", *word));)
		word++;
	return !*word;
}

const char *text_shell(char out[static TEXT_SHELL_MAX], const char *word)
{
	const size_t len = strlen(word);
	const bool plain = text_is_plain(word, len);
	struct buf b = {0};
	bool fits;

	if (plain && len && is_shell_word(word))
		return word;
	buf_adds(&b, plain ? "'" : "$'");
	walk(&b, word, len, plain ? put_in_quotes : put_behind_backslash, put_hex_escape);
	buf_addc(&b, '\'');
	fits = !b.failed && b.len < TEXT_SHELL_MAX;
	if (fits)
		memcpy(out, buf_str(&b), b.len + 1);
	buf_free(&b);
	return fits ? out : word;
}

unsigned int text_distance(const char *a, const char *b, unsigned int limit)
{
	size_t la = strlen(a), lb = strlen(b);
	unsigned int row[3][WORD_MAX + 1];
	unsigned int best;
	size_t i, j;

	if (la > WORD_MAX || lb > WORD_MAX || (la > lb ? la - lb : lb - la) > limit)
		return limit + 1;
	for (j = 0; j <= lb; j++)
		row[0][j] = (unsigned int)j;
	for (i = 1; i <= la; i++) {
		unsigned int *now = row[i % 3], *up = row[(i + 2) % 3], *up2 = row[(i + 1) % 3];

		now[0] = best = (unsigned int)i;
		for (j = 1; j <= lb; j++) {
			int ca = tolower((u8)a[i - 1]), cb = tolower((u8)b[j - 1]);
			unsigned int d = up[j - 1] + (ca != cb);

			d = MIN(d, up[j] + 1);
			d = MIN(d, now[j - 1] + 1);
			if (i > 1 && j > 1 && ca == tolower((u8)b[j - 2]) &&
			    tolower((u8)a[i - 2]) == cb)
				d = MIN(d, up2[j - 2] + 1);
			now[j] = d;
			best = MIN(best, d);
		}
		if (best > limit)
			return limit + 1;
	}
	return MIN(row[la % 3][lb], limit + 1);
}

void text_shorten(struct buf *b, const char *name, size_t len, size_t columns)
{
	static const char dots[] = "...";
	const size_t tail = columns / 3, head = columns - tail;
	size_t from = len, at = len;

	if (text_width(name, len) <= columns) {
		buf_add(b, name, len);
		return;
	}
	buf_add(b, name, text_fit(name, len, head > 3 ? head - 3 : 0));
	buf_adds(b, dots);
	while (at-- && text_width(name + at, len - at) <= tail)
		if ((name[at] & 0xc0) != 0x80)
			from = at;
	buf_add(b, name + from, len - from);
}

void text_suggest_init(struct text_suggest *s, const char *word)
{
	size_t len = strlen(word);

	/* A third of the letters may be wrong: more is another word. */
	*s = (struct text_suggest){.word = word,
				   .distance = (unsigned int)MIN(len / 3, (size_t)4) + 1};
}

void text_suggest_add(struct text_suggest *s, const char *candidate)
{
	unsigned int d;

	if (s->distance == 0)
		return;
	d = text_distance(s->word, candidate, s->distance - 1);
	if (d < s->distance) {
		s->distance = d;
		s->best = candidate;
	}
}

void text_seconds(struct buf *b, u64 ns, unsigned int decimals)
{
	const u64 second = 1000000000;
	u64 unit = second;
	unsigned int i;

	for (i = 0; i < decimals; i++)
		unit /= 10;
	buf_dec(b, ns / second, 0);
	buf_addc(b, '.');
	buf_dec0(b, ns % second / unit, decimals);
}

void text_duration(struct buf *b, u64 ns)
{
	text_duration_finer(b, ns, 0);
}

void text_duration_finer(struct buf *b, u64 ns, unsigned int more)
{
	static const struct {
		u64 size;
		const char *name;
	} units[] = {{1000, "us"}, {1000000, "ms"}, {1000000000, "s"}};
	double v;
	size_t i = 0;

	if (ns < 1000) {
		buf_addf(b, ns ? "%llu ns" : "%llu", (unsigned long long)ns);
		return;
	}
	/* 999.6 us is 1.00 ms */
	while (i + 1 < ARRAY_SIZE(units) && (double)ns / (double)units[i].size >= 999.5)
		i++;
	v = (double)ns / (double)units[i].size;
	buf_addf(b, "%.*f %s", (v < 9.995 ? 2 : v < 99.95 ? 1 : 0) + (int)more, v, units[i].name);
}

const char *text_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

void text_bytes(char out[static TEXT_BYTES_MAX], u64 bytes)
{
	if (bytes < 10 * 1024)
		snprintf(out, TEXT_BYTES_MAX, "%llu bytes", (unsigned long long)bytes);
	else if (bytes < 10 * 1024 * 1024)
		snprintf(out, TEXT_BYTES_MAX, "%.1f KiB", (double)bytes / 1024);
	else
		snprintf(out, TEXT_BYTES_MAX, "%.1f MiB", (double)bytes / 1024 / 1024);
}
