// SPDX-License-Identifier: GPL-2.0
#include "util/draw/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/num.h"
#include "util/base/text.h"
#include "util/base/vec.h"
#include "util/draw/flamegraph_internal.h"
#include "util/draw/include_text.h"
#include "util/draw/map_page.h"

/* NUL-terminated, and free of "]]>", "</" and "<!--", so that they can be put into a document as they are. */
extern const char timeline_js[], timeline_css[];
INCLUDE_TEXT("timeline_js", "util/draw/timeline.js");
INCLUDE_TEXT("timeline_css", "util/draw/timeline.css");

/*
 * A heat map while it is drawn: where things are, in px, and how amounts and
 * times are written.
 */

struct timeline_sheet {
	const struct timeline *t;
	struct buf *out;
	u32 left, plot;        /* where columns begin, and the width of all */
	u32 row;               /* height */
	u32 sums_y, map_y;     /* tops */
	u64 *columns, *totals; /* sums of columns, of rows */
	u64 total;
	u64 limits[MAP_PAGE_LEVELS + 1]; /* the largest amount of each step of colour */
	VEC(struct timeline_mark) marks; /* merged, by row */
	u32 next_mark;
};

/* "1,234", and "1,234 samples", not escaped; a time has its unit in both. */
static void put_number(const struct timeline_sheet *s, struct buf *b, u64 n)
{
	if (s->t->time)
		flamegraph_sheet_put_ns(b, n);
	else
		flamegraph_sheet_put_count(b, n);
}

static void put_with_unit(const struct timeline_sheet *s, struct buf *b, u64 n)
{
	put_number(s, b, n);
	if (!s->t->time)
		buf_addf(b, " %s", s->t->unit ? s->t->unit : n == 1 ? "sample" : "samples");
}

/* n / total * of, rounded down; n is at most total. */
static u64 scale(u64 n, u64 total, u32 of)
{
	return total ? (u64)((unsigned __int128)n * of / total) : 0;
}

/* "12.5%", "<0.1%", as markup */
static void put_share(struct buf *b, u64 n, u64 total)
{
	u64 tenths = total ? (u64)(((unsigned __int128)n * 1000 + total / 2) / total) : 0;

	if (n && !tenths)
		buf_adds(b, "&lt;0.1%");
	else
		buf_addf(b, "%llu.%llu%%", (unsigned long long)(tenths / 10),
			 (unsigned long long)(tenths % 10));
}

/* Where a column begins: whole px, so that neighbours touch; the last one ends where the plot does. */
static u32 column_at(const struct timeline_sheet *s, u32 column)
{
	return s->left + (u32)scale(column, s->t->nr_columns, s->plot);
}

/* How far right of `left` a time is, ns after the first column's beginning. */
static u32 time_at(const struct timeline_sheet *s, u64 ns)
{
	const u64 span = s->t->nr_columns * s->t->step;

	return (u32)scale(MIN(ns, span), span, s->plot);
}

/*
 * the bands of a heat map: what was lost, and where nothing could be recorded.
 */

#define BAND_MIN 2 /* px */

static const struct {
	const char *class, *legend, *title;
	bool over_all; /* the row's whole height */
} kinds[TIMELINE_KINDS] = {
	[TIMELINE_LOST] = {"lost", "lost: no room", "there was no room", false},
	[TIMELINE_THROTTLED] = {"throttled", "throttled", "throttled by the kernel", false},
	[TIMELINE_STOPPED] = {"stopped", "nobody read", "nobody read the buffers", false},
	[TIMELINE_OFFLINE] = {"offline", "offline", "the CPU was offline", true},
};

static int in_order(const void *a, const void *b)
{
	const struct timeline_mark *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	/* those that cover the row come first, and so below the others */
	if (x->kind != y->kind)
		return x->kind > y->kind ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

/* The part that can be seen; false if there is none. */
static bool cut(const struct timeline *t, struct timeline_mark *m)
{
	const u64 end = t->from + t->nr_columns * t->step - 1;

	if (m->row >= t->nr_rows || m->kind >= TIMELINE_KINDS || m->to < m->from ||
	    m->to < t->from || m->from > end)
		return false;
	m->from = MAX(m->from, t->from);
	m->to = MIN(m->to, end);
	return true;
}

static u64 column_of(const struct timeline *t, u64 time)
{
	return (time - t->from) / t->step;
}

static void merge_sorted(struct timeline_sheet *s)
{
	struct timeline_mark *v = s->marks.v, *last = NULL;
	u32 i, nr = 0;

	for (i = 0; i < s->marks.nr; i++) {
		if (last && last->row == v[i].row && last->kind == v[i].kind &&
		    column_of(s->t, v[i].from) <= column_of(s->t, last->to) + 1) {
			last->to = MAX(last->to, v[i].to);
			last->count = num_sum(last->count, v[i].count);
			last->shared = num_sum(last->shared, v[i].shared);
			continue;
		}
		last = &v[nr++];
		*last = v[i];
	}
	s->marks.nr = nr;
}

/* Make one of those that touch, in s->marks; what lies outside the columns is left out. */
static int merge_marks(struct timeline_sheet *s, struct err *err)
{
	struct timeline_mark m, *to;
	u32 i;

	if (!s->t->nr_columns)
		return 0;
	for (i = 0; i < s->t->nr_marks; i++) {
		m = s->t->marks[i];
		if (!cut(s->t, &m))
			continue;
		to = vec_push(&s->marks);
		if (!to)
			return err_nomem(err);
		*to = m;
	}
	if (s->marks.nr)
		qsort(s->marks.v, s->marks.nr, sizeof(*s->marks.v), in_order);
	merge_sorted(s);
	return 0;
}

/* "CPU 1, 12.1 to 12.3 s: 1,234 lost: there was no room; 56 more on any of the rows" */
static void put_title(struct timeline_sheet *s, const struct timeline_mark *m)
{
	const char *name = s->t->rows[m->row].name;

	buf_adds(s->out, "<title>");
	text_xml(s->out, name, strlen(name));
	buf_adds(s->out, ", ");
	map_page_put_time(s->out, m->from, 1000);
	buf_adds(s->out, " to ");
	map_page_put_time(s->out, m->to, 1000);
	buf_adds(s->out, " s: ");
	if (m->count) {
		flamegraph_sheet_put_count(s->out, m->count);
		buf_adds(s->out, " lost: ");
	}
	buf_adds(s->out, kinds[m->kind].title);
	if (m->shared) {
		buf_adds(s->out, "; ");
		flamegraph_sheet_put_count(s->out, m->shared);
		buf_adds(s->out, m->count ? " more on any of the rows" : " on any of the rows");
	}
	buf_adds(s->out, "</title>");
}

/* Whole columns, so that none is too short to be seen. */
static void put_mark(struct timeline_sheet *s, const struct timeline_mark *m, u32 y)
{
	const u32 first = (u32)column_of(s->t, m->from), last = (u32)column_of(s->t, m->to);
	const u32 band = MAX(s->row / 4, (u32)BAND_MIN);
	u32 height = s->row - 1;

	if (!kinds[m->kind].over_all) {
		/* what the kernel paused above, what was lost below */
		y += m->kind == TIMELINE_THROTTLED ? 0 : height - band;
		height = band;
	}
	buf_addf(s->out, "<rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\">",
		 kinds[m->kind].class, column_at(s, first), y,
		 column_at(s, last + 1) - column_at(s, first), height);
	put_title(s, m);
	buf_adds(s->out, "</rect>\n");
}

/* Append those of a row, whose top is y. Rows come in order. */
static void put_marks(struct timeline_sheet *s, u32 row, u32 y)
{
	while (s->next_mark < s->marks.nr && s->marks.v[s->next_mark].row == row)
		put_mark(s, &s->marks.v[s->next_mark++], y);
}

static bool has_marks(const struct timeline_sheet *s, enum timeline_kind kind)
{
	u32 i;

	for (i = 0; i < s->marks.nr; i++)
		if (s->marks.v[i].kind == kind)
			return true;
	return false;
}

#define MARGIN      12  /* px, all of these */
#define NAMES       104 /* at least */
#define NAMES_MAX   240
#define NAME_LETTER 7
#define TOTALS      136
#define COLUMN_MIN  2
#define SUMS        48
#define GAP         8
#define LINE        18
#define TITLE_Y     28
#define TICKS       90 /* at least so far apart */
#define SWATCH      12
#define LETTER      7
#define CELLS_MAX   20000

static u32 width_of(u32 width)
{
	return MAX(width, (u32)TIMELINE_WIDTH_MIN);
}

static u32 room_of(u32 width)
{
	return width_of(width) - 2 * MARGIN - NAMES - TOTALS;
}

/* Room for the names of rows. */
static u32 names_of(const struct timeline *t)
{
	u64 widest = 0;
	u32 i;

	for (i = 0; i < t->nr_rows; i++)
		widest = MAX(widest,
			     flamegraph_sheet_columns(t->rows[i].name, strlen(t->rows[i].name)));
	return (u32)MIN(MAX(widest * NAME_LETTER + GAP, (u64)NAMES),
			width_of(t->width) > 2 * NAMES_MAX + TOTALS ? (u64)NAMES_MAX : (u64)NAMES);
}

u32 timeline_columns(u32 width, u32 nr_rows)
{
	return MIN(room_of(width) / COLUMN_MIN, (u32)CELLS_MAX / MAX(nr_rows, 1u));
}

static u32 row_height(u32 nr_rows)
{
	return nr_rows <= 8 ? 24 : nr_rows <= 32 ? 16 : nr_rows <= 64 ? 12 : 8;
}

static void put_text(struct timeline_sheet *s, const char *text)
{
	text_xml(s->out, text, strlen(text));
}

static void put_amount(struct timeline_sheet *s, u64 n)
{
	struct buf text = {0};

	put_with_unit(s, &text, n);
	put_text(s, buf_str(&text));
	s->out->failed |= text.failed;
	buf_free(&text);
}

/* ---- cells ---- */

/* The step of colour: the square root of the amount, in eighths of that of the largest. */
static u32 level(const struct timeline_sheet *s, u64 amount)
{
	u32 i = 1;

	while (i < MAP_PAGE_LEVELS && amount > s->limits[i])
		i++;
	return i;
}

static void find_limits(struct timeline_sheet *s, u64 max)
{
	const u64 all = (u64)MAP_PAGE_LEVELS * MAP_PAGE_LEVELS;
	u64 i;

	for (i = 0; i <= MAP_PAGE_LEVELS; i++)
		s->limits[i] = max / all * i * i + max % all * i * i / all;
}

/* Sums of columns, of rows, and of all. */
static int sum_up(struct timeline_sheet *s, struct err *err)
{
	const struct timeline *t = s->t;
	u64 max = 0, n;
	u32 r, c;

	s->columns = calloc(t->nr_columns + 1, sizeof(*s->columns));
	s->totals = calloc(t->nr_rows + 1, sizeof(*s->totals));
	if (!s->columns || !s->totals)
		return err_nomem(err);
	for (r = 0; r < t->nr_rows; r++) {
		for (c = 0; c < t->nr_columns; c++) {
			n = t->rows[r].amounts[c];
			max = MAX(max, n);
			s->columns[c] = num_sum(s->columns[c], n);
			s->totals[r] = num_sum(s->totals[r], n);
		}
		s->total = num_sum(s->total, s->totals[r]);
	}
	find_limits(s, max);
	return 0;
}

/* "CPU 3, 12.345 to 12.350 s: " */
static void put_place(struct timeline_sheet *s, const char *name, u32 column)
{
	const u64 from = s->t->from + column * s->t->step;

	put_text(s, name);
	buf_adds(s->out, ", ");
	map_page_put_time(s->out, from, s->t->step);
	buf_adds(s->out, " to ");
	map_page_put_time(s->out, num_sum(from, s->t->step), s->t->step);
	buf_adds(s->out, " s: ");
}

static void put_row(struct timeline_sheet *s, u32 row)
{
	const struct timeline_row *r = &s->t->rows[row];
	const u32 y = s->map_y + row * s->row;
	u32 c;

	buf_adds(s->out, "<g class=\"row\">\n");
	buf_addf(s->out,
		 "<rect class=\"empty\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\"><title>",
		 s->left, y, s->plot, s->row - 1);
	put_text(s, r->name);
	buf_adds(s->out, ": ");
	put_amount(s, s->totals[row]);
	buf_adds(s->out, "</title></rect>\n");
	for (c = 0; c < s->t->nr_columns; c++) {
		if (!r->amounts[c])
			continue;
		buf_addf(s->out,
			 "<rect class=\"h%u\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\"><title>",
			 level(s, r->amounts[c]), column_at(s, c), y,
			 column_at(s, c + 1) - column_at(s, c), s->row - 1);
		put_place(s, r->name, c);
		put_amount(s, r->amounts[c]);
		if (r->makers && r->makers[c]) {
			buf_adds(s->out, ": ");
			put_text(s, r->makers[c]);
		}
		buf_adds(s->out, "</title></rect>\n");
	}
	put_marks(s, row, y);
	buf_adds(s->out, "</g>\n");
}

/* The name at the left, the sum at the right: as many as can be read. */
static void put_row_texts(struct timeline_sheet *s, u32 row)
{
	const u32 y = s->map_y + row * s->row + s->row / 2 + 4;
	const u64 n = s->totals[row];

	if (s->row < 12 && row % 2)
		return;
	buf_addf(s->out, "<text class=\"name\" x=\"%u\" y=\"%u\">", s->left - 6, y);
	put_text(s, s->t->rows[row].name);
	buf_addf(s->out, "</text>\n<text class=\"total%s\" x=\"%u\" y=\"%u\">",
		 n ? "" : " is-silent", s->left + s->plot + 6, y);
	if (!n) {
		buf_adds(s->out, "silent");
	} else {
		put_number(s, s->out, n);
		buf_adds(s->out, ", ");
		put_share(s->out, n, s->total);
	}
	buf_adds(s->out, "</text>\n");
}

static void put_sums(struct timeline_sheet *s)
{
	u64 max = 1;
	u32 c, height;

	for (c = 0; c < s->t->nr_columns; c++)
		max = MAX(max, s->columns[c]);
	buf_adds(s->out, "<g class=\"sums\">\n");
	for (c = 0; c < s->t->nr_columns; c++) {
		if (!s->columns[c])
			continue;
		height = 1 + (u32)scale(s->columns[c], max, SUMS - 1);
		buf_addf(s->out,
			 "<rect class=\"bar\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\"><title>",
			 column_at(s, c), s->sums_y + SUMS - height,
			 column_at(s, c + 1) - column_at(s, c), height);
		put_place(s, "all", c);
		put_amount(s, s->columns[c]);
		buf_adds(s->out, "</title></rect>\n");
	}
	buf_adds(s->out, "</g>\n");
	buf_addf(s->out, "<text class=\"name\" x=\"%u\" y=\"%u\">all</text>\n", s->left - 6,
		 s->sums_y + SUMS);
	buf_addf(s->out, "<text class=\"total\" x=\"%u\" y=\"%u\">", s->left + s->plot + 6,
		 s->sums_y + SUMS);
	put_number(s, s->out, s->total);
	buf_adds(s->out, "</text>\n");
}

/* ---- the axis ---- */

static void put_axis(struct timeline_sheet *s, u32 y)
{
	const struct timeline *t = s->t;
	const u64 span = t->nr_columns * t->step;
	const u64 tick = map_page_tick(scale(span, s->plot, TICKS));
	u64 at = t->from % tick ? tick - t->from % tick : 0;
	u32 x;

	buf_adds(s->out, "<g class=\"axis\">\n");
	for (; at <= span; at += tick) {
		x = s->left + time_at(s, at);
		buf_addf(s->out, "<path class=\"grid\" d=\"M%u %uv5\"/>", x, y);
		buf_addf(s->out, "<text class=\"tick\" x=\"%u\" y=\"%u\">", x, y + 17);
		map_page_put_time(s->out, t->from + at, tick);
		buf_adds(s->out, "</text>\n");
		if (at > UINT64_MAX - tick)
			break;
	}
	buf_addf(s->out, "<text class=\"note\" x=\"%u\" y=\"%u\">s</text>\n</g>\n",
		 s->left + s->plot + 14, y + 17);
}

/* ---- the legend ---- */

static void put_swatch(struct timeline_sheet *s, const char *class, u32 level, u32 x, u32 y)
{
	buf_addf(s->out, "<rect class=\"%s", class);
	if (level)
		buf_dec(s->out, level, 0);
	buf_addf(s->out, "\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\">", x, y - SWATCH + 2,
		 SWATCH, SWATCH);
}

static void put_levels(struct timeline_sheet *s, u32 *x, u32 y)
{
	struct buf last = {0};
	u32 i;

	for (i = 1; i <= MAP_PAGE_LEVELS; i++) {
		if (s->limits[i] == s->limits[i - 1])
			continue;
		put_swatch(s, "h", i, *x, y);
		buf_adds(s->out, "<title>");
		if (s->limits[i - 1] + 1 < s->limits[i]) {
			put_number(s, s->out, s->limits[i - 1] + 1);
			buf_adds(s->out, " to ");
		}
		put_amount(s, s->limits[i]);
		buf_adds(s->out, "</title></rect>");
		*x += SWATCH;
	}
	if (s->t->time)
		buf_adds(&last, "up to ");
	else if (s->limits[MAP_PAGE_LEVELS] > 1)
		buf_adds(&last, "1 to ");
	put_with_unit(s, &last, s->limits[MAP_PAGE_LEVELS]);
	buf_adds(&last, " in ");
	map_page_put_span(&last, s->t->step);
	buf_addf(s->out, "\n<text class=\"note\" x=\"%u\" y=\"%u\">", *x + 5, y);
	text_xml(s->out, last.data, last.len);
	s->out->failed |= last.failed;
	buf_adds(s->out, "</text>\n");
	*x += 5 + (u32)MIN(last.len, (size_t)64) * LETTER + GAP;
	buf_free(&last);
}

static void put_legend(struct timeline_sheet *s, u32 y)
{
	u32 x = s->left, kind;

	put_levels(s, &x, y);
	for (kind = 0; kind < TIMELINE_KINDS; kind++) {
		if (!has_marks(s, kind))
			continue;
		put_swatch(s, kinds[kind].class, 0, x, y);
		buf_addf(s->out, "</rect>\n<text class=\"note\" x=\"%u\" y=\"%u\">%s</text>\n",
			 x + SWATCH + 5, y, kinds[kind].legend);
		x += SWATCH + 5 + (u32)strlen(kinds[kind].legend) * LETTER + GAP;
	}
}

/* ---- the document ---- */

static bool is_drawn(const struct timeline_sheet *s)
{
	return s->t->nr_columns && s->t->nr_rows;
}

static void put_line(struct timeline_sheet *s, const char *class, u32 *y, const char *text)
{
	buf_addf(s->out, "<text class=\"%s\" x=\"%u\" y=\"%u\">", class, MARGIN, *y);
	put_text(s, text);
	buf_adds(s->out, "</text>\n");
	*y += *y == TITLE_Y ? LINE + 4 : LINE;
}

static void put_head(struct timeline_sheet *s, u32 *y)
{
	const struct timeline *t = s->t;
	u32 i;

	*y = TITLE_Y;
	put_line(s, "title", y, t->title ? t->title : "Timeline");
	for (i = 0; i < t->nr_notes; i++)
		put_line(s, "note", y, t->notes[i]);
	if (t->warning)
		put_line(s, "warning", y, t->warning);
	if (!is_drawn(s))
		put_line(s, "note", y, "No samples: there is nothing to draw.");
}

static void put_map(struct timeline_sheet *s)
{
	const struct timeline *t = s->t;
	const u32 height = t->nr_rows * s->row;
	u32 row;

	put_sums(s);
	for (row = 0; row < t->nr_rows; row++)
		put_row_texts(s, row);
	buf_addf(s->out,
		 "<g id=\"map\" data-x=\"%u\" data-width=\"%u\" data-columns=\"%u\" "
		 "data-from=\"%llu\" data-step=\"%llu\">\n",
		 s->left, s->plot, t->nr_columns, (unsigned long long)t->from,
		 (unsigned long long)t->step);
	for (row = 0; row < t->nr_rows; row++)
		put_row(s, row);
	buf_adds(s->out, "</g>\n");
	buf_addf(s->out,
		 "<rect id=\"chosen\" class=\"chosen\" x=\"%u\" y=\"%u\" width=\"0\" "
		 "height=\"%u\" visibility=\"hidden\"/>\n",
		 s->left, s->sums_y, s->map_y + height - s->sums_y);
	put_axis(s, s->map_y + height);
	put_legend(s, s->map_y + height + 2 * LINE + GAP);
	buf_addf(s->out, "<text id=\"choice\" class=\"choice\" x=\"%u\" y=\"%u\"></text>\n",
		 s->left, s->map_y + height + 3 * LINE + GAP);
}

static void put_script(struct timeline_sheet *s, const char *attributes, const char *text)
{
	buf_addf(s->out, s->t->html ? "<script%s>\n" : "<script%s><![CDATA[\n", attributes);
	buf_adds(s->out, text);
	buf_adds(s->out, s->t->html ? "</script>\n" : "]]></script>\n");
}

/* What the script makes flame graphs of: they are documents of their own. */
static void put_scripts(struct timeline_sheet *s)
{
	if (s->t->moments) {
		put_script(s, " type=\"application/json\" id=\"moments\"", s->t->moments);
		put_script(s, " type=\"text/plain\" id=\"graph-style\"", flamegraph_css);
		put_script(s, " type=\"text/plain\" id=\"graph-script\"", flamegraph_js);
	}
	put_script(s, "", timeline_js);
}

static void open_document(struct timeline_sheet *s, u32 height)
{
	const struct map_page page = {
		.title = s->t->title ? s->t->title : "Timeline",
		.css = timeline_css,
		.width = width_of(s->t->width),
		.height = height,
		.html = s->t->html,
	};

	map_page_open(&page, s->out);
}

static void put_document(struct timeline_sheet *s)
{
	const u32 lines = 1 + s->t->nr_notes + !!s->t->warning + !is_drawn(s);
	u32 height = TITLE_Y + 4 + lines * LINE;

	s->sums_y = height;
	s->map_y = height + SUMS + GAP;
	if (is_drawn(s))
		height = s->map_y + s->t->nr_rows * s->row + 4 * LINE + GAP;
	open_document(s, height);
	put_head(s, &height);
	if (is_drawn(s))
		put_map(s);
	/* HTML has no CDATA, and ends a script at its end tag: it is outside the SVG there. */
	if (s->t->html)
		buf_adds(s->out, "</svg>\n");
	if (is_drawn(s))
		put_scripts(s);
	buf_adds(s->out, s->t->html ? "</body>\n</html>\n" : "</svg>\n");
}

int timeline_draw(const struct timeline *t, struct buf *out, struct err *err)
{
	struct timeline_sheet s = {.t = t, .out = out};
	int ret;

	if (t->nr_rows > TIMELINE_ROWS_MAX ||
	    t->nr_columns > timeline_columns(t->width, t->nr_rows))
		return err_set(err, EINVAL, "%u rows of %u columns are too many for %u px",
			       t->nr_rows, t->nr_columns, width_of(t->width));
	s.row = row_height(t->nr_rows);
	s.left = MARGIN + names_of(t);
	s.plot = room_of(t->width) + NAMES + MARGIN - s.left;
	ret = sum_up(&s, err);
	if (!ret)
		ret = merge_marks(&s, err);
	if (!ret)
		put_document(&s);
	if (!ret && out->failed)
		ret = err_nomem(err);
	vec_free(&s.marks);
	free(s.columns);
	free(s.totals);
	return ret;
}
