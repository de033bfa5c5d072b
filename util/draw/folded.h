/* SPDX-License-Identifier: GPL-2.0 */
/*
 * folded.h - reading folded stacks, the text that flame graph tools exchange:
 *
 *     outermost;...;innermost COUNT
 *
 * one stack per line, the same stack as often as it likes. What follows the last blank is
 * the count, a whole number of at most 64 bits; before it, frames may hold blanks. Blank lines and
 * lines that begin with '#' are passed over. A frame may be empty (a task may have no name), a
 * stack may not.
 *
 * Where the first line that is not passed over is the first of a sample in the text of perf script, all of it is read as
 * that (perf_script.h).
 *
 * The text is pushed in, in pieces of any size, so a stream needs no memory but the tree. Lines
 * that cannot be read are counted, never guessed at.
 */
#ifndef DRAW_FOLDED_H
#define DRAW_FOLDED_H

#include "util/base/buf.h"
#include "util/draw/frame_tree.h"
#include "util/draw/perf_script.h"

#define FOLDED_LINE_MAX (4u << 20) /* a longer line is a bad one */

struct folded {
	struct frame_tree *tree; /* where the stacks go; the caller's */
	bool old;                /* they are those of the other recording; may be set before any */
	u64 lines;               /* seen so far, of every kind */
	u64 stacks;              /* counted into the tree */
	u64 bad;                 /* lines that could not be read */
	u64 bad_line;            /* the number of the first of them, from 1 */
	const char *bad_why;     /* what is wrong with it; a constant */
	struct buf part;         /* a line that has not ended yet */
	bool part_too_long;
	bool known;                /* which kind of text it is: */
	bool is_script;            /* that of perf script, and */
	struct perf_script script; /* `event` may be set before any */
};

void folded_init(struct folded *f, struct frame_tree *tree);
/* Both return 0, or -ENOMEM or -EOVERFLOW (of the counts) with err set; bad lines are no error. */
int folded_feed(struct folded *f, const void *p, size_t len, struct err *err);
int folded_end(struct folded *f, struct err *err);
void folded_free(struct folded *f); /* not the tree */

#endif
