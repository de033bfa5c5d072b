// SPDX-License-Identifier: GPL-2.0
#include "util/base/table.h"

#include "util/base/text.h"

struct table_line {
	u32 first, nr; /* of `starts`: its cells */
	bool is_text;  /* its only cell is lines as they are */
	bool tail;     /* the last cell is in no column */
	const char *on, *off;
	u32 styled; /* cells */
};

void table_column(struct table *t, const struct table_column *c)
{
	struct table_column *to = vec_push(&t->columns);

	if (to)
		*to = *c;
	else
		t->text.failed = true;
}

static struct table_line *begin_line(struct table *t)
{
	struct table_line *l = vec_push(&t->lines);

	if (l)
		l->first = t->starts.nr;
	else
		t->text.failed = true;
	return l;
}

static struct buf *begin_cell(struct table *t, bool tail)
{
	size_t *start = vec_push(&t->starts);
	struct table_line *l;

	if (!start || !t->lines.nr) {
		t->text.failed = true;
		return &t->text;
	}
	*start = t->text.len;
	l = &t->lines.v[t->lines.nr - 1];
	l->nr++;
	l->tail = tail;
	return &t->text;
}

void table_row(struct table *t)
{
	begin_line(t);
}

struct buf *table_cell(struct table *t)
{
	return begin_cell(t, false);
}

struct buf *table_tail(struct table *t)
{
	return begin_cell(t, true);
}

struct buf *table_text(struct table *t)
{
	struct table_line *l = begin_line(t);

	if (l)
		l->is_text = true;
	return begin_cell(t, true);
}

void table_style(struct table *t, const char *on, const char *off, u32 cells)
{
	struct table_line *l = t->lines.nr ? &t->lines.v[t->lines.nr - 1] : NULL;

	if (!l)
		return;
	l->on = on;
	l->off = off;
	l->styled = cells;
}

/* The bytes of a cell. */
static const char *cell(const struct table *t, u32 at, size_t *len)
{
	const size_t from = t->starts.v[at];
	const size_t to = at + 1 < t->starts.nr ? t->starts.v[at + 1] : t->text.len;

	*len = to - from;
	return buf_str(&t->text) + from;
}

static u32 newlines(const char *s, size_t len)
{
	const char *p = s, *end = s + len;
	u32 n = 0;

	while (p < end && (p = memchr(p, '\n', (size_t)(end - p)))) {
		n++;
		p++;
	}
	return n;
}

u32 table_height(const struct table *t, u32 from)
{
	u32 i, n = 0;
	size_t len;
	const char *s;

	for (i = from; i < t->lines.nr; i++) {
		if (!t->lines.v[i].is_text) {
			n++;
		} else if (t->lines.v[i].nr) {
			s = cell(t, t->lines.v[i].first, &len);
			n += newlines(s, len);
		}
	}
	return n;
}

void table_shorten(struct table *t, u32 lines)
{
	const u32 first = lines < t->lines.nr ? t->lines.v[lines].first : t->starts.nr;

	if (first < t->starts.nr) {
		t->text.len = t->starts.v[first];
		t->starts.nr = first;
	}
	t->lines.nr = MIN(t->lines.nr, lines);
}

#define NARROWEST 16 /* column of names that are shortened */

/* Take from the widest columns of names what lines are too long by. */
static void shrink(struct table *t)
{
	struct table_column *c, *widest;
	size_t total = 0;
	u32 k;

	for (k = 0; k < t->columns.nr; k++)
		total += t->columns.v[k].width ? t->columns.v[k].width + t->columns.v[k].gap : 0;
	for (; total > t->fit; total--) {
		widest = NULL;
		for (k = 0; k < t->columns.nr; k++) {
			c = &t->columns.v[k];
			if (!c->right && c->width > MAX(c->min, (u32)NARROWEST) &&
			    (!widest || c->width > widest->width))
				widest = c;
		}
		if (!widest)
			return;
		widest->width--;
	}
}

static void find_widths(struct table *t)
{
	const struct table_line *l;
	struct table_column *c;
	const char *s;
	size_t len;
	u32 i, k;

	for (k = 0; k < t->columns.nr; k++) {
		c = &t->columns.v[k];
		c->width = c->min;
		if (!c->max)
			c->max = t->fit && !c->right ? t->fit : TABLE_WIDEST;
	}
	for (i = 0; i < t->lines.nr; i++) {
		l = &t->lines.v[i];
		for (k = 0; k + l->tail < l->nr && k < t->columns.nr; k++) {
			c = &t->columns.v[k];
			s = cell(t, l->first + k, &len);
			c->width = MAX(c->width, (u32)MIN(text_width(s, len), c->max));
		}
	}
	if (t->fit)
		shrink(t);
}

/* How much of a line a screen has room for. */
static size_t fitting(const char *s, size_t len, u32 width)
{
	size_t at = 0, from = 0, part, fits;
	const char *tab;

	while (width) {
		tab = memchr(s + from, '\t', len - from);
		part = tab ? (size_t)(tab - s) - from : len - from;
		fits = text_fit(s + from, part, width - at);
		if (fits < part || !tab)
			return from + fits;
		at = ((at + text_width(s + from, part)) / 8 + 1) * 8;
		from += part + 1;
		if (at > width)
			return from - 1;
	}
	return len;
}

/* One line, without its newline; returns how much of it is styled. */
static size_t join_cells(const struct table *t, const struct table_line *l, struct buf *line)
{
	static const struct table_column beyond = {.gap = 2};
	size_t pending = 0, pad, width, len, styled = 0;
	const struct table_column *c;
	const char *s;
	u32 k;

	for (k = 0; k < l->nr; k++) {
		c = k < t->columns.nr ? &t->columns.v[k] : &beyond;
		s = cell(t, l->first + k, &len);
		width = text_width(s, len);
		pad = width < c->width && !(l->tail && k + 1 == l->nr) ? c->width - width : 0;
		if (c->width || len)
			pending += c->gap;
		pending += c->right ? pad : 0;
		if (len) {
			buf_pad(line, ' ', pending);
			if (t->fit && !c->right && c != &beyond)
				text_shorten(line, s, len, MAX(c->width, (u32)NARROWEST));
			else
				buf_add(line, s, len);
			pending = 0;
		}
		pending += c->right ? 0 : pad;
		if (k + 1 != l->styled)
			continue;
		if (k + 1 < l->nr) {
			buf_pad(line, ' ', pending);
			pending = 0;
		}
		styled = line->len;
	}
	return styled;
}

static void put_row(const struct table *t, const struct table_line *l, u32 width, struct buf *line,
		    struct buf *out)
{
	size_t styled, fits;

	buf_clear(line);
	styled = join_cells(t, l, line);
	fits = fitting(buf_str(line), line->len, width);
	styled = MIN(styled, fits);
	if (styled && l->on)
		buf_adds(out, l->on);
	buf_add(out, buf_str(line), styled);
	if (styled && l->off)
		buf_adds(out, l->off);
	buf_add(out, buf_str(line) + styled, fits - styled);
	buf_addc(out, '\n');
}

static void put_lines(const char *s, size_t len, u32 width, struct buf *out)
{
	const char *newline;

	while (len && (newline = memchr(s, '\n', len))) {
		const size_t line = (size_t)(newline - s);

		buf_add(out, s, fitting(s, line, width));
		buf_addc(out, '\n');
		s = newline + 1;
		len -= line + 1;
	}
}

void table_put(struct table *t, u32 width, struct buf *out)
{
	struct buf line = {0};
	size_t len;
	const char *s;
	u32 i;

	find_widths(t);
	for (i = 0; i < t->lines.nr; i++) {
		const struct table_line *l = &t->lines.v[i];

		if (!l->is_text) {
			put_row(t, l, width, &line, out);
		} else if (l->nr) {
			s = cell(t, l->first, &len);
			put_lines(s, len, width, out);
		}
	}
	out->failed |= t->text.failed | line.failed;
	buf_free(&line);
}

void table_free(struct table *t)
{
	vec_free(&t->columns);
	vec_free(&t->lines);
	vec_free(&t->starts);
	buf_free(&t->text);
}
