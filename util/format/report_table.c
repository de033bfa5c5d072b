// SPDX-License-Identifier: GPL-2.0
#include "util/format/report_table.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/table.h"
#include "util/base/text.h"

#define WIDTH_SHARE       8
#define WIDTH_NUMBER      12
#define WIDTH_GUEST       9
#define WIDTH_CPU         3
#define WIDTH_TIME        12
#define WIDTH_LEVEL       24
#define WIDTH_ADDRESS     22
#define WIDTH_IP          18
#define WIDTH_BLOCKED     10
#define WIDTH_UNRESOLVED  16
#define WIDTH_TRANSACTION 32
#define NARROWEST         16 /* of names that are shortened */
#define WIDTH_THREAD      8  /* "  20290:" */

#define SHARE_HIGH   5.0
#define SHARE_MIDDLE 0.5

const char *report_table_elided(const struct report_text *t, const struct report_column *c)
{
	switch (c->kind) {
	case KEY_COMM:
		return t->elided.comm;
	case KEY_DSO:
		return t->elided.dso;
	case KEY_SYMBOL:
		return t->elided.symbol;
	default:
		return NULL;
	}
}

static bool is_hidden(const struct report_text *t, const struct report_column *c)
{
	return report_table_elided(t, c) && (c->kind == KEY_COMM || !t->elided.callers);
}

/* Does some key differ between rows? A table whose keys are all the same in all rows shows them. */
static bool any_differs(const struct report_text *t, const struct report_columns *shown)
{
	u32 i;

	for (i = 0; i < shown->nr; i++)
		if (shown->v[i].key != ID_NONE && !is_hidden(t, &shown->v[i]))
			return true;
	return false;
}

static void put_cell(const struct report_view *v, const struct report_entry *e,
		     const struct report_column *c, struct buf *out)
{
	const struct report_symbol *s;

	if (c->kind == KEY_SYMBOL) {
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

static u32 nr_members(const struct report_view *v)
{
	return v->group ? v->group->nr : 1;
}

static size_t least_width(enum sample_key_kind kind)
{
	switch (kind) {
	case KEY_CHILDREN:
	case KEY_OVERHEAD:
	case KEY_OVERHEAD_SYS:
	case KEY_OVERHEAD_US:
	case KEY_OVERHEAD_CPU:
		return WIDTH_SHARE;
	case KEY_OVERHEAD_GUEST_SYS:
	case KEY_OVERHEAD_GUEST_US:
		return WIDTH_GUEST;
	case KEY_SAMPLES:
	case KEY_PERIOD:
		return WIDTH_NUMBER;
	case KEY_CPU:
		return WIDTH_CPU;
	case KEY_TIME:
	case KEY_LOCAL_WEIGHT:
	case KEY_WEIGHT:
	case KEY_SNOOP:
		return WIDTH_TIME;
	case KEY_MEM:
		return WIDTH_LEVEL;
	case KEY_TLB:
	case KEY_SYMBOL_FROM:
	case KEY_SYMBOL_TO:
	case KEY_ADDR_FROM:
	case KEY_ADDR_TO:
	case KEY_SYMBOL_DADDR:
	case KEY_SYMBOL_IADDR:
	case KEY_DCACHELINE:
	case KEY_PHYS_DADDR:
	case KEY_DATA_PAGE_SIZE:
		return WIDTH_ADDRESS;
	case KEY_ADDR:
		return WIDTH_IP;
	case KEY_BLOCKED:
		return WIDTH_BLOCKED;
	default:
		return 0;
	}
}

/* Is some function of the rows not known? Then the column of files has room for an address, as in perf. */
static bool any_unresolved(const struct report_table *t)
{
	const struct report_places *p = t->v->places;
	u32 i, key;

	if (!t->v->keys->nr_frame || t->t->brief)
		return false;
	if (t->v->entries->unresolved)
		return true;
	for (key = 0; key < t->v->keys->keys.nr; key++) {
		if (t->v->keys->keys.v[key].kind != KEY_SYMBOL)
			continue;
		for (i = 0; i < t->v->entries->v.nr; i++)
			if (!p->symbols.v[report_view_value(t->v, &t->v->entries->v.v[i], key)]
				     .name)
				return true;
	}
	return false;
}

static size_t width_of(const struct report_table *t, const char *s, size_t len)
{
	return t->t->byte_widths ? len : text_width(s, len);
}

/* How much room a cell makes in its column. perf's columns are as wide as any name. */
static size_t room_for(const struct report_table *t, const struct buf *cell)
{
	const size_t width = width_of(t, buf_str(cell), cell->len);

	return t->t->byte_widths ? width : MIN(width, t->t->fit ? t->t->fit : TABLE_WIDEST);
}

/* The bytes of so many columns. */
static size_t fitting(const struct report_table *t, const char *s, size_t len, size_t width)
{
	return t->t->byte_widths ? MIN(len, width) : text_fit(s, len, width);
}

static void measure(struct report_table *t, u32 column, bool unresolved)
{
	struct report_table_column *col = &t->columns[column];
	struct buf *cell = &t->t->cell;
	u32 i, nr = t->v->entries->v.nr;
	u64 value, last = 0;

	if (t->t->max_rows)
		nr = MIN(nr, t->t->max_rows);
	col->width = MAX(least_width(col->c->kind), strlen(report_keys_title(t->v->keys, col->c)));
	if (col->c->key == ID_NONE) {
		col->width = MAX(col->width, least_width(col->c->kind) * nr_members(t->v));
		return;
	}
	if (t->v->widths)
		col->width = MAX(col->width, t->v->widths[col->c->key]);
	if (col->c->kind == KEY_DSO && unresolved)
		col->width = MAX(col->width, WIDTH_UNRESOLVED);
	/* as in perf, what is wider runs over: CPUs of four digits only in its own text */
	if (col->c->kind == KEY_MEM || (col->c->kind == KEY_CPU && t->t->byte_widths))
		return;
	for (i = 0; i < nr; i++) {
		value = report_view_value(t->v, &t->v->entries->v.v[i], col->c->key);
		if (i && value == last)
			continue;
		last = value;
		if (col->c->kind == KEY_TRANSACTION) {
			if (value)
				col->width = MAX(col->width, WIDTH_TRANSACTION);
			continue;
		}
		buf_clear(cell);
		put_cell(t->v, &t->v->entries->v.v[i], col->c, cell);
		col->width = MAX(col->width, room_for(t, cell));
		if (col->c->kind == KEY_DSO_DADDR && !strcmp(buf_str(cell), "[unknown]"))
			col->width = MAX(col->width, WIDTH_UNRESOLVED);
	}
}

/* Fields and numbers are right-aligned in their columns. */
static bool is_right(enum sample_key_kind kind)
{
	return sample_key_is_number(kind) || kind == KEY_FIELD || kind == KEY_SOCKET ||
	       kind == KEY_SYMBOL_SIZE || kind == KEY_DSO_SIZE;
}

/* Names that a terminal has no room for. */
static bool is_shortened(const struct report_table *t, const struct report_table_column *c)
{
	return t->t->fit && !c->fixed && !t->t->separator && c->c->key != ID_NONE &&
	       !is_right(c->c->kind);
}

/* Take from the widest columns of names what rows are too long by. */
static void shrink(struct report_table *t)
{
	struct report_table_column *c, *widest;
	size_t total = 0;
	u32 i;

	for (i = 0; i < t->nr; i++)
		total += t->columns[i].width + 2;
	for (; total > t->t->fit; total--) {
		widest = NULL;
		for (i = 0; i < t->nr; i++) {
			c = &t->columns[i];
			if (is_shortened(t, c) && c->width > NARROWEST &&
			    (!widest || c->width > widest->width))
				widest = c;
		}
		if (!widest)
			return;
		widest->width--;
	}
}

const char *report_table_title(const struct report_table *t, u32 column)
{
	return report_keys_title(t->v->keys, t->columns[column].c);
}

/* A column of numbers has room for its title, and for all members of a group, whatever was asked for. */
static size_t least_fixed(const struct report_table *t, u32 column)
{
	const struct report_column *c = t->columns[column].c;
	size_t members = t->v->group ? least_width(c->kind) * nr_members(t->v) : 0;

	return c->key == ID_NONE ? MAX(strlen(report_table_title(t, column)), members) : 0;
}

bool report_table_init(struct report_table *t, struct report_text *text,
		       const struct report_view *v, bool elide, struct buf *out)
{
	const struct report_columns *shown = &v->keys->shown;
	bool unresolved;
	u32 i;

	*t = (struct report_table){.t = text, .v = v, .out = out};
	unresolved = any_unresolved(t);
	elide = elide && any_differs(text, shown);
	t->columns = calloc((size_t)shown->nr + 1, sizeof(*t->columns));
	if (!t->columns)
		return false;
	for (i = 0; i < shown->nr; i++) {
		if (!report_view_shows(v, &shown->v[i]) || (elide && is_hidden(text, &shown->v[i])))
			continue;
		t->columns[t->nr].c = &shown->v[i];
		/* columns that are not shown have theirs, too */
		t->columns[t->nr].fixed = i < text->nr_widths ? text->widths[i] : 0;
		t->nr++;
	}
	for (i = 0; i < t->nr; i++) {
		if (t->columns[i].fixed)
			t->columns[i].width = MAX(t->columns[i].fixed, least_fixed(t, i));
		else
			measure(t, i, unresolved);
	}
	if (text->fit)
		shrink(t);
	return true;
}

void report_table_free(struct report_table *t)
{
	t->out->failed |= t->t->cell.failed;
	buf_free(&t->t->cell);
	free(t->columns);
}

static void put_separated(const struct report_text *t, const char *s, size_t len, struct buf *out)
{
	size_t i;

	for (i = 0; i < len; i++)
		buf_addc(out, strchr(t->separator, s[i]) && s[i] ? '.' : s[i]);
}

/* What ends a line without blanks behind it, as in perf. */
static bool is_last_bare(enum sample_key_kind kind)
{
	return kind == KEY_SYMBOL || kind == KEY_SRCLINE || kind == KEY_SRCFILE ||
	       kind == KEY_TRACE || kind == KEY_SYMBOL_FROM || kind == KEY_SYMBOL_TO ||
	       kind == KEY_SYMBOL_DADDR || kind == KEY_SYMBOL_IADDR || kind == KEY_DCACHELINE ||
	       kind == KEY_LOCKED || kind == KEY_CGROUP || kind == KEY_CGROUP_ID ||
	       kind == KEY_TIME;
}

void report_table_cell(const struct report_table *t, const struct report_entry *e, u32 i,
		       struct buf *cell)
{
	struct buf whole = {0};

	buf_clear(cell);
	put_cell(t->v, e, t->columns[i].c, cell);
	if (!is_shortened(t, &t->columns[i]) ||
	    width_of(t, buf_str(cell), cell->len) <= t->columns[i].width)
		return;
	buf_add(&whole, cell->data, cell->len);
	buf_clear(cell);
	text_shorten(cell, buf_str(&whole), whole.len, t->columns[i].width);
	cell->failed |= whole.failed;
	buf_free(&whole);
}

/*
 * What is not cut: "[.] 0x0000000000001139", a function without a name, which only its end identifies; "  20290:spin" in
 * columns that are too narrow for the number, as in perf.
 */
static bool is_whole(const struct report_table_column *c, const char *s, size_t len)
{
	if (c->c->kind == KEY_THREAD || c->c->kind == KEY_PROCESS)
		return c->width < WIDTH_THREAD;
	return c->c->kind == KEY_SYMBOL && len > 4 && isdigit((u8)s[4]);
}

void report_table_text(const struct report_table *t, u32 i, const char *s, size_t len,
		       bool is_title)
{
	const struct report_table_column *c = &t->columns[i];
	const struct report_columns *shown = &t->v->keys->shown;
	bool bare = !is_title && c->c == &shown->v[shown->nr - 1] && is_last_bare(c->c->kind);
	size_t pad, width;

	if (c->fixed && (is_title || !is_whole(c, s, len)))
		len = fitting(t, s, len, c->width);
	width = width_of(t, s, len);
	pad = c->width > width ? c->width - width : 0;
	if (is_right(c->c->kind))
		buf_pad(t->out, ' ', pad);
	if (t->t->separator && !is_title)
		put_separated(t->t, s, len, t->out);
	else
		buf_add(t->out, s, len);
	if (!is_right(c->c->kind) && !bare)
		buf_pad(t->out, ' ', pad);
}

void report_table_between(const struct report_table *t, u32 i)
{
	if (!t->t->separator)
		buf_adds(t->out, "  ");
	else if (i)
		buf_adds(t->out, t->t->separator);
}

/*
 * One number of a row, behind a blank at least: of a group each member has one, of `width`, which separators make
 * as short as can be. Returns how many columns it took.
 */
static size_t put_number(const struct report_table *t, enum sample_key_kind kind, u64 number,
			 double share, size_t width)
{
	const struct report_text_colours *c = &t->t->colours;
	struct buf *cell = &t->t->cell;
	const char *colour = "";
	size_t blanks;

	buf_clear(cell);
	if (sample_key_is_share(kind)) {
		buf_fixed2(cell, share);
		buf_addc(cell, '%');
		colour = share >= SHARE_HIGH ? c->high : share > SHARE_MIDDLE ? c->middle : "";
	} else {
		buf_dec(cell, number, 0);
	}
	blanks = !t->t->separator && width > cell->len ? width - cell->len : 1;
	buf_adds(t->out, colour);
	buf_pad(t->out, ' ', blanks);
	if (t->t->separator)
		put_separated(t->t, buf_str(cell), cell->len, t->out);
	else
		buf_add(t->out, buf_str(cell), cell->len);
	if (*colour)
		buf_adds(t->out, c->off);
	return blanks + cell->len;
}

void report_table_numbers(const struct report_table *t, u32 i, const struct report_numbers *n)
{
	const struct report_table_column *col = &t->columns[i];
	enum sample_key_kind kind = col->c->kind;
	size_t each = least_width(kind), first = each, width = 0;
	u32 m, nr = nr_members(t->v);
	double share;
	u64 number;

	if (col->fixed)
		first = each = col->fixed;
	else if (col->width > each * nr)
		first += col->width - each * nr;
	for (m = 0; m < nr; m++) {
		number = report_view_member(t->v, &n[m], kind);
		share = report_view_column_percent(t->v, m, kind, number);
		/* the first one has what the title needs besides */
		width += put_number(t, kind, number, share, m ? each : first);
	}
	buf_pad(t->out, ' ', col->width > width ? col->width - width : 0);
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

static void put_count(const struct report_table *t, u64 weight)
{
	buf_addf(t->out, "\n# Event count (approx.): %llu", (unsigned long long)weight);
	buf_adds(t->out, t->v->keys->latency ? " by wall-clock time\n#\n" : "\n#\n");
}

void report_table_event(const struct report_table *t)
{
	u64 samples = t->v->samples_in_all, weight = t->v->weight_in_all;
	u32 m;

	for (m = 1; m < nr_members(t->v); m++) {
		samples += t->v->group->members[m].samples_in_all;
		weight += t->v->group->members[m].weight_in_all;
	}
	buf_adds(t->out, "# Samples: ");
	put_short(samples, t->out);
	buf_adds(t->out, t->v->group ? " of events '" : " of event '");
	text_escape(t->out, t->v->event, strlen(t->v->event));
	buf_adds(t->out, "'");
	if (t->t->times) {
		buf_adds(t->out, " (time slices: ");
		text_escape(t->out, t->t->times, strlen(t->t->times));
		buf_addc(t->out, ')');
	}
	if (t->t->brief)
		buf_addc(t->out, '\n');
	else if (t->t->memory)
		buf_addf(t->out, "\n# Total weight : %llu\n# Sort order   : %s\n#\n",
			 (unsigned long long)weight, t->t->memory);
	else
		put_count(t, weight);
}
