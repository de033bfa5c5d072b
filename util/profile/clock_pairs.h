/* SPDX-License-Identifier: GPL-2.0 */
/*
 * clock_pairs.h - the times of a recording by other clocks than its own.
 *
 * A recorder reads all clocks together as it begins, now and then, and as it ends, and notes each
 * reading (util/base/clock.h). A time is converted by the last reading at or before it, or by the
 * first if it is older than all. So times after a clock was set step with the next reading. Recordings of old
 * recorders, and of perf, have one reading of CLOCK_REALTIME or none.
 */
#ifndef PROFILE_CLOCK_PAIRS_H
#define PROFILE_CLOCK_PAIRS_H

#include "util/base/clock.h"
#include "util/file/recording.h"

/* All readings of a recording. A zero-initialised one is ready. */
struct clock_pairs {
	VEC(struct clock_pair) v; /* in order of their own times */
	u32 facts;                /* of the recording that were looked at */
	int own;                  /* the clock of the recording, -1: not known; once v was read */
	bool single;              /* the recording has only one time of CLOCK_REALTIME */
};

/* Add the readings that are new since the last call. False: out of memory. */
bool clock_pairs_read(struct clock_pairs *p, const struct recording *r);
bool clock_pairs_know(const struct clock_pairs *p, enum clock_pair_of which);
/* A time of the recording by another clock, which must be known. */
u64 clock_pairs_convert(const struct clock_pairs *p, enum clock_pair_of which, u64 time);
void clock_pairs_free(struct clock_pairs *p);

#endif
