// SPDX-License-Identifier: GPL-2.0
#include "util/format/count_bars.h"

#include <string.h>

#include "util/base/json.h"
#include "util/base/text.h"

void count_bars_wide(__int128 v, struct buf *out)
{
	/* 10^18 takes 2^128 apart into three pieces of a u64 */
	const __int128 piece = 1000000000000000000ll;
	unsigned __int128 size = v < 0 ? -(unsigned __int128)v : (unsigned __int128)v;
	u64 low = (u64)(size % (unsigned __int128)piece);

	if (v < 0)
		buf_addc(out, '-');
	size /= (unsigned __int128)piece;
	if (!size) {
		buf_dec(out, low, 0);
		return;
	}
	if (size >= (unsigned __int128)piece) {
		buf_dec(out, (u64)(size / (unsigned __int128)piece), 0);
		buf_dec0(out, (u64)(size % (unsigned __int128)piece), 18);
	} else {
		buf_dec(out, (u64)size, 0);
	}
	buf_dec0(out, low, 18);
}

void count_bars_value(u64 v, bool is_signed, struct buf *out)
{
	if (is_signed)
		buf_sdec(out, (s64)v, 0);
	else
		buf_dec(out, v, 0);
}

static __int128 widened(u64 v, bool is_signed)
{
	return is_signed ? (__int128)(s64)v : (__int128)v;
}

/* How ends of buckets are written. */
struct ends {
	enum count_bars_unit unit;
	bool is_signed;
	unsigned int more; /* digits of times */
};

#define MORE_MAX 9

/* 4096 is written as 4K where it is a power of two. */
static void put_end(__int128 v, const struct ends *ends, struct buf *out)
{
	const enum count_bars_unit how = ends->unit;
	static const char units[] = " KMGTPE";
	u32 unit = 0;

	if (how == COUNT_BARS_TIME && v >= 0) {
		text_duration_finer(out, (u64)v, ends->more);
		return;
	}
	while (how == COUNT_BARS_BINARY && unit < strlen(units) - 1 && v && v % 1024 == 0) {
		v /= 1024;
		unit++;
	}
	count_bars_wide(v, out);
	if (unit)
		buf_addc(out, units[unit]);
}

/* "[2, 4)" of bucket i. */
static void count_bars_range(const struct count_buckets *b, u32 i, const struct ends *ends,
			     struct buf *out)
{
	__int128 from = widened(b->v[i].from, ends->is_signed);
	__int128 to = widened(b->v[i].to, ends->is_signed);
	bool below = b->below && !i, above = b->above && i + 1 == b->nr;
	bool mirrored = ends->unit == COUNT_BARS_BINARY && to < 0 && !below;

	if (from == to && !below && !above) {
		buf_addc(out, '[');
		put_end(from, ends, out);
		buf_addc(out, ']');
		return;
	}
	buf_addc(out, below || mirrored ? '(' : '[');
	if (below)
		buf_adds(out, "...");
	else
		put_end(mirrored ? from - 1 : from, ends, out);
	buf_adds(out, ", ");
	if (above)
		buf_adds(out, "...");
	else
		put_end(mirrored ? to : to + 1, ends, out);
	buf_addc(out, mirrored ? ']' : ')');
}

/* Are the ends of each bucket told apart? */
static bool are_distinct(const struct count_buckets *b, const struct ends *ends, struct buf *cell)
{
	size_t from;
	u32 i;

	for (i = 0; i < b->nr; i++) {
		if (b->v[i].from == b->v[i].to)
			continue;
		buf_clear(cell);
		put_end(widened(b->v[i].from, ends->is_signed), ends, cell);
		from = cell->len;
		put_end(widened(b->v[i].to, ends->is_signed) + 1, ends, cell);
		if (cell->len == 2 * from && !memcmp(cell->data, cell->data + from, from))
			return false;
	}
	return true;
}

static size_t range_width(const struct count_buckets *b, const struct ends *ends, struct buf *cell)
{
	size_t width = 0;
	u32 i;

	for (i = 0; i < b->nr; i++) {
		buf_clear(cell);
		count_bars_range(b, i, ends, cell);
		width = MAX(width, cell->len);
	}
	return width;
}

static u64 most_of(const struct count_buckets *b)
{
	u64 most = 1;
	u32 i;

	for (i = 0; i < b->nr; i++)
		most = MAX(most, b->v[i].nr);
	return most;
}

static unsigned int digits_of(u64 v)
{
	unsigned int n = 1;

	for (; v >= 10; v /= 10)
		n++;
	return n;
}

void count_bars_put(const struct count_buckets *b, bool is_signed, enum count_bars_unit unit,
		    const char *indent, struct buf *out)
{
	struct ends ends = {.unit = unit, .is_signed = is_signed};
	struct buf cell = {0};
	u64 most = most_of(b);
	size_t width, bar;
	u32 i;

	while (unit == COUNT_BARS_TIME && ends.more < MORE_MAX && !are_distinct(b, &ends, &cell))
		ends.more++;
	width = range_width(b, &ends, &cell);
	for (i = 0; i < b->nr; i++) {
		buf_clear(&cell);
		count_bars_range(b, i, &ends, &cell);
		buf_adds(out, indent);
		buf_pad(out, ' ', width - MIN(width, cell.len));
		buf_add(out, buf_str(&cell), cell.len);
		buf_addc(out, ' ');
		buf_dec(out, b->v[i].nr, digits_of(most));
		buf_adds(out, " |");
		bar = (size_t)((unsigned __int128)b->v[i].nr * COUNT_BARS_WIDTH / most);
		/* something is never nothing */
		if (b->v[i].nr && !bar)
			bar = 1;
		buf_pad(out, '@', bar);
		buf_pad(out, ' ', COUNT_BARS_WIDTH - bar);
		buf_adds(out, "|\n");
	}
	out->failed |= cell.failed;
	buf_free(&cell);
}

void count_bars_json(const struct count_buckets *b, bool is_signed,
		     const struct count_bars_names *names, struct buf *out)
{
	u32 i;

	json_put_open(out, "histogram", '[');
	for (i = 0; i < b->nr; i++) {
		json_open_item(out, '{');
		if (i || !b->below) {
			json_key(out, names->from);
			count_bars_value(b->v[i].from, is_signed, out);
		}
		if (i + 1 < b->nr || !b->above) {
			json_key(out, names->to);
			count_bars_value(b->v[i].to, is_signed, out);
		}
		json_put_unsigned(out, names->count, b->v[i].nr);
		buf_addc(out, '}');
	}
	buf_addc(out, ']');
}
