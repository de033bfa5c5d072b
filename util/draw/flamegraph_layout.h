/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flamegraph_layout.h - which frames of a tree are drawn, and where.
 *
 * The boxes stand in depth-first order. A box begins where its parent begins, behind its elder
 * siblings; so `depth` and `total` of all boxes, in order, give every place. What is a frame's own
 * lies to the right of its children.
 *
 * Lengths along x are in hundredths of a px ("cpx"), so that integers do. They are measured from
 * the left end of the root, which is `room` wide.
 */
#ifndef DRAW_FLAMEGRAPH_LAYOUT_H
#define DRAW_FLAMEGRAPH_LAYOUT_H

#include "util/draw/frame_tree.h"

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
 * So many rows at least, in which less than one of so many counts is, are not shown: a stray stack of garbage does not
 * make the sheet high. flamegraph.js has the same rule for what is zoomed to.
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

#endif
