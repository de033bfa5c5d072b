// SPDX-License-Identifier: GPL-2.0
#include "util/draw/flamegraph_internal.h"

#include <string.h>

#include "util/base/text.h"

#define ELLIPSIS "\xe2\x80\xa6"

void flamegraph_sheet_put_hundredths(struct buf *b, u64 n)
{
	buf_dec(b, n / 100, 0);
	if (n % 100 == 0)
		return;
	buf_addc(b, '.');
	if (n % 10)
		buf_dec0(b, n % 100, 2);
	else
		buf_dec(b, n % 100 / 10, 0);
}

void flamegraph_sheet_put_count(struct buf *b, u64 n)
{
	u64 unit = 1;

	while (n / unit >= 1000)
		unit *= 1000;
	buf_dec(b, n / unit, 0);
	while (unit > 1) {
		unit /= 1000;
		buf_addc(b, ',');
		buf_dec0(b, n / unit % 1000, 3);
	}
}

void flamegraph_sheet_put_ns(struct buf *b, u64 ns)
{
	static const struct {
		u64 ns;
		const char *name;
	} units[] = {{1000000000, " s"}, {1000000, " ms"}, {1000, " us"}};
	u64 scale = 100, n;
	u32 i = 0;

	while (i < ARRAY_SIZE(units) && ns < units[i].ns)
		i++;
	if (i == ARRAY_SIZE(units)) {
		buf_dec(b, ns, 0);
		buf_adds(b, " ns");
		return;
	}
	/* three digits, or all before the point */
	while (scale > 1 && ns / units[i].ns >= 1000 / scale)
		scale /= 10;
	n = (u64)(((unsigned __int128)ns * scale + units[i].ns / 2) / units[i].ns);
	flamegraph_sheet_put_count(b, n / scale);
	if (scale > 1) {
		buf_addc(b, '.');
		buf_dec0(b, n % scale, scale == 100 ? 2 : 1);
	}
	buf_adds(b, units[i].name);
}

void flamegraph_sheet_put_quantity(const struct flamegraph_sheet *s, struct buf *b, u64 n)
{
	if (s->g->time)
		flamegraph_sheet_put_ns(b, n);
	else
		flamegraph_sheet_put_count(b, n);
}

void flamegraph_sheet_put_percent(struct buf *b, u32 share)
{
	buf_dec(b, share / 100, 0);
	buf_addc(b, '.');
	buf_dec0(b, share % 100, 2);
	buf_addc(b, '%');
}

void flamegraph_sheet_put_change(struct buf *b, s64 change)
{
	buf_addc(b, change < 0 ? '-' : '+');
	flamegraph_sheet_put_percent(b, (u32)(change < 0 ? -change : change));
}

void flamegraph_sheet_put_text(struct flamegraph_sheet *s, const char *text, size_t len)
{
	text_xml(s->out, text, len);
}

void flamegraph_sheet_put_amount(struct flamegraph_sheet *s, u64 n)
{
	flamegraph_sheet_put_quantity(s, s->out, n);
	if (s->g->time)
		return;
	buf_addc(s->out, ' ');
	if (s->g->unit)
		text_xml(s->out, s->g->unit, strlen(s->g->unit));
	else
		buf_adds(s->out, n == 1 ? "sample" : "samples");
}

/* Columns of the character that begins with this byte of good UTF-8; wide for all that may be. */
static unsigned int columns_of(u8 c)
{
	return (c & 0xc0) == 0x80 ? 0 : c >= 0xe1 ? 2 : 1;
}

/* The bytes of s[0..len) that fit `max` columns, by whole characters. */
static size_t fitting(const char *s, size_t len, u64 max)
{
	size_t i;
	u64 used = 0;

	for (i = 0; i < len; i++) {
		used += columns_of((u8)s[i]);
		if (used > max)
			break;
	}
	return i;
}

u64 flamegraph_sheet_columns(const char *text, size_t len)
{
	u64 n = 0;
	size_t i;

	for (i = 0; i < len; i++)
		n += columns_of((u8)text[i]);
	return n;
}

bool flamegraph_sheet_fits(struct flamegraph_sheet *s, const char *text, size_t len, u64 columns)
{
	const char *p;
	size_t fit;

	buf_clear(&s->text);
	text_escape(&s->text, text, len);
	s->out->failed |= s->text.failed;
	p = buf_str(&s->text);
	fit = fitting(p, s->text.len, columns);
	if (fit < s->text.len)
		fit = columns > 2 ? fitting(p, s->text.len, columns - 1) : 0;
	if (!fit)
		return false;
	text_xml(s->out, p, fit);
	if (fit < s->text.len)
		buf_adds(s->out, ELLIPSIS);
	return true;
}

u32 flamegraph_sheet_rows(const struct flamegraph_sheet *s)
{
	return s->layout.shown + (s->layout.shown < s->layout.rows);
}

u32 flamegraph_sheet_row(const struct flamegraph_sheet *s, u32 depth)
{
	u32 row = s->g->inverted ? depth : flamegraph_sheet_rows(s) - 1 - depth;

	return s->top + row * FLAMEGRAPH_SHEET_ROW;
}
