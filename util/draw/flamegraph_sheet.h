/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flamegraph_sheet.h - the sheet that a flame graph is drawn on, and writing on it.
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
 * the frames.
 */
#ifndef DRAW_FLAMEGRAPH_SHEET_H
#define DRAW_FLAMEGRAPH_SHEET_H

#include "util/draw/flamegraph.h"
#include "util/draw/flamegraph_layout.h"
#include "util/draw/flamegraph_tone.h"

/* In px. */
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
/* 1234567 as 1,234,567 */
void flamegraph_sheet_put_count(struct buf *b, u64 n);
/* "12.34", "%", of hundredths of a percent; with a sign for a change. */
void flamegraph_sheet_put_percent(struct buf *b, u32 share);
void flamegraph_sheet_put_change(struct buf *b, s64 change);
/* 12345678 ns as "12.3 ms" */
void flamegraph_sheet_put_ns(struct buf *b, u64 ns);
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
 * nothing written, if that is too little to tell.
 */
bool flamegraph_sheet_fits(struct flamegraph_sheet *s, const char *text, size_t len, u64 columns);

/* y of a row of frames, px. */
u32 flamegraph_sheet_row(const struct flamegraph_sheet *s, u32 depth);
/* Rows with frames, and one for what tells of those that are not shown. */
u32 flamegraph_sheet_rows(const struct flamegraph_sheet *s);

#endif
