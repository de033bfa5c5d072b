/* SPDX-License-Identifier: GPL-2.0 */
/*
 * seen_sample.h - of a sample, only what tells in which functions it stands; much faster than to
 * decode all of it, since most samples tell nothing new.
 */
#ifndef CAPTURE_SEEN_SAMPLE_H
#define CAPTURE_SEEN_SAMPLE_H

#include "util/record/plan.h"

/* Where it is in the samples of one event: bytes in the body, -1: not there. */
struct seen_layout {
	bool made, plain;              /* not plain: only plan_sample() can tell */
	s32 ip, tid, time, chain, raw; /* raw: if there is no chain before it */
	s32 tid_in_raw;
};

struct seen_sample {
	u64 time, ip;     /* 0: none */
	u32 pid, tid;     /* pid ID_NONE: that of the thread, which only the process model knows */
	const u64 *chain; /* addresses and PERF_CONTEXT_* markers, leaf first */
	const u8 *raw;
	u32 chain_nr, raw_size;
};

void seen_layout_make(struct seen_layout *l, const struct plan *plan);

/* False if the record is shorter than the plan says. */
bool seen_sample_read(const struct seen_layout *l, const struct plan *plan, const struct rec *rec,
		      struct seen_sample *s);

#endif
