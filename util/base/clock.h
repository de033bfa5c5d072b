/* SPDX-License-Identifier: GPL-2.0 */
/*
 * clock.h - the clocks that can stamp a perf event (perf_event_open(2), use_clockid).
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include "util/base/buf.h"
#include "util/base/types.h"

u64 clock_ns(int clockid);
/* "mono", "monotonic", "CLOCK_BOOTTIME", "raw", ... -> clockid; -1 if unknown. */
int clock_by_name(const char *name);
/* "CLOCK_MONOTONIC"; NULL if unknown. */
const char *clock_name(int clockid);

/*
 * The same moment by several clocks. A recorder notes such readings, so that a reader can convert its times to another clock.
 * CLOCK_PAIR_KEY is the fact of a recording that holds one (docs/FORMAT.md).
 */
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
