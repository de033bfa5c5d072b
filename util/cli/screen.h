/* SPDX-License-Identifier: GPL-2.0 */
/*
 * screen.h - a text on a terminal that is shown anew in the same place as it changes.
 *
 *	screen_init() -> screen_draw() ... -> screen_end()
 *
 * Each text is written over the last one, in one write and without an empty screen in between, so nothing
 * flickers. The terminal keeps no setting beyond that write: whatever ends the program, there is
 * nothing to restore. Lines that are too long are cut by the terminal; lines that do not fit are counted in
 * the last one of the body. Nothing waits for a terminal that takes no more bytes at the moment (^S).
 *
 * Sequences are those of ECMA-48, and DECAWM, which every terminal has that has these.
 */
#ifndef CLI_SCREEN_H
#define CLI_SCREEN_H

#include "util/base/buf.h"

struct screen {
	int fd;           /* of its own, which never waits */
	bool on;          /* there is a terminal that can do this */
	u32 lines;        /* drawn, the cursor is below them */
	u32 rows, cols;   /* of the terminal then */
	struct buf bytes; /* what is written ... */
	size_t written;   /* ... so far */
};

/* On the terminal that `fd` is, if it is one. */
void screen_init(struct screen *s, int fd);

/* How many lines the terminal has now. */
u32 screen_rows(const struct screen *s);

/*
 * Show the body and below it the foot: lines, each with its end. The foot is shown whole, the body as far
 * as there is room; what is cut off becomes "... N more lines" and `advice` ("" is none).
 */
void screen_draw(struct screen *s, const struct buf *body, const struct buf *foot,
		 const char *advice);

/* Erase what was drawn; what is printed next takes its place. This waits for the terminal. */
void screen_erase(struct screen *s);
void screen_end(struct screen *s);

#endif
