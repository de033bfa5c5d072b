// SPDX-License-Identifier: GPL-2.0
#include "util/draw/heat_map.h"

#include <errno.h>
#include <string.h>

#include "util/base/text.h"
#include "util/draw/flamegraph.h"
#include "util/draw/include_text.h"
#include "util/draw/map_page.h"

/* NUL-terminated, and free of "]]>", "</" and "<!--". */
extern const char heat_map_css[];
INCLUDE_TEXT("heat_map_css", "util/draw/heat_map.css");

/* px, all of these; heat_map.css has LEFT, too */
#define WIDTH   1000
#define NARROW  320 /* it is at least as wide */
#define MARGIN  12
#define LEFT    76
#define LINE    18
#define TITLE_Y 28
#define HEIGHT  320 /* of the plot, about */
#define ROW_MIN 8
#define ROW_MAX 20
#define TICKS   74 /* at least so far apart */
#define SWATCH  40
#define MOST    3

#define BANDS_MIN 8
#define LEVELS    (MAP_PAGE_LEVELS - 1) /* the faintest is too faint for a single one */

/*
 * A wide window and a narrow one, between which the style sheet decides. The plot is drawn once, for the wide one, and
 * is scaled in the narrow one; texts are written for both.
 */
static const struct window {
	const char *class;
	u32 width;       /* the least, px */
	u32 plot;        /* percent of it */
	u32 title, note; /* letters of a line, of a font as wide as DejaVu Sans */
} windows[] = {{"wide", 640, 84, 58, 94}, {"narrow", NARROW, 70, 36, 44}};

struct heat_sheet {
	const struct heat_map *m;
	struct buf *out;
	u32 low, nr_bands; /* the lowest band that is drawn */
	u32 row;           /* the height of a band */
	u32 y;             /* the top of the plot */
	u32 bits;          /* of the amount, for each step of colour */
	u32 nr_levels;
	u64 most; /* the largest amount */
};

/* --- bands --- */

/* Half-way from 2^k to 2^(k+1): 2^k times the square root of 2, rounded up. */
static u64 half_of(u32 k)
{
	return (0xb504f333f9de6484ull >> (63 - k)) + 1;
}

u32 heat_map_band(u64 ns)
{
	u32 k = ns ? 63 - (u32)__builtin_clzll(ns) : 0;

	return 2 * k + (ns >= half_of(k));
}

/* The least duration of a band. */
static u64 begin_of(u32 band)
{
	if (band >= HEAT_MAP_BANDS)
		return UINT64_MAX;
	return !band ? 0 : band % 2 ? half_of(band / 2) : 1ull << band / 2;
}

/* The logarithm of base 2, in 1/65536. */
static u64 log2_of(u64 v)
{
	const u32 k = 63 - (u32)__builtin_clzll(v);
	u64 x = k < 31 ? v << (31 - k) : v >> (k - 31), log = k;
	u32 i;

	for (i = 0; i < 16; i++) {
		x = x * x >> 31;
		log = log * 2 + (x >> 32);
		x >>= x >> 32;
	}
	return log;
}

static u32 y_of_band(const struct heat_sheet *s, u32 band)
{
	return (s->low + s->nr_bands - 1 - band) * s->row;
}

/* --- colours --- */

static u32 bits_of(u64 n)
{
	return 64 - (u32)__builtin_clzll(n);
}

static u32 level_of(const struct heat_sheet *s, u64 n)
{
	return (bits_of(n) - 1) / s->bits;
}

/* Few steps are as far apart as they can be. */
static u32 colour_of(const struct heat_sheet *s, u32 level)
{
	return s->nr_levels < 2 ? MAP_PAGE_LEVELS / 2
				: 2 + level * (LEVELS - 1) / (s->nr_levels - 1);
}

static void measure(struct heat_sheet *s)
{
	const struct heat_map *m = s->m;
	u32 low = HEAT_MAP_BANDS, high = 0, r, c;

	for (r = 0; r < m->nr_rows; r++) {
		low = MIN(low, m->rows[r].band);
		high = MAX(high, m->rows[r].band);
		for (c = 0; c < m->nr_columns; c++)
			s->most = MAX(s->most, m->rows[r].amounts[c]);
	}
	if (!s->most)
		return;
	/* room above the slowest, and enough for marks of durations */
	high = MIN(high + 1, HEAT_MAP_BANDS - 1u);
	s->low = low ? low - 1 : 0;
	if (high - s->low + 1 < BANDS_MIN)
		high = MIN(s->low + BANDS_MIN - 1, HEAT_MAP_BANDS - 1u);
	if (high - s->low + 1 < BANDS_MIN)
		s->low = high + 1 - BANDS_MIN;
	s->nr_bands = high - s->low + 1;
	s->row = MIN(MAX(HEIGHT / s->nr_bands, (u32)ROW_MIN), (u32)ROW_MAX);
	s->bits = (bits_of(s->most) + LEVELS - 1) / LEVELS;
	s->nr_levels = level_of(s, s->most) + 1;
}

/* --- texts --- */

/* Of a text, as much as fits a line: it is broken at a blank, if there is one. */
static size_t line_of(const char *text, size_t max)
{
	size_t len = strlen(text), at;

	if (text_width(text, len) <= max)
		return len;
	for (at = len = text_cut(text, len, max); at && text[at] != ' '; at--)
		;
	return at ? at : len;
}

static void put_lines(struct heat_sheet *s, const char *class, const char *text, size_t max)
{
	size_t len;

	while (*text) {
		len = line_of(text, max);
		buf_addf(s->out, "<text class=\"%s\" x=\"%u\" y=\"%u\">", class, MARGIN, s->y);
		text_xml(s->out, text, len);
		buf_adds(s->out, "</text>\n");
		s->y += LINE;
		text += len;
		text += strspn(text, " ");
	}
}

static void put_amount(struct heat_sheet *s, u64 n)
{
	flamegraph_sheet_put_count(s->out, n);
	buf_addc(s->out, ' ');
	text_xml(s->out, n == 1 ? s->m->one : s->m->many, strlen(n == 1 ? s->m->one : s->m->many));
}

/* Where `n` of `total` is, in hundredths of a percent, as "12.34%". */
static void put_share(struct buf *out, u64 n, u64 total)
{
	u64 share = (u64)((unsigned __int128)n * 10000 / total);

	buf_dec(out, share / 100, 0);
	buf_addc(out, '.');
	buf_dec0(out, share % 100, 2);
	buf_addc(out, '%');
}

/* --- the plot: its unit is a column along x, which is as wide as the window allows --- */

static void put_cell(struct heat_sheet *s, u32 band, u32 column, u64 n)
{
	const u64 from = s->m->from + column * s->m->step;

	buf_addf(s->out, "<rect class=\"h%u\" x=\"%u\" y=\"%u\" width=\"1\" height=\"%u\"><title>",
		 colour_of(s, level_of(s, n)), column, y_of_band(s, band), s->row);
	put_amount(s, n);
	buf_adds(s->out, " of ");
	flamegraph_sheet_put_ns(s->out, begin_of(band));
	buf_adds(s->out, " to ");
	flamegraph_sheet_put_ns(s->out, begin_of(band + 1));
	buf_adds(s->out, ", ");
	map_page_put_time(s->out, from, s->m->step);
	buf_adds(s->out, " to ");
	map_page_put_time(s->out, from + s->m->step, s->m->step);
	buf_adds(s->out, " s</title></rect>\n");
}

/* Runs of columns whose slowest is of the same band are one line. */
static void put_most(struct heat_sheet *s, const u32 *highest)
{
	u32 c, first;

	for (c = 0; c < s->m->nr_columns; c++) {
		first = c;
		while (c + 1 < s->m->nr_columns && highest[c + 1] == highest[first])
			c++;
		if (highest[first] != ID_NONE)
			buf_addf(s->out,
				 "<rect class=\"most\" x=\"%u\" y=\"%u\" width=\"%u\" "
				 "height=\"%u\"/>\n",
				 first, y_of_band(s, highest[first]), c + 1 - first, MOST);
	}
}

static void put_cells(struct heat_sheet *s)
{
	const struct heat_map *m = s->m;
	u32 highest[HEAT_MAP_COLUMNS], r, c;

	memset(highest, 0xff, sizeof(highest));
	for (r = 0; r < m->nr_rows; r++) {
		for (c = 0; c < m->nr_columns; c++) {
			if (!m->rows[r].amounts[c])
				continue;
			put_cell(s, m->rows[r].band, c, m->rows[r].amounts[c]);
			if (highest[c] == ID_NONE || highest[c] < m->rows[r].band)
				highest[c] = m->rows[r].band;
		}
	}
	put_most(s, highest);
}

/* --- the axis of durations --- */

/* y in the plot; false: it is not in it. */
static bool y_of_length(const struct heat_sheet *s, u64 ns, u32 *y)
{
	const u64 top = (u64)(s->low + s->nr_bands) << 15, at = log2_of(ns);

	if (at > top || at < (u64)s->low << 15)
		return false;
	*y = (u32)((top - at) * s->row >> 15);
	return true;
}

static u32 count_decades(const struct heat_sheet *s)
{
	u64 power = 1;
	u32 nr = 0, y, i;

	for (i = 0; i < 19; i++, power *= 10)
		nr += y_of_length(s, power, &y);
	return nr;
}

/* labels: the texts, which are outside the plot; else the lines in it. */
static void put_lengths(struct heat_sheet *s, bool labels)
{
	static const u64 digits[] = {1, 2, 5};
	const u32 nr = count_decades(s) > 3 ? 1 : ARRAY_SIZE(digits);
	u64 power = 1;
	u32 y, i, d;

	for (i = 0; i < 19; i++, power *= 10) {
		for (d = 0; d < nr; d++) {
			if (!y_of_length(s, digits[d] * power, &y))
				continue;
			if (!labels) {
				buf_addf(s->out,
					 "<rect class=\"rule\" y=\"%u\" width=\"%u\" "
					 "height=\"1\"/>\n",
					 y, s->m->nr_columns);
				continue;
			}
			buf_addf(s->out, "<text class=\"note length\" x=\"%u\" y=\"%u\">", LEFT - 8,
				 s->y + y + 4);
			map_page_put_span(s->out, digits[d] * power);
			buf_adds(s->out, "</text>\n");
		}
	}
}

/* --- the axis of times --- */

static void put_times(struct heat_sheet *s, const struct window *w)
{
	const u64 from = s->m->from, span = s->m->nr_columns * s->m->step;
	const u64 tick = map_page_tick(span / (w->width * w->plot / 100 / TICKS));
	u64 at = from % tick ? tick - from % tick : 0;

	buf_addf(s->out,
		 "<svg class=\"axis %s\" x=\"%u\" y=\"%u\" width=\"%u%%\" "
		 "height=\"%u\">\n",
		 w->class, LEFT, s->y, w->plot, LINE);
	for (; at <= span && at <= UINT64_MAX - tick; at += tick) {
		buf_adds(s->out, "<line class=\"grid\" x1=\"");
		put_share(s->out, at, span);
		buf_adds(s->out, "\" x2=\"");
		put_share(s->out, at, span);
		buf_adds(s->out, "\" y2=\"5\"/><text class=\"tick\" y=\"17\" x=\"");
		put_share(s->out, at, span);
		buf_adds(s->out, "\">");
		map_page_put_time(s->out, from + at, tick);
		buf_adds(s->out, " s</text>\n");
	}
	buf_adds(s->out, "</svg>\n");
}

/* --- the legend --- */

static void put_legend(struct heat_sheet *s)
{
	const u64 bits = s->bits;
	u32 i, x;

	buf_addf(s->out, "<text class=\"note\" x=\"%u\" y=\"%u\">", MARGIN, s->y + 10);
	text_xml(s->out, s->m->many, strlen(s->m->many));
	buf_adds(s->out, " in a cell, which is ");
	map_page_put_span(s->out, s->m->step);
	buf_adds(s->out, " wide:</text>\n");
	for (i = 0; i < s->nr_levels; i++) {
		x = MARGIN + i * SWATCH;
		buf_addf(s->out,
			 "<rect class=\"h%u\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"12\"/>"
			 "<text class=\"note\" x=\"%u\" y=\"%u\">",
			 colour_of(s, i), x, s->y + LINE, SWATCH - 2, x, s->y + 2 * LINE + 8);
		flamegraph_sheet_put_count(s->out, 1ull << i * bits);
		if (i + 1 == s->nr_levels && 1ull << i * bits < s->most) {
			buf_adds(s->out, " to ");
			flamegraph_sheet_put_count(s->out, s->most);
		}
		buf_adds(s->out, "</text>\n");
	}
	buf_addf(s->out,
		 "<rect class=\"most\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\"/>"
		 "<text class=\"note\" x=\"%u\" y=\"%u\">the slowest at each time</text>\n",
		 MARGIN, s->y + 3 * LINE + 6, SWATCH - 2, MOST, MARGIN + SWATCH + 4,
		 s->y + 3 * LINE + 12);
}

/* --- the document --- */

/* y is below it then. */
static void put_head(struct heat_sheet *s, const struct window *w)
{
	u32 i;

	s->y = TITLE_Y;
	buf_addf(s->out, "<g class=\"%s\">\n", w->class);
	put_lines(s, "title", s->m->title, w->title);
	for (i = 0; i < s->m->nr_notes; i++)
		put_lines(s, "note", s->m->notes[i], w->note);
	if (!s->most)
		put_lines(s, "note", "There is nothing to draw.", w->note);
	buf_adds(s->out, "</g>\n");
}

static void put_map(struct heat_sheet *s)
{
	const u32 height = s->nr_bands * s->row;
	u32 i;

	put_lengths(s, true);
	buf_addf(s->out,
		 "<g class=\"plot\" transform=\"translate(%u)\"><svg y=\"%u\" width=\"%u%%\" "
		 "height=\"%u\" viewBox=\"0 0 %u %u\" preserveAspectRatio=\"none\">\n"
		 "<rect class=\"empty\" width=\"%u\" height=\"%u\"/>\n",
		 LEFT, s->y, windows[0].plot, height, s->m->nr_columns, height, s->m->nr_columns,
		 height);
	put_lengths(s, false);
	put_cells(s);
	s->y += height;
	buf_adds(s->out, "</svg></g>\n");
	for (i = 0; i < ARRAY_SIZE(windows); i++)
		put_times(s, &windows[i]);
	s->y += 2 * LINE;
	put_legend(s);
}

/* A narrow window has more lines above the map; on a wide one it is moved up. */
static void put_document(struct heat_sheet *s)
{
	const struct heat_map *m = s->m;
	struct buf *out = s->out, head = {0};
	struct map_page page = {
		.title = m->title,
		.css = heat_map_css,
		.width = WIDTH,
		.html = m->html,
		.fluid = true,
	};
	u32 wide;

	s->out = &head;
	put_head(s, &windows[0]);
	wide = s->y;
	put_head(s, &windows[1]);
	s->out = out;
	page.height = s->y;
	if (s->most)
		page.height += s->nr_bands * s->row + 6 * LINE;
	map_page_open(&page, out);
	buf_add(out, buf_str(&head), head.len);
	out->failed |= head.failed;
	buf_free(&head);
	if (s->most) {
		buf_addf(out, "<g class=\"map\" style=\"--up: -%upx\">\n", s->y - wide);
		put_map(s);
		buf_adds(out, "</g>\n");
	}
	buf_adds(out, m->html ? "</svg>\n</body>\n</html>\n" : "</svg>\n");
}

int heat_map_draw(const struct heat_map *m, struct buf *out, struct err *err)
{
	struct heat_sheet s = {.m = m, .out = out};

	if (m->nr_columns > HEAT_MAP_COLUMNS)
		return err_set(err, EINVAL, "%u columns are too many for a heat map",
			       m->nr_columns);
	measure(&s);
	put_document(&s);
	return out->failed ? err_nomem(err) : 0;
}
