/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stack_diff.h - counts of two recordings, side by side: what has more of them, what less, and
 * which of that is more than the chance of sampling.
 *
 *	struct stack_count *c = stack_diff_count(&d, row, STACK_DIFF_OLD);  (all rows, both sides)
 *	d.all[...] = ...; d.seconds[...] = ...;
 *	stack_diff_judge(&d, err);                                          (then read the rows)
 *
 * Rows are numbered by the caller, densely: functions, or stacks. A sample may count in several
 * (a function and its callers). What is shown is of weights (periods); what is judged is numbers of
 * samples, since a thousand events that come with one sample are one observation. Samples of
 * different weights count as fewer: as many of equal weight as would scatter like them.
 */
#ifndef REPORT_STACK_DIFF_H
#define REPORT_STACK_DIFF_H

#include "util/base/err.h"
#include "util/base/vec.h"

enum stack_diff_side { STACK_DIFF_OLD, STACK_DIFF_NEW, STACK_DIFF_SIDES };

/* What makes recordings of different lengths comparable. */
enum stack_diff_scale {
	STACK_DIFF_SHARE,  /* per cent of all weights of the recording */
	STACK_DIFF_SECOND, /* weight per second of recording */
	STACK_DIFF_NONE,   /* weight */
};

enum stack_diff_verdict {
	STACK_DIFF_NOISE, /* chance alone may have done that */
	STACK_DIFF_MORE,
	STACK_DIFF_LESS,
	STACK_DIFF_ADDED, /* nothing in OLD */
	STACK_DIFF_GONE,  /* nothing in NEW */
	STACK_DIFF_VERDICTS,
};

/* Samples of one recording. */
struct stack_count {
	u64 samples, weight;
	double squares; /* of the samples' weights, added up */
};

struct stack_diff_row {
	struct stack_count count[STACK_DIFF_SIDES];
	/* after stack_diff_judge() */
	double value[STACK_DIFF_SIDES]; /* by the scale */
	double change;                  /* new less old */
	double p;                       /* of such a difference, were there none; 0 to 1 */
	double needed; /* samples in each recording that would distinguish this change from noise;
			  0: no number would */
	enum stack_diff_verdict verdict;
};

struct stack_diff {
	enum stack_diff_scale scale;
	double burst; /* samples that come together and are one observation; 0 is 1 */
	struct stack_count all[STACK_DIFF_SIDES];
	double seconds[STACK_DIFF_SIDES]; /* for STACK_DIFF_SECOND, above 0 */
	VEC(struct stack_diff_row) rows;
	/* after stack_diff_judge() */
	u32 nr_verdicts[STACK_DIFF_VERDICTS];
	double apart; /* standard deviations between old and new that would count, and be found
			 four times of five */
};

static inline void stack_count_add(struct stack_count *to, const struct stack_count *c)
{
	to->samples += c->samples;
	to->weight += c->weight;
	to->squares += c->squares;
}

/* What row `row` has on that side, rows made up to there; NULL when memory is out. */
struct stack_count *stack_diff_count(struct stack_diff *d, u32 row, enum stack_diff_side side);
int stack_diff_judge(struct stack_diff *d, struct err *err);
/*
 * The smallest change, in points, that is distinguishable from noise in a function with `percent` of the
 * old recording; for STACK_DIFF_SHARE.
 */
double stack_diff_visible(const struct stack_diff *d, double percent);
/* "more", "less", "new", "gone", "within noise" */
const char *stack_diff_verdict_name(enum stack_diff_verdict verdict);
void stack_diff_free(struct stack_diff *d);

#endif
