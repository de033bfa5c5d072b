/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flamegraph_internal.h - the parts of flamegraph.c: layout, colours, sheet, and the table for the script.
 */
#ifndef DRAW_FLAMEGRAPH_INTERNAL_H
#define DRAW_FLAMEGRAPH_INTERNAL_H

#include "util/draw/flamegraph.h"
#include "util/draw/frame_tree.h"

/*
 * flamegraph_layout.c: which frames of a tree are drawn, and where.
 *
 * The boxes are in depth-first order. A box begins where its parent begins, after its elder
 * siblings; so `depth` and `total` of all boxes, in order, give every place. What is a frame's own
 * lies to the right of its children.
 *
 * Lengths along x are in hundredths of a px ("cpx"), so that integers do. They are measured from
 * the left end of the root, which is `room` wide.
 */

struct flamegraph_box {
	u64 at; /* counts to the left of it */
	u64 total;
	u64 old;    /* 0 for a tree without old counts */
	u32 node;   /* ID_NONE: frames that are too narrow, together */
	u32 depth;  /* 0: the root */
	u32 merged; /* so many frames, where node is ID_NONE */
	u8 tone;    /* enum flamegraph_tone; for flamegraph_tone_paint() to set, as is shade */
	u8 shade;
};

struct flamegraph_layout {
	const struct frame_tree *tree; /* the caller's */
	VEC(struct flamegraph_box) boxes;
	u64 room;      /* cpx */
	u64 least;     /* counts of the narrowest box */
	u32 rows;      /* 1 + the greatest depth */
	u32 shown;     /* of them; those above hold next to nothing: FLAMEGRAPH_CUT_SHARE */
	u32 tower;     /* the widest box of the first row that is not shown, if there is one */
	u32 narrow;    /* frames that have no box of their own */
	bool has_olds; /* the tree compares two recordings */
};

/*
 * FLAMEGRAPH_CUT_ROWS rows or more that together hold less than 1 of FLAMEGRAPH_CUT_SHARE counts are not shown, so that a stray
 * stack of garbage does not make the sheet high. flamegraph.js has the same rule when zoomed.
 */
#define FLAMEGRAPH_CUT_ROWS  30
#define FLAMEGRAPH_CUT_SHARE 200

/* What to call a box. The bytes are the tree's, not escaped. */
struct flamegraph_name {
	const char *s;
	size_t len;
	enum frame_class class;
};

/* Zero-initialise it, and free it in any case. No boxes if the tree has no counts. */
int flamegraph_layout_make(struct flamegraph_layout *l, const struct frame_tree *tree, u64 room,
			   u32 min_width, struct err *err);
void flamegraph_layout_free(struct flamegraph_layout *l);

/* Where so many counts end. */
static inline u64 flamegraph_layout_x(const struct flamegraph_layout *l, u64 counts)
{
	return (u64)((unsigned __int128)counts * l->room / l->tree->total);
}

/*
 * Of a box with a node. Names of no class that end in "_[k]", "_[i]" or "_[j]" are of the kernel,
 * inlined or made, as in the text of stackcollapse-perf.pl; the mark is no part of the name.
 */
struct flamegraph_name flamegraph_layout_name(const struct flamegraph_layout *l,
					      const struct flamegraph_box *box);

/*
 * flamegraph_tone.c: colours.
 *
 * A tone is a class of flamegraph.css, which has its colours. A shade is one of a few strengths of
 * a tone; it depends on the name alone, and only separates neighbours.
 */

#define FLAMEGRAPH_TONE_FILES  10 /* files with a colour of their own */
#define FLAMEGRAPH_TONE_STEPS  6  /* strengths of a change, each way */
#define FLAMEGRAPH_TONE_SHADES 4

enum flamegraph_tone {
	FLAMEGRAPH_TONE_ROOT,
	FLAMEGRAPH_TONE_NARROW, /* what was too narrow */
	FLAMEGRAPH_TONE_CLASS,  /* and the enum frame_class */
	FLAMEGRAPH_TONE_FILE = FLAMEGRAPH_TONE_CLASS + FRAME_CLASS_MISSING + 1, /* by its rank */
	FLAMEGRAPH_TONE_OTHER = FLAMEGRAPH_TONE_FILE + FLAMEGRAPH_TONE_FILES,
	FLAMEGRAPH_TONE_LESS, /* the greatest loss; then smaller ones */
	FLAMEGRAPH_TONE_SAME = FLAMEGRAPH_TONE_LESS + FLAMEGRAPH_TONE_STEPS,
	FLAMEGRAPH_TONE_MORE, /* the smallest gain; then greater ones */
	FLAMEGRAPH_TONES = FLAMEGRAPH_TONE_MORE + FLAMEGRAPH_TONE_STEPS,
};

struct flamegraph_legend {
	struct flamegraph_key {
		enum flamegraph_tone tone;
		const char *s; /* not escaped; a constant or the tree's */
	} keys[FLAMEGRAPH_TONES];
	u32 nr;
	u32 most; /* of a comparison: the greatest change, in hundredths of a percent */
};

/* The class of the style sheet. */
const char *flamegraph_tone_name(enum flamegraph_tone tone);

/* Set the tone and the shade of every box, and make the legend. */
int flamegraph_tone_paint(enum flamegraph_colour colour, struct flamegraph_layout *l,
			  struct flamegraph_legend *legend, struct err *err);

/* The share of n in whole, in hundredths of a percent, rounded. 0 of nothing. */
u32 flamegraph_tone_share(u64 n, u64 whole);

/*
 * flamegraph_sheet.c: the sheet that a flame graph is drawn on, and writing on it.
 *
 *     MARGIN | title                     buttons  | MARGIN
 *            | subtitle, notes, warning           |
 *            | legend                             |
 *            | two lines on the frame pointed at  |
 *     top  --+------------------------------------+
 *            | ROW: frames of the greatest depth  |
 *            | ...                                |
 *            | ROW: the root                      |
 *            +------------------------------------+ MARGIN
 *
 * The buttons and the two lines belong to the script, which leaves everything else where it is but
 * the frames. Lengths are in px.
 */
#define FLAMEGRAPH_SHEET_MARGIN 12
#define FLAMEGRAPH_SHEET_ROW    18
#define FLAMEGRAPH_SHEET_BAR    17 /* height of a frame: a line of background stays between rows */
#define FLAMEGRAPH_SHEET_LINE   18 /* of text in the head */

#define FLAMEGRAPH_SHEET_CPX 100
#define FLAMEGRAPH_SHEET_GAP 50 /* cpx of background between neighbours */

struct flamegraph_sheet {
	const struct flamegraph *g;
	struct flamegraph_layout layout;
	struct flamegraph_legend legend;
	u32 top;    /* px: where the first row is */
	u32 height; /* px */
	struct buf *out;
	struct buf text; /* a name, while it is written */
};

/* 12.34, for 1234 hundredths; 12.3; 12 */
void flamegraph_sheet_put_hundredths(struct buf *b, u64 n);
/* "12.34", "%", of hundredths of a percent; with a sign for a change. */
void flamegraph_sheet_put_percent(struct buf *b, u32 share);
void flamegraph_sheet_put_change(struct buf *b, s64 change);
/* So much of what is counted: "1,234", or a time with its unit. */
void flamegraph_sheet_put_quantity(const struct flamegraph_sheet *s, struct buf *b, u64 n);
/* "1,234 samples", as XML. */
void flamegraph_sheet_put_amount(struct flamegraph_sheet *s, u64 n);
/* Any text, as XML. */
void flamegraph_sheet_put_text(struct flamegraph_sheet *s, const char *text, size_t len);

/* The columns that a text takes. */
u64 flamegraph_sheet_columns(const char *text, size_t len);
/*
 * As much of a text as fits so many columns, as XML, with an ellipsis if it is cut. False, and
 * nothing written, if that is too little to read.
 */
bool flamegraph_sheet_fits(struct flamegraph_sheet *s, const char *text, size_t len, u64 columns);

/* y of a row of frames, px. */
u32 flamegraph_sheet_row(const struct flamegraph_sheet *s, u32 depth);
/* Rows with frames, and one that says how many are not shown. */
u32 flamegraph_sheet_rows(const struct flamegraph_sheet *s);

/*
 * flamegraph_table.c: the boxes of a flame graph as JSON, for its script.
 *
 *     {"unit":"cycles",                   left out: samples
 *      "time":true,                       counts are ns; else left out
 *      "old":9,                           counts of the older recording, in a comparison
 *      "narrow":3,                        frames without a box of their own, if any
 *      "row":18,"bar":17,"margin":12,"top":90,"inverted":false,
 *      "tones":["all",...],               classes of the style sheet
 *      "files":["/bin/sh",...],
 *      "labels":[["main",2,1,1,0],...],   name, tone, shade, enum frame_class, file (left out: none)
 *      "depth":[0,1,...],                 of the boxes, in depth-first order
 *      "label":[-1,0,...],                -1: the root; -1 - n: n frames that were too narrow
 *      "count":[12,"18446744073709551615",...],
 *      "was":[...],"tone":[...]}          counts and tones, in a comparison
 *
 * Numbers that a double cannot hold are strings. No string holds '<', '>' or '&', so that the text
 * can be put into a script element of SVG and of HTML.
 *
 * Append a string as it is written there.
 */
void flamegraph_table_string(struct flamegraph_sheet *s, const char *p, size_t len);
int flamegraph_table_put(struct flamegraph_sheet *s, struct err *err);

/*
 * The texts that make a flame graph work and look as it does in a browser, NUL-terminated. Neither
 * holds "]]>", "</" or "<!--", and the style sheet no '<' or '&': they can be put into a document as they are.
 */
extern const char flamegraph_js[];  /* flamegraph.js */
extern const char flamegraph_css[]; /* flamegraph.css */

#endif
