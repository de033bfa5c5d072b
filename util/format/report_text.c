// SPDX-License-Identifier: GPL-2.0
#include "util/format/report_text.h"

#include <stdlib.h>
#include <string.h>

#include "util/base/text.h"

#define WIDTH_SHARE      8
#define WIDTH_NUMBER     12
#define WIDTH_CPU        3
#define WIDTH_TIME       12
#define WIDTH_UNRESOLVED 16

#define SHARE_HIGH   5.0
#define SHARE_MIDDLE 0.5

/* One event's table. */
struct table {
	struct report_text *t;
	const struct report_view *v;
	struct column {
		const struct report_column *c;
		size_t width;
		bool fixed;
	} * columns;
	u32 nr;
	struct buf *out;
};

static const char *elided(const struct report_elided *e, enum report_kind kind)
{
	switch (kind) {
	case REPORT_COMM:
		return e->comm;
	case REPORT_DSO:
		return e->dso;
	case REPORT_SYMBOL:
		return e->symbol;
	default:
		return NULL;
	}
}

/* A table whose keys are all the same in all rows shows them. */
static bool elides(const struct report_text *t, const struct report_keys *keys,
		   const struct report_column *c)
{
	u32 i;

	if (!elided(&t->elided, c->kind))
		return false;
	for (i = 0; i < keys->shown.nr; i++)
		if (keys->shown.v[i].key != ID_NONE && !elided(&t->elided, keys->shown.v[i].kind))
			return true;
	return false;
}

static void put_cell(const struct report_view *v, const struct report_entry *e,
		     const struct report_column *c, struct buf *out)
{
	const struct report_symbol *s;

	if (c->kind == REPORT_SYMBOL) {
		s = &v->places->symbols.v[report_view_value(v, e, c->key)];
		buf_addc(out, '[');
		buf_addc(out, s->level == '!' ? '.' : s->level);
		buf_adds(out, "] ");
		report_view_put(v, e, c->key, out);
		if (s->inlined)
			buf_adds(out, " (inlined)");
	} else {
		report_view_put(v, e, c->key, out);
	}
}

static size_t least_width(enum report_kind kind)
{
	switch (kind) {
	case REPORT_CHILDREN:
	case REPORT_OVERHEAD:
		return WIDTH_SHARE;
	case REPORT_SAMPLES:
	case REPORT_PERIOD:
		return WIDTH_NUMBER;
	case REPORT_CPU:
		return WIDTH_CPU;
	case REPORT_TIME:
		return WIDTH_TIME;
	default:
		return 0;
	}
}

static const char *title(const struct table *t, const struct report_column *c)
{
	return report_keys_title(t->v->keys, c);
}

static bool is_left_out(const struct table *t, const struct report_entry *e)
{
	return report_view_share(t->v, e) < t->t->percent_limit;
}

/* Is some function of the rows not known? Then the column of files has room for an address. */
static bool any_unresolved(const struct table *t)
{
	const struct report_places *p = t->v->places;
	u32 i, key;

	for (key = 0; key < t->v->keys->keys.nr; key++) {
		if (t->v->keys->keys.v[key].kind != REPORT_SYMBOL)
			continue;
		for (i = 0; i < t->v->entries->v.nr; i++)
			if (!p->symbols.v[report_view_value(t->v, &t->v->entries->v.v[i], key)]
				     .name)
				return true;
	}
	return false;
}

static void measure(struct table *t, struct column *col, bool unresolved)
{
	struct buf *cell = &t->t->cell;
	u64 value, last = 0;
	u32 i;

	col->width = MAX(least_width(col->c->kind), strlen(title(t, col->c)));
	if (col->c->key == ID_NONE)
		return;
	if (t->v->widths)
		col->width = MAX(col->width, t->v->widths[col->c->key]);
	if (col->c->kind == REPORT_DSO && unresolved)
		col->width = MAX(col->width, WIDTH_UNRESOLVED);
	for (i = 0; i < t->v->entries->v.nr; i++) {
		value = report_view_value(t->v, &t->v->entries->v.v[i], col->c->key);
		if (i && value == last)
			continue;
		last = value;
		buf_clear(cell);
		put_cell(t->v, &t->v->entries->v.v[i], col->c, cell);
		col->width = MAX(col->width, cell->len);
	}
}

/* False when memory is out. */
static bool choose_columns(struct table *t)
{
	const struct report_columns *shown = &t->v->keys->shown;
	bool unresolved = any_unresolved(t);
	u32 i;

	t->columns = calloc((size_t)shown->nr + 1, sizeof(*t->columns));
	if (!t->columns)
		return false;
	for (i = 0; i < shown->nr; i++)
		if (report_view_shows(t->v, &shown->v[i]) &&
		    !elides(t->t, t->v->keys, &shown->v[i]))
			t->columns[t->nr++].c = &shown->v[i];
	for (i = 0; i < t->nr && !t->t->separator; i++) {
		t->columns[i].fixed = i < t->t->nr_widths && t->t->widths[i];
		if (t->columns[i].fixed)
			t->columns[i].width = t->t->widths[i];
		else
			measure(t, &t->columns[i], unresolved);
	}
	return true;
}

/* Fields and numbers stand at the right end of their columns. */
static bool is_right(enum report_kind kind)
{
	return report_kind_is_number(kind) || kind == REPORT_FIELD;
}

static void put_separated(const struct report_text *t, const char *s, size_t len, struct buf *out)
{
	size_t i;

	for (i = 0; i < len; i++)
		buf_addc(out, strchr(t->separator, s[i]) && s[i] ? '.' : s[i]);
}

/* What ends a line without blanks behind it, as in perf. */
static bool is_last_bare(enum report_kind kind)
{
	return kind == REPORT_SYMBOL || kind == REPORT_SRCLINE || kind == REPORT_SRCFILE ||
	       kind == REPORT_TRACE;
}

/* A value in its column. */
static void put_padded(struct table *t, u32 i, const char *s, size_t len, bool is_title)
{
	const struct column *c = &t->columns[i];
	const struct report_columns *shown = &t->v->keys->shown;
	bool bare = !is_title && c->c == &shown->v[shown->nr - 1] && is_last_bare(c->c->kind);
	size_t pad;

	if (t->t->separator) {
		put_separated(t->t, s, len, t->out);
		return;
	}
	if (c->fixed)
		len = MIN(len, c->width);
	pad = c->width > len ? c->width - len : 0;
	if (is_right(c->c->kind))
		buf_pad(t->out, ' ', pad);
	buf_add(t->out, s, len);
	if (!is_right(c->c->kind) && !bare)
		buf_pad(t->out, ' ', pad);
}

static void put_between(const struct table *t, u32 i)
{
	if (!t->t->separator)
		buf_adds(t->out, "  ");
	else if (i)
		buf_adds(t->out, t->t->separator);
}

static void put_titles(struct table *t)
{
	u32 i;

	for (i = 0; i < t->nr; i++) {
		if (i)
			put_between(t, i);
		else
			buf_adds(t->out, "# ");
		put_padded(t, i, title(t, t->columns[i].c), strlen(title(t, t->columns[i].c)),
			   true);
	}
	buf_addc(t->out, '\n');
	if (t->t->separator)
		return;
	for (i = 0; i < t->nr; i++) {
		buf_adds(t->out, i ? "  " : "# ");
		buf_pad(t->out, '.', t->columns[i].width);
	}
	buf_adds(t->out, "\n#\n");
}

static void put_share(struct table *t, u32 i, double share)
{
	const struct report_text_colours *c = &t->t->colours;
	const char *colour = share >= SHARE_HIGH ? c->high : share > SHARE_MIDDLE ? c->middle : "";
	struct buf *cell = &t->t->cell;

	buf_clear(cell);
	buf_fixed2(cell, share);
	buf_addc(cell, '%');
	buf_adds(t->out, colour);
	put_padded(t, i, buf_str(cell), cell->len, false);
	if (*colour)
		buf_adds(t->out, c->off);
}

static void put_row(struct table *t, const struct report_entry *e)
{
	struct buf *cell = &t->t->cell;
	const struct report_column *c;
	u64 number;
	u32 i;

	for (i = 0; i < t->nr; i++) {
		c = t->columns[i].c;
		put_between(t, i);
		number = c->key == ID_NONE ? report_view_number(t->v, e, c->kind) : 0;
		if (c->kind == REPORT_OVERHEAD || c->kind == REPORT_CHILDREN) {
			put_share(t, i, report_view_percent(t->v, number));
			continue;
		}
		buf_clear(cell);
		if (c->key == ID_NONE)
			buf_dec(cell, number, 0);
		else
			put_cell(t->v, e, c, cell);
		put_padded(t, i, buf_str(cell), cell->len, false);
	}
	buf_addc(t->out, '\n');
	if (t->t->below)
		t->t->below->put(t->t->below, t->v, e, t->out);
}

/* 1234567 is "1M"; what is below 1001 has a blank. */
static void put_short(u64 v, struct buf *out)
{
	static const char units[] = " KMG";
	u32 i = 0;

	while (v > 1000 && i < 3) {
		v /= 1000;
		i++;
	}
	buf_dec(out, v, 0);
	buf_addc(out, units[i]);
}

static void put_event(const struct table *t)
{
	buf_adds(t->out, "# Samples: ");
	put_short(t->v->samples_in_all, t->out);
	buf_adds(t->out, " of event '");
	text_escape(t->out, t->v->event, strlen(t->v->event));
	buf_adds(t->out, "'");
	if (t->t->times) {
		buf_adds(t->out, " (time slices: ");
		text_escape(t->out, t->t->times, strlen(t->t->times));
		buf_addc(t->out, ')');
	}
	buf_addf(t->out, "\n# Event count (approx.): %llu\n#\n",
		 (unsigned long long)t->v->weight_in_all);
}

void report_text_head(const struct report_text *t, const struct report_keys *keys, u64 lost,
		      struct buf *out)
{
	const char *only;
	u32 i;

	if (t->no_titles)
		return;
	for (i = 0; i < keys->shown.nr; i++) {
		if (!elides(t, keys, &keys->shown.v[i]))
			continue;
		only = elided(&t->elided, keys->shown.v[i].kind);
		buf_addf(out, "# %s: ", report_keys_name(keys, &keys->shown.v[i]));
		text_escape(out, only, strlen(only));
		buf_addc(out, '\n');
	}
	buf_addf(out, "#\n# Total Lost Samples: %llu\n#\n", (unsigned long long)lost);
}

void report_text_event(struct report_text *t, const struct report_view *v, struct buf *out)
{
	struct table table = {.t = t, .v = v, .out = out};
	u32 i;

	if (!choose_columns(&table)) {
		out->failed = true;
		return;
	}
	if (!t->no_titles) {
		put_event(&table);
		put_titles(&table);
	}
	for (i = 0; i < v->entries->v.nr; i++)
		if (!is_left_out(&table, &v->entries->v.v[i]))
			put_row(&table, &v->entries->v.v[i]);
	buf_adds(out, "\n\n");
	out->failed |= t->cell.failed;
	buf_free(&t->cell);
	free(table.columns);
}
