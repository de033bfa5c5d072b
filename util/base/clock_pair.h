/* SPDX-License-Identifier: GPL-2.0 */
/*
 * clock_pair.h - the same moment by several clocks, in ns: what a recorder notes of them, so that
 * times by its clock can be told by another.
 */
#ifndef BASE_CLOCK_PAIR_H
#define BASE_CLOCK_PAIR_H

#include "util/base/buf.h"
#include "util/base/types.h"

/* The fact of a recording that holds one (docs/FORMAT.md). */
#define CLOCK_PAIR_KEY "clocks"

enum clock_pair_of { CLOCK_PAIR_REAL, CLOCK_PAIR_MONO, CLOCK_PAIR_BOOT, CLOCK_PAIR_TAI };
#define CLOCK_PAIR_NR 4

/* One reading, in ns. */
struct clock_pair {
	u64 own;               /* by the clock of the recording */
	u64 at[CLOCK_PAIR_NR]; /* by enum clock_pair_of; 0: not known */
	u64 width;             /* how long it took: no time is more exact than half of this */
};

int clock_pair_clockid(enum clock_pair_of which);
/* Read all clocks now. */
void clock_pair_read(struct clock_pair *p, int clockid);
/* Append it as text: "own=1 real=2 mono=1 ...". */
void clock_pair_text(const struct clock_pair *p, struct buf *out);
/* False: it is none. */
bool clock_pair_parse(struct clock_pair *p, const char *text);
/* By how much a clock was set between two readings; less than `least` ns is 0. */
s64 clock_pair_step(const struct clock_pair *from, const struct clock_pair *to,
		    enum clock_pair_of which, u64 least);
/* Is a new reading worth to be kept after an old one: was a clock set, or do they drift by ten seconds? */
bool clock_pair_is_news(const struct clock_pair *from, const struct clock_pair *to);

#endif
