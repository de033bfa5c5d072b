// SPDX-License-Identifier: GPL-2.0
#include "util/format/annotation_text.h"

#include <stdio.h>
#include <string.h>

#include "util/base/num.h"
#include "util/base/text.h"

#define HOTTEST 5
/* What has less is not among the hottest, but for the first. */
#define HOTTEST_PERCENT 2.0
/* A screen: the hottest instructions of functions that fit on it are seen without a list. */
#define SHORT_ROWS 30
#define TAB_WIDTH  8
/* Bytes of a line of source. */
#define SOURCE_MAX 200
#define PLACE_MAX  160
#define NAME_LONG  48
/* Where lines of source without text begin, from the instruction on. */
#define PLACE_COLUMN 44

/* A function while it is written. */
struct writing {
	const struct annotation_text *t;
	const struct annotation *a;
	struct buf *out;
	struct annotation_rows rows;
	u32 address_width, place_width;
	u32 line; /* of source that was shown last; ID_NONE: none */
};

static const char *colour_of(const struct annotation_text *t, double percent)
{
	return percent >= 5 ? t->colours.high : percent > 0.5 ? t->colours.middle : "";
}

static void put_percent(const struct annotation_text *t, u64 weight, u64 all, struct buf *out)
{
	double percent = num_percent(weight, all);
	const char *on = colour_of(t, percent);

	buf_addf(out, "%s%9.2f%s", on, percent, *on ? t->colours.off : "");
}

void annotation_text_heading(const struct annotation_text *t, const struct annotation_heading *h,
			     struct buf *out)
{
	const char *symbol = h->symbol ? h->symbol : "[unknown]";

	buf_addf(out, "# %s%.2f%% of ", t->colours.bold, num_percent(h->weight, h->all_weight));
	text_escape(out, h->event, strlen(h->event));
	buf_addf(out, ": %llu of %llu sample%s in %s", (unsigned long long)h->samples,
		 (unsigned long long)h->all_samples, TEXT_PLURAL(h->all_samples),
		 strncmp(symbol, "0x", 2) ? "" : "the function at ");
	text_escape(out, symbol, strlen(symbol));
	buf_adds(out, " of ");
	text_escape(out, h->dso, strlen(h->dso));
	buf_addf(out, "%s\n", t->colours.off);
}

/* "loops.c:12" */
static void put_place(const struct annotation_text *t, const char *file, u32 line, struct buf *out)
{
	const char *slash = file && !t->full_paths ? strrchr(file, '/') : NULL;
	const char *name = slash ? slash + 1 : file ? file : "?";

	text_escape(out, name, text_cut(name, strlen(name), PLACE_MAX));
	buf_addf(out, ":%u", line);
}

/* Without the blanks before it, or with them; tabs as blanks. */
static void put_source(const char *s, size_t len, bool trim, struct buf *out)
{
	size_t i, from, column = 0;

	for (i = 0; i < len && (s[i] == ' ' || s[i] == '\t'); i++)
		column += s[i] == '\t' ? TAB_WIDTH - column % TAB_WIDTH : 1;
	if (!trim)
		buf_pad(out, ' ', MIN(column, (size_t)SOURCE_MAX));
	len = MIN(len, i + text_cut(s + i, len - i, SOURCE_MAX));
	while (len > i && (s[len - 1] == ' ' || s[len - 1] == '\t'))
		len--;
	while (i < len) {
		from = i;
		while (i < len && s[i] != '\t')
			i++;
		text_escape(out, s + from, i - from);
		if (i < len) {
			buf_addc(out, ' ');
			i++;
		}
	}
}

/* Of a long name of C++, what is in angle brackets is left out. */
static void put_function(const char *name, struct buf *out)
{
	struct buf plain = {0};
	u32 depth = 0;
	size_t i, len = strlen(name);

	for (i = 0; len > NAME_LONG && i < len; i++) {
		if (name[i] == '<' && !(i >= 8 && !strncmp(name + i - 8, "operator", 8)))
			depth++;
		if (!depth)
			buf_addc(&plain, name[i]);
		if (name[i] == '>' && depth && !--depth)
			buf_adds(&plain, "<>");
	}
	/* brackets that do not close are no brackets */
	if (plain.len && !depth) {
		name = buf_str(&plain);
		len = plain.len;
	}
	text_escape(out, name, text_cut(name, len, PLACE_MAX));
	buf_free(&plain);
}

static const char *source_of(const struct writing *w, const struct annotation_line *l, size_t *len)
{
	return w->t->sources ? source_text_line(w->t->sources, l->file, l->line, len) : NULL;
}

/* What has samples, with their sums, hottest first. */
struct hot {
	u32 nr;
	struct hot_row {
		u32 index; /* of the line or the instruction */
		u64 weight;
	} v[HOTTEST];
};

static void note_hot(struct hot *h, u32 index, u64 weight)
{
	u32 i = h->nr;

	if (!weight)
		return;
	while (i && h->v[i - 1].weight < weight)
		i--;
	if (i == HOTTEST)
		return;
	h->nr = MIN(h->nr + 1, (u32)HOTTEST);
	memmove(&h->v[i + 1], &h->v[i], (h->nr - 1 - i) * sizeof(*h->v));
	h->v[i] = (struct hot_row){index, weight};
}

/* Where a line is, or the line of the function itself that it came from. */
static void find_place(const struct annotation_line *l, bool own, const char **file, u32 *line)
{
	own &= l->inlined && l->at_file;
	*file = own ? l->at_file : l->file;
	*line = own ? l->at_line : l->line;
}

/* A line may have been inlined at several places: its sums are of all of them. False when memory is out. */
static bool find_hot_lines(const struct annotation *a, bool own, struct hot *h)
{
	struct place_sum {
		u32 index;
		u64 weight;
	};
	VEC(struct place_sum) sums = {0};
	struct hmap known = {0};
	const struct annotation_line *l;
	struct place_sum *p;
	bool ok = true;
	const char *file;
	u32 i, at, line;
	u64 key;

	for (i = 0; i < a->lines.nr && ok; i++) {
		l = &a->lines.v[i];
		if (!l->weight)
			continue;
		find_place(l, own, &file, &line);
		key = hash_u64((u64)(uintptr_t)file) + line;
		at = hmap_get(&known, key);
		if (at != ID_NONE) {
			sums.v[at].weight += l->weight;
			continue;
		}
		p = vec_push(&sums);
		ok = p && hmap_set(&known, key, sums.nr - 1);
		if (ok)
			*p = (struct place_sum){i, l->weight};
	}
	for (i = 0; i < sums.nr && ok; i++)
		note_hot(h, sums.v[i].index, sums.v[i].weight);
	vec_free(&sums);
	hmap_free(&known);
	return ok;
}

/* Is it worth a line in a list? */
static bool is_hot(const struct writing *w, const struct hot *h, u32 i)
{
	return i < h->nr && (!i || num_percent(h->v[i].weight, w->a->weight) >= HOTTEST_PERCENT);
}

static size_t place_width(const struct writing *w, const struct annotation_line *l)
{
	struct buf b = {0};
	size_t width;

	put_place(w->t, l->file, l->line, &b);
	width = text_width(buf_str(&b), b.len);
	buf_free(&b);
	return width;
}

static void pad_place(struct writing *w, const struct annotation_line *l, u32 width)
{
	size_t at = w->out->len, used;

	put_place(w->t, l->file, l->line, w->out);
	used = text_width(buf_str(w->out) + at, w->out->len - at);
	buf_pad(w->out, ' ', used < width ? width - used : 0);
}

static bool has_inlined(const struct annotation *a)
{
	u32 i;

	for (i = 0; i < a->lines.nr; i++)
		if (a->lines.v[i].inlined && a->lines.v[i].weight)
			return true;
	return false;
}

/* `own`: by lines of the function itself. */
static void put_hot_lines(struct writing *w, bool own)
{
	struct annotation_line l;
	struct hot h = {0};
	u32 i, width = 0;
	const char *s;
	size_t len;

	if (!find_hot_lines(w->a, own, &h)) {
		w->out->failed = true;
		return;
	}
	for (i = 0; is_hot(w, &h, i); i++) {
		l = w->a->lines.v[h.v[i].index];
		find_place(&l, own, &l.file, &l.line);
		width = MAX(width, (u32)place_width(w, &l));
	}
	if (h.nr)
		buf_addf(w->out, "#\n# Hottest lines%s:\n",
			 own ? " of the function itself, with what was inlined there" : "");
	for (i = 0; is_hot(w, &h, i); i++) {
		l = w->a->lines.v[h.v[i].index];
		find_place(&l, own, &l.file, &l.line);
		if (own)
			l.inlined = NULL;
		s = source_of(w, &l, &len);
		buf_addc(w->out, '#');
		put_percent(w->t, h.v[i].weight, w->a->weight, w->out);
		buf_adds(w->out, "%  ");
		pad_place(w, &l, s || l.inlined ? width : 0);
		if (s) {
			buf_adds(w->out, "  ");
			put_source(s, len, true, w->out);
		}
		if (l.inlined) {
			buf_adds(w->out, "  [inlined ");
			put_function(l.inlined, w->out);
			buf_addc(w->out, ']');
		}
		buf_addc(w->out, '\n');
	}
}

static void put_hot_insns(struct writing *w)
{
	const struct annotation_insn *in;
	struct hot h = {0};
	u32 i;

	if (w->rows.v.nr <= SHORT_ROWS)
		return;
	for (i = 0; i < w->a->insns.nr; i++)
		note_hot(&h, i, w->a->insns.v[i].weight);
	if (h.nr)
		buf_adds(w->out, "#\n# Hottest instructions:\n");
	for (i = 0; is_hot(w, &h, i); i++) {
		in = &w->a->insns.v[h.v[i].index];
		buf_addc(w->out, '#');
		put_percent(w->t, in->weight, w->a->weight, w->out);
		buf_addf(w->out, "%%  %*llx  %s", (int)w->address_width,
			 (unsigned long long)in->addr, annotation_text(w->a, in));
		if (in->line != ID_NONE) {
			buf_adds(w->out, "  ");
			buf_adds(w->out, w->t->colours.dim);
			put_place(w->t, w->a->lines.v[in->line].file, w->a->lines.v[in->line].line,
				  w->out);
			buf_adds(w->out, w->t->colours.off);
		}
		buf_addc(w->out, '\n');
	}
}

/* The columns of numbers, which are empty beside what has no samples. */
static void put_numbers(const struct writing *w, const struct annotation_insn *i)
{
	if (i && i->samples)
		put_percent(w->t, i->weight, w->a->weight, w->out);
	else
		buf_pad(w->out, ' ', 9);
	if (w->t->samples && i && i->samples)
		buf_addf(w->out, " %9llu", (unsigned long long)i->samples);
	else if (w->t->samples)
		buf_pad(w->out, ' ', 10);
	if (w->t->period && i && i->samples)
		buf_addf(w->out, " %13llu", (unsigned long long)i->weight);
	else if (w->t->period)
		buf_pad(w->out, ' ', 14);
	buf_adds(w->out, " | ");
}

static void put_inlined(const struct writing *w, const struct annotation_line *l)
{
	if (!l->inlined)
		return;
	buf_adds(w->out, "  [inlined ");
	put_function(l->inlined, w->out);
	if (l->at_file) {
		buf_adds(w->out, " at ");
		put_place(w->t, l->at_file, l->at_line, w->out);
	}
	buf_addc(w->out, ']');
}

/* A line of source, before the first of the instructions that were made of it. */
static void put_line(struct writing *w, const struct annotation_line *l, const char *s, size_t len)
{
	put_numbers(w, NULL);
	buf_adds(w->out, w->t->colours.dim);
	pad_place(w, l, w->place_width);
	buf_addc(w->out, ' ');
	put_source(s, len, false, w->out);
	put_inlined(w, l);
	buf_adds(w->out, w->t->colours.off);
	buf_addc(w->out, '\n');
}

/* One whose text is not here, behind that instruction. */
static void put_line_behind(struct writing *w, const struct annotation_line *l, size_t from)
{
	size_t width = text_width(w->out->data + from, w->out->len - from);

	buf_pad(w->out, ' ', width < PLACE_COLUMN ? PLACE_COLUMN - width : 2);
	buf_adds(w->out, w->t->colours.dim);
	put_place(w->t, l->file, l->line, w->out);
	put_inlined(w, l);
	buf_adds(w->out, w->t->colours.off);
}

static void put_hidden(struct writing *w, const struct annotation_row *r)
{
	put_numbers(w, NULL);
	buf_addf(w->out, "%*s  %s %s... %u instruction%s without samples%s\n",
		 (int)w->address_width, "", r->arrows, w->t->colours.dim, r->hidden,
		 TEXT_PLURAL(r->hidden), w->t->colours.off);
	w->line = ID_NONE;
}

static void put_row(struct writing *w, const struct annotation_row *r)
{
	const struct annotation_insn *i = &w->a->insns.v[r->insn];
	const struct annotation_line *l = NULL;
	const char *s = NULL;
	size_t len = 0, from;

	if (r->hidden) {
		put_hidden(w, r);
		return;
	}
	if (w->t->sources && i->line != w->line && i->line != ID_NONE) {
		l = &w->a->lines.v[i->line];
		s = source_of(w, l, &len);
	}
	w->line = i->line;
	if (s)
		put_line(w, l, s, len);
	put_numbers(w, i);
	buf_addf(w->out, "%*llx  %s ", (int)w->address_width, (unsigned long long)i->addr,
		 r->arrows);
	from = w->out->len;
	buf_adds(w->out, annotation_text(w->a, i));
	if (l && !s && !w->out->failed)
		put_line_behind(w, l, from);
	buf_addc(w->out, '\n');
}

static void put_titles(const struct writing *w)
{
	buf_adds(w->out, "#\n  Percent");
	if (w->t->samples)
		buf_adds(w->out, "   Samples");
	if (w->t->period)
		buf_adds(w->out, "        Period");
	buf_addf(w->out, " | %*s\n", (int)w->address_width, "Address");
}

/* What the numbers do not add up to. */
static void put_rest(const struct writing *w)
{
	const struct annotation *a = w->a;

	if (a->cut)
		buf_addf(w->out, "# the last %llu bytes of the function are not shown\n",
			 (unsigned long long)a->cut);
}

static void measure(struct writing *w)
{
	const struct annotation *a = w->a;
	char last[32];
	u32 i;

	w->address_width = 7;
	if (a->insns.nr)
		w->address_width =
			(u32)MAX(snprintf(last, sizeof(last), "%llx",
					  (unsigned long long)a->insns.v[a->insns.nr - 1].addr),
				 7);
	for (i = 0; i < a->lines.nr; i++)
		w->place_width = MAX(w->place_width, (u32)place_width(w, &a->lines.v[i]));
	w->place_width = MIN(w->place_width, 24u);
}

/* Of which file it is, and what of that is missing. */
static void put_file(const struct writing *w)
{
	const char *file = w->a->file;

	if (w->a->code_file) {
		buf_adds(w->out, "# code of ");
		text_escape(w->out, w->a->code_file, strlen(w->a->code_file));
		buf_addc(w->out, '\n');
	} else if (w->t->sources && !w->a->lines.nr) {
		buf_addf(w->out, "# no lines of source: %s has no debug information (cc -g)\n",
			 w->a->has_lines ? "the function" : "the file");
	}
	if (w->a->outside)
		buf_addf(w->out, "# %llu of %llu samples are behind what is shown\n",
			 (unsigned long long)w->a->outside, (unsigned long long)w->a->samples);
	if (!file)
		return;
	buf_adds(w->out, "# ");
	text_escape(w->out, file, strlen(file));
	if (w->t->sources && !source_text_file(w->t->sources, file))
		buf_adds(w->out, ", which is not here");
	buf_addc(w->out, '\n');
}

void annotation_text_put(const struct annotation_text *t, const struct annotation *a,
			 struct buf *out)
{
	struct writing w = {.t = t, .a = a, .out = out, .line = ID_NONE};
	u32 i;

	if (!annotation_rows_make(&w.rows, a, t->context)) {
		out->failed = true;
		annotation_rows_free(&w.rows);
		return;
	}
	measure(&w);
	put_file(&w);
	if (t->sources)
		put_hot_lines(&w, false);
	if (t->sources && has_inlined(a))
		put_hot_lines(&w, true);
	put_hot_insns(&w);
	put_titles(&w);
	for (i = 0; i < w.rows.v.nr; i++)
		put_row(&w, &w.rows.v.v[i]);
	put_rest(&w);
	annotation_rows_free(&w.rows);
}
