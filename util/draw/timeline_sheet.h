/* SPDX-License-Identifier: GPL-2.0 */
/*
 * timeline_sheet.h - a heat map while it is drawn: where things are, in px, and how amounts and
 * times are written.
 */
#ifndef DRAW_TIMELINE_SHEET_H
#define DRAW_TIMELINE_SHEET_H

#include "util/base/vec.h"
#include "util/draw/timeline.h"

#define TIMELINE_LEVELS 8

struct timeline_sheet {
	const struct timeline *t;
	struct buf *out;
	u32 left, plot;        /* where columns begin, and the width of all */
	u32 row;               /* height */
	u32 sums_y, map_y;     /* tops */
	u64 *columns, *totals; /* sums of columns, of rows */
	u64 total;
	u64 limits[TIMELINE_LEVELS + 1]; /* the largest amount of each step of colour */
	VEC(struct timeline_mark) marks; /* merged, by row */
	u32 next_mark;
};

/* "1,234", and "1,234 samples", not escaped; a time has its unit in both. */
void timeline_sheet_put_number(const struct timeline_sheet *s, struct buf *b, u64 n);
void timeline_sheet_put_amount(const struct timeline_sheet *s, struct buf *b, u64 n);
/* Seconds, with the decimals that multiples of `step` need. */
void timeline_sheet_put_time(struct buf *b, u64 ns, u64 step);
/* "5 ms" */
void timeline_sheet_put_span(struct buf *b, u64 ns);
/* "12.5%", "<0.1%", as markup */
void timeline_sheet_put_share(struct buf *b, u64 n, u64 total);
/* n / total * of, rounded down; n is at most total. */
u64 timeline_sheet_scale(u64 n, u64 total, u32 of);
/* Where a column begins: whole px, so that neighbours touch; the last one ends where the plot does. */
u32 timeline_sheet_column(const struct timeline_sheet *s, u32 column);
/* How far right of `left` a time is, ns after the first column's beginning. */
u32 timeline_sheet_x(const struct timeline_sheet *s, u64 ns);

#endif
