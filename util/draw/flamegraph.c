// SPDX-License-Identifier: GPL-2.0
#include "util/draw/flamegraph.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/text.h"
#include "util/draw/flamegraph_internal.h"
#include "util/draw/include_text.h"

INCLUDE_TEXT("flamegraph_js", "util/draw/flamegraph.js");
INCLUDE_TEXT("flamegraph_css", "util/draw/flamegraph.css");

/*
 * The frames of a flame graph as SVG: what is seen where no script runs.
 *
 * A box of 3 px or more is a group with its title, its rectangle and as much of its name as there
 * is room for. Narrower ones differ by their tone alone: they are drawn as one path for
 * each tone, in which neighbours of the same tone are one.
 */

#define CPX          FLAMEGRAPH_SHEET_CPX
#define GAP          FLAMEGRAPH_SHEET_GAP
#define LEFT         (FLAMEGRAPH_SHEET_MARGIN * CPX)
#define FRAME_LETTER 745 /* cpx of a letter in a frame: 12 px monospace, rounded up */
#define PAD          (3 * CPX)
#define ALONE        (6 * GAP) /* narrower ones have no gap, and no group */

/* ---- boxes with room for a gap ---- */

static const char *word_of(const struct flamegraph_name *n)
{
	static const char made[] = "[JIT]";

	switch (n->class) {
	case FRAME_CLASS_KERNEL:
		return " [kernel]";
	case FRAME_CLASS_INLINED:
		return " [inlined]";
	case FRAME_CLASS_MADE:
		/* code without a symbol is called that */
		return n->len == strlen(made) && !memcmp(n->s, made, n->len) ? "" : " [JIT]";
	default:
		return "";
	}
}

static void put_old(struct flamegraph_sheet *s, const struct flamegraph_box *b, u32 share)
{
	u32 old = flamegraph_tone_share(b->old, s->layout.tree->old_total);

	buf_adds(s->out, ", ");
	flamegraph_sheet_put_change(s->out, (s64)share - (s64)old);
	buf_adds(s->out, "; before: ");
	flamegraph_sheet_put_amount(s, b->old);
	buf_adds(s->out, ", ");
	flamegraph_sheet_put_percent(s->out, old);
}

static void put_title(struct flamegraph_sheet *s, const struct flamegraph_box *b,
		      const struct flamegraph_name *n)
{
	u32 share = flamegraph_tone_share(b->total, s->layout.tree->total);

	buf_adds(s->out, "<title>");
	flamegraph_sheet_put_text(s, n->s, n->len);
	buf_adds(s->out, word_of(n));
	buf_adds(s->out, " (");
	flamegraph_sheet_put_amount(s, b->total);
	buf_adds(s->out, ", ");
	flamegraph_sheet_put_percent(s->out, share);
	if (s->layout.has_olds)
		put_old(s, b, share);
	buf_adds(s->out, ")</title>");
}

static void put_name(struct flamegraph_sheet *s, const struct flamegraph_name *n, u64 x, u64 y,
		     u64 width)
{
	size_t start = s->out->len;

	if (width < 2 * PAD + FRAME_LETTER)
		return;
	buf_adds(s->out, "<text x=\"");
	flamegraph_sheet_put_hundredths(s->out, x + PAD);
	buf_adds(s->out, "\" y=\"");
	flamegraph_sheet_put_hundredths(s->out, y * CPX + 1250);
	buf_adds(s->out, "\">");
	if (flamegraph_sheet_fits(s, n->s, n->len, (width - 2 * PAD) / FRAME_LETTER))
		buf_adds(s->out, "</text>");
	else if (!s->out->failed)
		s->out->len = start;
}

static void put_group(struct flamegraph_sheet *s, const struct flamegraph_box *b, u64 x, u64 width)
{
	u64 y = flamegraph_sheet_row(s, b->depth);
	struct flamegraph_name n;
	struct buf *out = s->out;
	char narrow[32];

	if (b->node == ID_NONE) {
		n = (struct flamegraph_name){.s = narrow};
		n.len = (size_t)snprintf(narrow, sizeof(narrow), "%u narrow frame%s", b->merged,
					 TEXT_PLURAL(b->merged));
	} else {
		n = flamegraph_layout_name(&s->layout, b);
	}
	buf_adds(out, "<g class=\"");
	buf_adds(out, flamegraph_tone_name(b->tone));
	if (b->shade)
		buf_addf(out, " s%u", b->shade);
	buf_adds(out, "\">");
	put_title(s, b, &n);
	buf_adds(out, "<rect x=\"");
	flamegraph_sheet_put_hundredths(out, x);
	buf_adds(out, "\" y=\"");
	buf_dec(out, y, 0);
	buf_adds(out, "\" width=\"");
	flamegraph_sheet_put_hundredths(out, width - GAP);
	buf_adds(out, "\" height=\"");
	buf_dec(out, FLAMEGRAPH_SHEET_BAR, 0);
	buf_adds(out, "\"/>");
	put_name(s, &n, x, y, width);
	buf_adds(out, "</g>\n");
}

/* ---- narrower ones ---- */

/* The end of a row so far: neighbours of one tone, not written yet. */
struct run {
	u64 x, end; /* cpx; empty: none */
	u8 tone;
};

struct paths {
	struct buf tones[FLAMEGRAPH_TONES];
	struct run *runs; /* by depth */
};

static void end_run(const struct flamegraph_sheet *s, struct paths *p, u32 depth)
{
	struct run *r = &p->runs[depth];
	struct buf *d = &p->tones[r->tone];

	if (r->x == r->end)
		return;
	buf_addc(d, 'M');
	flamegraph_sheet_put_hundredths(d, r->x);
	buf_addc(d, ' ');
	buf_dec(d, flamegraph_sheet_row(s, depth), 0);
	buf_addc(d, 'h');
	flamegraph_sheet_put_hundredths(d, r->end - r->x);
	buf_addf(d, "v%uh-", FLAMEGRAPH_SHEET_BAR);
	flamegraph_sheet_put_hundredths(d, r->end - r->x);
	buf_addc(d, 'z');
	r->x = r->end = 0;
}

static void add_to_run(const struct flamegraph_sheet *s, struct paths *p,
		       const struct flamegraph_box *b, u64 x, u64 width)
{
	struct run *r = &p->runs[b->depth];

	if (r->end != x || r->tone != b->tone) {
		end_run(s, p, b->depth);
		*r = (struct run){.x = x, .tone = b->tone};
	}
	r->end = x + width;
}

static int put_paths(struct flamegraph_sheet *s, struct paths *p)
{
	bool failed = false;
	u32 i;

	for (i = 0; i < s->layout.shown; i++)
		end_run(s, p, i);
	for (i = 0; i < FLAMEGRAPH_TONES; i++) {
		failed |= p->tones[i].failed;
		if (!p->tones[i].len)
			continue;
		buf_addf(s->out, "<path class=\"%s\" d=\"", flamegraph_tone_name(i));
		buf_add(s->out, p->tones[i].data, p->tones[i].len);
		buf_adds(s->out, "\"/>\n");
	}
	return failed;
}

/* Where rows are not shown, say how many: at the widest stack that goes on. */
static void put_cut(struct flamegraph_sheet *s)
{
	const struct flamegraph_layout *l = &s->layout;
	u64 x = flamegraph_layout_x(l, l->boxes.v[l->tower].at);
	bool left = x < l->room / 2;

	buf_addf(s->out, "<text class=\"cut%s\" x=\"", left ? "" : " left");
	flamegraph_sheet_put_hundredths(s->out, x + LEFT);
	buf_addf(s->out, "\" y=\"%u\">", flamegraph_sheet_row(s, l->shown) + 12);
	buf_addf(s->out, "\xe2\x8b\xae %u more row%s</text>\n", l->rows - l->shown,
		 TEXT_PLURAL(l->rows - l->shown));
}

static int flamegraph_frames_put(struct flamegraph_sheet *s, struct err *err)
{
	const struct flamegraph_layout *l = &s->layout;
	const struct flamegraph_box *b;
	struct paths p = {0};
	bool failed;
	u32 i;

	p.runs = calloc(l->rows + (size_t)1, sizeof(*p.runs));
	if (!p.runs)
		return err_nomem(err);
	for (b = l->boxes.v; b < l->boxes.v + l->boxes.nr; b++) {
		u64 x = flamegraph_layout_x(l, b->at);
		u64 width = MAX(flamegraph_layout_x(l, b->at + b->total) - x, (u64)1);

		if (b->depth >= l->shown)
			continue;
		if (width < ALONE)
			add_to_run(s, &p, b, x + LEFT, width);
		else
			put_group(s, b, x + LEFT, width);
	}
	failed = put_paths(s, &p);
	if (l->shown < l->rows)
		put_cut(s);
	for (i = 0; i < FLAMEGRAPH_TONES; i++)
		buf_free(&p.tones[i]);
	free(p.runs);
	return failed ? err_nomem(err) : 0;
}

#define MARGIN       FLAMEGRAPH_SHEET_MARGIN
#define LINE         FLAMEGRAPH_SHEET_LINE
#define TITLE_Y      28 /* baselines, px */
#define LINES_Y      50
#define TITLE_LETTER 11 /* px; widths of the letters of a proportional font, on the safe side */
#define LETTER       7
#define SWATCH       12 /* the square of a colour in the legend */
#define LINES_BEHIND 2  /* for the script */

static u32 room_of(const struct flamegraph_sheet *s)
{
	return s->g->width - 2 * MARGIN;
}

/* ---- the lines below the title ---- */

static void put_line(struct flamegraph_sheet *s, const char *class, u32 *y, const char *text,
		     size_t len)
{
	buf_addf(s->out, "<text class=\"%s\" x=\"%u\" y=\"%u\">", class, MARGIN, *y);
	flamegraph_sheet_fits(s, text, len, room_of(s) / LETTER);
	buf_adds(s->out, "</text>\n");
	*y += LINE;
}

/* Of the counts of the older recording, those in frames that the new one has not at all. */
static u64 gone(const struct frame_tree *t)
{
	u64 n = 0;
	u32 i;

	for (i = 0; i < t->old.nr; i++)
		n += t->nodes.v[i].total ? 0 : t->old.v[i].self;
	return n;
}

static void tell_old(const struct flamegraph_sheet *s, struct buf *b)
{
	const struct frame_tree *t = s->layout.tree;
	u64 lost = gone(t);

	if (!s->layout.has_olds)
		return;
	buf_adds(b, ", before: ");
	flamegraph_sheet_put_quantity(s, b, t->old_total);
	if (!lost)
		return;
	buf_adds(b, "; ");
	flamegraph_sheet_put_percent(b, flamegraph_tone_share(lost, t->old_total));
	buf_adds(b, " of those in stacks that are gone");
}

/* What is drawn and what is not; the same text for the eye and for a screen reader. */
static void tell_counts(const struct flamegraph_sheet *s, struct buf *b)
{
	u64 total = s->layout.tree->total;
	u32 least = s->g->min_width ? s->g->min_width : FLAMEGRAPH_MIN_WIDTH;

	flamegraph_sheet_put_quantity(s, b, total);
	if (!s->g->time)
		buf_addf(b, " %s", s->g->unit ? s->g->unit : total == 1 ? "sample" : "samples");
	if (s->g->samples && (s->g->time || s->g->unit)) {
		buf_adds(b, ", ");
		flamegraph_sheet_put_count(b, s->g->samples);
		buf_addf(b, " %s",
			 s->g->counted        ? s->g->counted
			 : s->g->samples == 1 ? "sample"
					      : "samples");
	}
	tell_old(s, b);
	if (s->layout.shown < s->layout.rows)
		buf_addf(b, "; %u rows with less than %u.%u%% of it are shown when zoomed to",
			 s->layout.rows - s->layout.shown, 100 / FLAMEGRAPH_CUT_SHARE,
			 1000 / FLAMEGRAPH_CUT_SHARE % 10);
	if (!s->layout.narrow)
		return;
	buf_adds(b, "; ");
	flamegraph_sheet_put_count(b, s->layout.narrow);
	buf_addf(b, " frame%s narrower than ", TEXT_PLURAL(s->layout.narrow));
	flamegraph_sheet_put_hundredths(b, least);
	buf_addf(b, " px %s not drawn one by one", s->layout.narrow == 1 ? "is" : "are");
}

/* ---- the legend ---- */

static void put_key(struct flamegraph_sheet *s, const struct flamegraph_key *k, u32 x, u32 y)
{
	buf_addf(s->out, "<g class=\"%s\"><rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\"/></g>",
		 flamegraph_tone_name(k->tone), x, y - SWATCH + 2, SWATCH, SWATCH);
	if (!k->s[0])
		return;
	buf_addf(s->out, "<text class=\"note\" x=\"%u\" y=\"%u\">", x + SWATCH + 5, y);
	flamegraph_sheet_fits(s, k->s, strlen(k->s), 32);
	buf_adds(s->out, "</text>\n");
}

static u32 width_of_key(const struct flamegraph_key *k)
{
	u64 columns = MIN(flamegraph_sheet_columns(k->s, strlen(k->s)), (u64)32);

	return SWATCH + 5 + (u32)columns * LETTER + 18;
}

/* A scale, from the greatest loss to the greatest gain. */
static void put_scale(struct flamegraph_sheet *s, u32 *y)
{
	u32 i, x = MARGIN + 8 * LETTER;

	buf_addf(s->out, "<text class=\"note\" x=\"%u\" y=\"%u\">-", MARGIN, *y);
	flamegraph_sheet_put_percent(s->out, s->legend.most);
	buf_adds(s->out, "</text>\n");
	for (i = 0; i < s->legend.nr; i++, x += SWATCH)
		put_key(s, &s->legend.keys[i], x, *y);
	buf_addf(s->out, "\n<text class=\"note\" x=\"%u\" y=\"%u\">+", x + 5, *y);
	flamegraph_sheet_put_percent(s->out, s->legend.most);
	buf_adds(s->out, "</text>\n");
	*y += LINE;
}

static void put_legend(struct flamegraph_sheet *s, u32 *y)
{
	u32 i, x = MARGIN;

	if (s->layout.has_olds) {
		put_scale(s, y);
		return;
	}
	for (i = 0; i < s->legend.nr; i++) {
		u32 width = width_of_key(&s->legend.keys[i]);

		if (x > MARGIN && x + width > MARGIN + room_of(s)) {
			x = MARGIN;
			*y += LINE;
		}
		put_key(s, &s->legend.keys[i], x, *y);
		x += width;
	}
	*y += s->legend.nr ? LINE : 0;
}

/* ---- the document ---- */

static const char *title_of(const struct flamegraph *g)
{
	return g->title ? g->title : "Flame graph";
}

/* All above the frames. It sets `top`. */
static void put_head(struct flamegraph_sheet *s, const struct buf *counts)
{
	const struct flamegraph *g = s->g;
	u32 i, y = LINES_Y;
	const char *line;
	size_t len;

	buf_addf(s->out, "<g id=\"head\">\n<text class=\"title\" x=\"%u\" y=\"%u\">", MARGIN,
		 TITLE_Y);
	flamegraph_sheet_fits(s, title_of(g), strlen(title_of(g)), room_of(s) / TITLE_LETTER);
	buf_adds(s->out, "</text>\n");
	if (s->layout.boxes.nr)
		put_line(s, "note", &y, buf_str(counts), counts->len);
	for (i = 0; i < g->nr_notes; i++)
		put_line(s, "note", &y, g->notes[i], strlen(g->notes[i]));
	for (line = g->warning; line; line = line[len] ? line + len + 1 : NULL) {
		len = strcspn(line, "\n");
		put_line(s, "warning", &y, line, len);
	}
	if (s->layout.boxes.nr)
		put_legend(s, &y);
	else
		put_line(s, "note", &y, "No samples: there is nothing to draw.", 37);
	buf_adds(s->out, "</g>\n");
	s->top = y - LINE + 6 + (s->layout.boxes.nr ? LINES_BEHIND * LINE + 4 : 0);
}

/* Scripts end at "]]>" in SVG, and at their end tag in HTML; neither the script nor the table has it. */
static void open_script(struct flamegraph_sheet *s, const char *attributes)
{
	buf_adds(s->out, "<script");
	buf_adds(s->out, attributes);
	buf_adds(s->out, s->g->html ? ">" : "><![CDATA[");
}

static void close_script(struct flamegraph_sheet *s)
{
	buf_adds(s->out, s->g->html ? "</script>\n" : "]]></script>\n");
}

/* How it looks and what it does. Of no samples there is nothing to do anything with. */
static void put_style_and_script(struct flamegraph_sheet *s)
{
	buf_adds(s->out, "<style>\n");
	buf_adds(s->out, flamegraph_css);
	buf_adds(s->out, s->g->code ? s->g->code_style : "");
	buf_adds(s->out, "</style>\n");
	if (!s->layout.boxes.nr)
		return;
	open_script(s, "");
	buf_addc(s->out, '\n');
	buf_adds(s->out, flamegraph_js);
	close_script(s);
}

static void open_html(struct flamegraph_sheet *s)
{
	const char *title = title_of(s->g);

	buf_adds(s->out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
			 "<meta charset=\"utf-8\">\n"
			 "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
	flamegraph_sheet_put_text(s, title, strlen(title));
	buf_adds(s->out, "</title>\n");
	put_style_and_script(s);
	buf_adds(s->out, "</head>\n<body>\n");
}

static void open_svg(struct flamegraph_sheet *s, const struct buf *counts)
{
	const char *title = title_of(s->g);

	buf_addf(s->out,
		 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
		 "viewBox=\"0 0 %u %u\">\n<title>",
		 s->g->width, s->height, s->g->width, s->height);
	flamegraph_sheet_put_text(s, title, strlen(title));
	buf_adds(s->out, "</title>\n<desc>Flame graph of ");
	flamegraph_sheet_put_text(s, buf_str(counts), counts->len);
	buf_adds(s->out, "</desc>\n");
	if (!s->g->html)
		put_style_and_script(s);
	buf_adds(s->out, "<rect class=\"sheet\" width=\"100%\" height=\"100%\"/>\n");
}

static int put_frames(struct flamegraph_sheet *s, struct err *err)
{
	int ret;

	buf_adds(s->out, "<g id=\"frames\">\n");
	ret = flamegraph_frames_put(s, err);
	buf_adds(s->out, "</g>\n");
	return ret;
}

static int put_table(struct flamegraph_sheet *s, struct err *err)
{
	int ret;

	open_script(s, " type=\"application/json\" id=\"table\"");
	ret = flamegraph_table_put(s, err);
	close_script(s);
	return ret;
}

static int put_document(struct flamegraph_sheet *s, const struct buf *counts,
			const struct buf *head, struct err *err)
{
	bool any = s->layout.boxes.nr > 0, html = s->g->html;
	int ret = 0;

	if (html)
		open_html(s);
	else
		buf_adds(s->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	open_svg(s, counts);
	buf_add(s->out, head->data, head->len);
	if (any)
		ret = put_frames(s, err);
	/* Within SVG, a reader of HTML takes no script unescaped. */
	if (html)
		buf_adds(s->out, "</svg>\n");
	if (!ret && any)
		ret = put_table(s, err);
	if (html && s->g->code) {
		buf_adds(s->out, "<div id=\"code\">\n");
		buf_adds(s->out, s->g->code);
		buf_adds(s->out, "</div>\n");
	}
	buf_adds(s->out, html ? "</body>\n</html>\n" : "</svg>\n");
	return ret;
}

/* The head says how high it is, which the document says before it. */
static int draw(struct flamegraph_sheet *s, struct err *err)
{
	struct buf *out = s->out, head = {0}, counts = {0};
	u64 height;
	int ret;

	tell_counts(s, &counts);
	s->out = &head;
	put_head(s, &counts);
	s->out = out;
	height = s->top + (u64)flamegraph_sheet_rows(s) * FLAMEGRAPH_SHEET_ROW + MARGIN;
	s->height = (u32)height;
	if (height > UINT32_MAX)
		ret = err_set(err, E2BIG, "stacks of %u frames are too deep to draw",
			      s->layout.rows);
	else if (head.failed || counts.failed)
		ret = err_nomem(err);
	else
		ret = put_document(s, &counts, &head, err);
	buf_free(&head);
	buf_free(&counts);
	return ret;
}

int flamegraph_draw(const struct flamegraph *g, const struct frame_tree *t, struct buf *out,
		    struct err *err)
{
	struct flamegraph_sheet s = {.g = g, .out = out};
	u32 least = g->min_width ? g->min_width : FLAMEGRAPH_MIN_WIDTH;
	int ret = flamegraph_layout_make(&s.layout, t, room_of(&s) * (u64)FLAMEGRAPH_SHEET_CPX,
					 least, err);

	if (!ret)
		ret = flamegraph_tone_paint(g->colour, &s.layout, &s.legend, err);
	if (!ret)
		ret = draw(&s, err);
	if (!ret && (out->failed || s.text.failed))
		ret = err_nomem(err);
	flamegraph_layout_free(&s.layout);
	buf_free(&s.text);
	return ret;
}
