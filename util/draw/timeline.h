/* SPDX-License-Identifier: GPL-2.0 */
/*
 * timeline.h - a heat map of amounts over time, one row for each place, as for each CPU.
 *
 * One self-contained document, SVG 1.1 or HTML around the same SVG, readable on a light and on a
 * dark background, and without script. A cell that is not empty is
 *
 *     <rect class="h1".."h8" ...><title>ROW, FROM to TO s: N samples: MAKERS</title></rect>
 *
 * in a group of its row, over a rectangle with the row's sum; above the rows are the sums of all of them, as bars. Colours go by the square
 * root of the amount, in eight steps up to the largest. Marks are bands over the cells: what was
 * lost, and where nothing could be recorded; those of one kind that touch in a row are one.
 *
 * Times are of one clock, in ns, shown in seconds. With a script, dragging over the map shows the
 * flame graph of the span, below, and the span as other commands take it. Names are foreign and escaped; all arithmetic is on
 * integers, so the same input gives the same bytes.
 */
#ifndef DRAW_TIMELINE_H
#define DRAW_TIMELINE_H

#include "util/base/buf.h"
#include "util/base/err.h"

#define TIMELINE_WIDTH_MIN 400 /* px */
#define TIMELINE_ROWS_MAX  128

struct timeline_row {
	const char *name;
	const u64 *amounts; /* nr_columns of them */
	/* what made them, "spin 8, sh 2": nr_columns of them, NULL where nothing is known; NULL: nowhere */
	const char *const *makers;
};

enum timeline_kind {
	TIMELINE_LOST,      /* records that there was no room for */
	TIMELINE_THROTTLED, /* paused by the kernel */
	TIMELINE_STOPPED,   /* nobody read */
	TIMELINE_OFFLINE,   /* the CPU was */
	TIMELINE_KINDS,
};

struct timeline_mark {
	u32 row;
	enum timeline_kind kind;
	u64 from, to; /* ns, both included */
	u64 count;    /* records; 0: not known */
	u64 shared;   /* records besides, which were lost on this row or on others */
};

struct timeline {
	const char *title;        /* NULL: "Timeline" */
	const char *unit;         /* NULL: "samples" */
	bool time;                /* amounts are ns, written as "5.01 ms"; unit is not used */
	const char *const *notes; /* lines below the title */
	u32 nr_notes;
	const char *warning; /* a line in a striking colour; NULL: none */
	u32 width;           /* px; less than TIMELINE_WIDTH_MIN is drawn as that */
	bool html;
	u64 from, step; /* column i is from + i * step to the next one's beginning, ns */
	u32 nr_columns; /* at most timeline_columns() */
	const struct timeline_row *rows;
	u32 nr_rows;                       /* at most TIMELINE_ROWS_MAX */
	const struct timeline_mark *marks; /* in any order */
	u32 nr_marks;
	const char *
		moments; /* of flamegraph_moments_put(), with these columns; NULL: a span shows nothing */
};

/* How many columns there is room for. */
u32 timeline_columns(u32 width, u32 nr_rows);

/* Append the document; without columns or rows it says that there is nothing. */
int timeline_draw(const struct timeline *t, struct buf *out, struct err *err);

#endif
