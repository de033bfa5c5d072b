/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flamegraph_tone.h - what the boxes of a flame graph look like.
 *
 * A tone is a class of flamegraph.css, which has its colours. A shade is one of a few strengths of
 * a tone; it depends on nothing but the name, and only tells neighbours apart.
 */
#ifndef DRAW_FLAMEGRAPH_TONE_H
#define DRAW_FLAMEGRAPH_TONE_H

#include "util/draw/flamegraph.h"
#include "util/draw/flamegraph_layout.h"

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

/* Set the tone and the shade of every box, and tell what the tones mean. */
int flamegraph_tone_paint(enum flamegraph_colour colour, struct flamegraph_layout *l,
			  struct flamegraph_legend *legend, struct err *err);

/* The share of n in whole, in hundredths of a percent, rounded. 0 of nothing. */
u32 flamegraph_tone_share(u64 n, u64 whole);

#endif
