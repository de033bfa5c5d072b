/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flamegraph_timeline_more.h - what a timeline tells beside amounts: what ran in each cell, and the flame graph of any
 * span of it.
 */
#ifndef PERF_LITE_FLAMEGRAPH_TIMELINE_MORE_H
#define PERF_LITE_FLAMEGRAPH_TIMELINE_MORE_H

#include "perf-lite/flamegraph_root.h"
#include "perf-lite/flamegraph_rows.h"
#include "perf-lite/flamegraph_spans.h"
#include "util/draw/flamegraph.h"
#include "util/profile/stack_tree.h"

struct flamegraph_timeline_more {
	struct buf texts, moments;
	const char **makers; /* of all rows, in texts */
};

/*
 * Fill in t->moments, and the makers of `rows`, whose columns t has, of parts that were merged. Zero-initialise it, and free it in any case, after
 * the picture was drawn. `look`: how flame graphs look.
 */
int flamegraph_timeline_more(struct flamegraph_timeline_more *m, struct timeline *t,
			     struct flamegraph_rows *rows, const struct flamegraph_spans *spans,
			     const struct flamegraph_root *root, const struct stack_tree *stacks,
			     const struct flamegraph *look, struct err *err);
void flamegraph_timeline_more_free(struct flamegraph_timeline_more *m);

#endif
