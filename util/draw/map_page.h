/* SPDX-License-Identifier: GPL-2.0 */
/*
 * map_page.h - what heat maps have in common (timeline.h, heat_map.h): the document around them, with its colours for a
 * light and a dark background, and how their axis of time is labelled.
 *
 * Classes of its style sheet: sheet, title, note, warning, tick, grid, empty, and h1 to h8, from little to much. Times are ns.
 */
#ifndef DRAW_MAP_PAGE_H
#define DRAW_MAP_PAGE_H

#include "util/base/buf.h"

#define MAP_PAGE_LEVELS 8

struct map_page {
	const char *title;
	const char *css; /* further rules */
	u32 width, height;
	bool html;
	bool fluid; /* as wide as the window; else `width` px, and scaled */
};

/* Append what comes before the picture. It ends in "</svg>", for HTML in "</svg>...</body></html>", which is the caller's. */
void map_page_open(const struct map_page *p, struct buf *out);

/* Seconds, with the decimals that multiples of `step` need. */
void map_page_put_time(struct buf *b, u64 ns, u64 step);
/* "5 ms": a round number of them. */
void map_page_put_span(struct buf *b, u64 ns);
/* The next of 1, 2, 5, 10, 20, ... ns that is at least `min`. */
u64 map_page_tick(u64 min);

#endif
