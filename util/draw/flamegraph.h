/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flamegraph.h - a frame tree as a flame graph (Brendan Gregg, "The Flame Graph", CACM 59(6)).
 *
 * One self-contained document, SVG 1.1 or HTML around the same SVG: no fonts or files from
 * elsewhere, readable on a light and on a dark background. Each frame of 3 px or more is
 *
 *     <g class="..."><title>NAME (N samples, P%)</title><rect .../><text ...>NAME</text></g>
 *
 * in depth-first order, siblings by name, the text cut to the room there is and left out where
 * there is none; what is narrower is drawn without a group of its own. That is the picture where no
 * script runs. Where one does (flamegraph.js), it draws the same frames from a table that follows
 * the picture, and adds zoom, search, keys and links.
 *
 * Frames narrower than `min_width` are not drawn, nor is what is above them. Those of one parent
 * make one grey frame, at the right of the others, that says how many they are; if it would still
 * be narrower, its room stays free. The subtitle says how many frames are not drawn.
 *
 * Many rows that hold next to nothing are not drawn either: the frame below them goes up to a mark that says how many
 * they are, and so does the subtitle. The script shows them when they are zoomed to.
 *
 * Of a tree with old counts the widths are the new ones, and the colour shows how much the share of
 * the whole changed: red is more, blue is less. Frames that only the old recording has take no
 * room; the subtitle has their share.
 *
 * Names are foreign: none can become markup or script; control bytes, and bytes that are no UTF-8,
 * become \xNN. The shade within a colour depends only on the name, so the same
 * function looks the same in every graph. The same tree gives the same bytes everywhere: all
 * arithmetic is on integers, and no locale takes part.
 */
#ifndef DRAW_FLAMEGRAPH_H
#define DRAW_FLAMEGRAPH_H

#include "util/base/buf.h"
#include "util/draw/frame_tree.h"

/* In px. */
#define FLAMEGRAPH_WIDTH     1200
#define FLAMEGRAPH_WIDTH_MIN 200
#define FLAMEGRAPH_WIDTH_MAX 20000

/* In hundredths of a px: 0.1, and at most 100. */
#define FLAMEGRAPH_MIN_WIDTH     10
#define FLAMEGRAPH_MIN_WIDTH_MAX 10000

/* What colours mean, unless the tree has old counts. */
enum flamegraph_colour {
	/* user, kernel, inlined, ...; a name of no class that ends in "_[k]" is the kernel's */
	FLAMEGRAPH_BY_CLASS,
	/* a colour for each of the files that most counts end in, one for all others */
	FLAMEGRAPH_BY_FILE,
};

struct flamegraph {
	const char *title;        /* NULL: "Flame graph" */
	const char *unit;         /* what is counted; NULL: "samples" */
	bool time;                /* it is ns, written as "5.01 s"; unit is not used */
	u64 samples;              /* that the counts come from, if it is not them; 0: unknown */
	const char *counted;      /* what these are called; NULL: "samples" */
	const char *const *notes; /* lines below the title: the event, the time; may be NULL */
	u32 nr_notes;
	const char *warning; /* lines in a striking colour: what was lost; NULL: none */
	u32 width;           /* px, from FLAMEGRAPH_WIDTH_MIN to _MAX */
	u32 min_width;       /* hundredths of a px; 0: FLAMEGRAPH_MIN_WIDTH */
	bool inverted;       /* the root at the top: an icicle graph */
	bool html;           /* an HTML document, not an SVG one */
	enum flamegraph_colour colour;
	/*
	 * HTML behind the picture: <section data-function="NAME" data-file="FILE"> for frames, which the script shows when
	 * such a frame is zoomed to; and its style sheet. NULL: none.
	 */
	const char *code, *code_style;
};

/* Append the document. The tree is finished; one without samples gives a picture that says so. */
int flamegraph_draw(const struct flamegraph *g, const struct frame_tree *t, struct buf *out,
		    struct err *err);

/*
 * A flame graph for each span of time, made by a script when somebody chooses one.
 *
 *     {"graph":{...},                 the graph of all time: flamegraph_table.c
 *      "legend":[[2,"user"],...],      tones, and what they mean
 *      "columns":[[0,3,12,1],...]}    of each column of time: a box and its own counts, another one ...
 *
 * A box is given by its distance from the one before in the column. The counts of a span are the sums of
 * its columns, and those of a box its own and those above it. What is less than a 20000th of all is in one box
 * with its like, so that the text stays short.
 */

struct flamegraph_moment {
	u32 column, node; /* of the tree */
	u64 count;
};

/* Append that. The tree is finished, and holds all counts of `v`, which is put in order. */
int flamegraph_moments_put(const struct flamegraph *g, const struct frame_tree *t,
			   struct flamegraph_moment *v, u32 nr, u32 nr_columns, struct buf *out,
			   struct err *err);

/* 1234567 as 1,234,567 */
void flamegraph_sheet_put_count(struct buf *b, u64 n);
/* 12345678 ns as "12.3 ms" */
void flamegraph_sheet_put_ns(struct buf *b, u64 ns);

#endif
