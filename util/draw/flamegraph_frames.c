// SPDX-License-Identifier: GPL-2.0
#include "util/draw/flamegraph_frames.h"

#include <stdio.h>
#include <stdlib.h>

#define CPX    FLAMEGRAPH_SHEET_CPX
#define GAP    FLAMEGRAPH_SHEET_GAP
#define MARGIN (FLAMEGRAPH_SHEET_MARGIN * CPX)
#define LETTER 745 /* cpx of a letter in a frame: 12 px monospace, rounded up */
#define PAD    (3 * CPX)
#define ALONE  (6 * GAP) /* narrower ones have no gap, and no group */

/* ---- boxes with room for a gap ---- */

static const char *word_of(enum frame_class class)
{
	switch (class) {
	case FRAME_CLASS_KERNEL:
		return " [kernel]";
	case FRAME_CLASS_INLINED:
		return " [inlined]";
	case FRAME_CLASS_MADE:
		return " [JIT]";
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
	buf_adds(s->out, word_of(n->class));
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

	if (width < 2 * PAD + LETTER)
		return;
	buf_adds(s->out, "<text x=\"");
	flamegraph_sheet_put_hundredths(s->out, x + PAD);
	buf_adds(s->out, "\" y=\"");
	flamegraph_sheet_put_hundredths(s->out, y * CPX + 1250);
	buf_adds(s->out, "\">");
	if (flamegraph_sheet_fits(s, n->s, n->len, (width - 2 * PAD) / LETTER))
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
					 b->merged == 1 ? "" : "s");
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

/* Where rows are not shown stands how many: at the widest stack that goes on. */
static void put_cut(struct flamegraph_sheet *s)
{
	const struct flamegraph_layout *l = &s->layout;
	u64 x = flamegraph_layout_x(l, l->boxes.v[l->tower].at);
	bool left = x < l->room / 2;

	buf_addf(s->out, "<text class=\"cut%s\" x=\"", left ? "" : " left");
	flamegraph_sheet_put_hundredths(s->out, x + MARGIN);
	buf_addf(s->out, "\" y=\"%u\">", flamegraph_sheet_row(s, l->shown) + 12);
	buf_addf(s->out, "\xe2\x8b\xae %u more rows</text>\n", l->rows - l->shown);
}

int flamegraph_frames_put(struct flamegraph_sheet *s, struct err *err)
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
			add_to_run(s, &p, b, x + MARGIN, width);
		else
			put_group(s, b, x + MARGIN, width);
	}
	failed = put_paths(s, &p);
	if (l->shown < l->rows)
		put_cut(s);
	for (i = 0; i < FLAMEGRAPH_TONES; i++)
		buf_free(&p.tones[i]);
	free(p.runs);
	return failed ? err_nomem(err) : 0;
}
