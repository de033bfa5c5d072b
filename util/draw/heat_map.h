/* SPDX-License-Identifier: GPL-2.0 */
/*
 * heat_map.h - how long things took, over time: time on x, duration on y, and as colour how many.
 *
 *	heat_map_band() of each duration -> amounts by band and column -> heat_map_draw()
 *
 * Durations are in bands of half a power of two, so that each is as high as the next: one that took ten times as long
 * is always as far above. A cell that is not empty is
 *
 *	<rect class="h1".."h8" ...><title>12 spans of 1.05 ms to 1.48 ms, 3.20 to 3.25 s</title></rect>
 *
 * Steps of colour are powers of two, of four, ... up to the largest cell. A line over the slowest cell of each column shows
 * a single one that a faint colour would hide.
 *
 * One self-contained document, SVG 1.1 or HTML around the same SVG, without script, as wide as the window: on a narrow
 * one cells get narrower, and text stays as large. Times are ns of one clock. Texts are foreign and escaped; all arithmetic is on
 * integers, so the same input gives the same bytes.
 */
#ifndef DRAW_HEAT_MAP_H
#define DRAW_HEAT_MAP_H

#include "util/base/buf.h"
#include "util/base/err.h"

#define HEAT_MAP_COLUMNS 200 /* at most: more would be too narrow to see */
#define HEAT_MAP_BANDS   128

struct heat_map_row {
	u32 band;
	const u64 *amounts; /* nr_columns of them */
};

struct heat_map {
	const char *title;
	const char *one, *many;   /* what is counted: "span", "spans" */
	const char *const *notes; /* lines below the title, which are broken where they are long */
	u32 nr_notes;
	bool html;
	u64 from, step; /* column i is from + i * step to the next one's beginning */
	u32 nr_columns; /* at most HEAT_MAP_COLUMNS */
	const struct heat_map_row *rows; /* in any order, a band once */
	u32 nr_rows;
};

/* The band of a duration, less than HEAT_MAP_BANDS. */
u32 heat_map_band(u64 ns);
/* Append the document; without rows it says that there is nothing. */
int heat_map_draw(const struct heat_map *m, struct buf *out, struct err *err);

#endif
