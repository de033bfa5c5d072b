/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flamegraph_spans.h - what ran when, for a timeline: counts by time, CPU, root and stack.
 *
 *	flamegraph_spans_add() ... -> flamegraph_spans_merge() -> v, nr
 *
 * Times are those at which a bin begins (time_bins.h), so that memory grows with what differs and not with time.
 * A zeroed struct is empty.
 */
#ifndef PERF_LITE_FLAMEGRAPH_SPANS_H
#define PERF_LITE_FLAMEGRAPH_SPANS_H

#include "util/base/vec.h"

struct flamegraph_part {
	u64 at;    /* ns */
	u32 cpu;   /* ID_NONE: not known */
	u32 root;  /* a name of flamegraph_root.h, ID_NONE: none */
	u32 stack; /* a node of stack_tree.h */
	u64 weight;
};

struct flamegraph_spans {
	VEC(struct flamegraph_part) v;
	u32 merge_at; /* parts that call for it */
};

/* `step`: the width of bins by now, which only grows. False: no memory. */
bool flamegraph_spans_add(struct flamegraph_spans *s, const struct flamegraph_part *part, u64 step);
/* Parts that differ in nothing but their weight are one; they are in order of time, CPU, root, stack. */
void flamegraph_spans_merge(struct flamegraph_spans *s, u64 step);
void flamegraph_spans_free(struct flamegraph_spans *s);

#endif
