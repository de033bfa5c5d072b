/* SPDX-License-Identifier: GPL-2.0 */
/*
 * annotation_text.h - a function with the samples of its instructions, for people:
 *
 *	# 98.52% of cpu-clock: 401 of 407 samples in sum of /tmp/loops
 *	# /tmp/loops.c
 *	#
 *	# Hottest lines
 *	#    91.77%  loops.c:7     s += a[i] * b[i];
 *	#
 *	  Percent | Address
 *	          |           loops.c:7     s += a[i] * b[i];
 *	    91.77 |   1149  ,-> addl    (%rdi,%rax,4), %edx
 *	     8.23 |   1150  '-- jne     1149
 *
 * Instructions without samples are shown beside those that have some, up to `context` of them; one line is in place of the
 * others. Between them are the lines of source that they were made of. Arrows are jumps between instructions that are shown.
 */
#ifndef FORMAT_ANNOTATION_TEXT_H
#define FORMAT_ANNOTATION_TEXT_H

#include "util/annotate/annotation.h"
#include "util/annotate/source_text.h"

/* Instructions that are shown beside those with samples, unless somebody asks for another number. */
#define ANNOTATION_TEXT_CONTEXT 6

struct annotation_colours {
	const char *high, *middle, *dim, *bold, *off; /* no NULL; "": none */
};

/* What a function is, and what it has of all samples. */
struct annotation_heading {
	const char *event, *dso, *symbol; /* the symbol NULL: unknown */
	u64 samples, all_samples;
	u64 weight, all_weight;
};

struct annotation_text {
	struct annotation_colours colours;
	struct source_text *sources; /* NULL: no lines of source are shown */
	u32 context;                 /* UINT32_MAX: all instructions */
	bool samples, period;        /* with a column of these */
	bool full_paths;             /* of source files */
};

/* The line above a function. */
void annotation_text_heading(const struct annotation_text *t, const struct annotation_heading *h,
			     struct buf *out);
/* The function. */
void annotation_text_put(const struct annotation_text *t, const struct annotation *a,
			 struct buf *out);

/* annotation_text_rows.c: which instructions are shown, and the arrows beside them. */

/* Jumps that are drawn beside each other at most. */
#define ANNOTATION_LANES 8

struct annotation_row {
	u32 insn;                          /* the instruction, */
	u32 hidden;                        /* or so many from there on that are not shown */
	char arrows[ANNOTATION_LANES + 2]; /* the part of the arrows beside it; all are as wide */
};

struct annotation_rows {
	VEC(struct annotation_row) v;
	u32 lanes; /* that are used */
};

/* False when memory is out. */
bool annotation_rows_make(struct annotation_rows *r, const struct annotation *a, u32 context);
void annotation_rows_free(struct annotation_rows *r);

#endif
