/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flamegraph.h - a frame tree as a flame graph (Brendan Gregg, "The Flame Graph", CACM 59(6)).
 *
 * One self-contained SVG 1.1 document: no script, no fonts or files from elsewhere, readable on a
 * light and on a dark background. Each frame is
 *
 *     <g class="..."><title>NAME (N samples, P%)</title><rect .../><text ...>NAME</text></g>
 *
 * in depth-first order, siblings by name, the text cut to the room there is and left out where
 * there is none. A name that ends in "_[k]" is a kernel function: it gets a colour of its own
 * and "[kernel]" for the ending. The shade within a colour depends only on the name, so the same
 * function looks the same in every graph. Frames narrower than 0.1 px are not drawn, with all
 * above them; the subtitle says how many. The same tree gives the same bytes everywhere: all
 * arithmetic is on integers, and no locale takes part.
 */
#ifndef DRAW_FLAMEGRAPH_H
#define DRAW_FLAMEGRAPH_H

#include "util/base/buf.h"
#include "util/draw/frame_tree.h"

#define FLAMEGRAPH_WIDTH     1200
#define FLAMEGRAPH_WIDTH_MIN 200
#define FLAMEGRAPH_WIDTH_MAX 20000

struct flamegraph {
	const char *title; /* NULL: "Flame graph" */
	const char *unit;  /* what is counted; NULL: "samples" */
	u32 width;         /* px, from FLAMEGRAPH_WIDTH_MIN to _MAX */
	bool inverted;     /* the root at the top */
};

/* Append the document. The tree is finished; one without samples gives a picture that says so. */
int flamegraph_draw(const struct flamegraph *g, const struct frame_tree *t, struct buf *out,
		    struct err *err);

#endif
