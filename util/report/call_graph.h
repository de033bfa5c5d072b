/* SPDX-License-Identifier: GPL-2.0 */
/*
 * call_graph.h - the call graph of one row of a report.
 *
 * A tree of branches: functions that follow one another without another way to go, and without a
 * stack that ends between them. From the callers (`caller`) a branch leads to what was called, else to who called.
 * Samples whose innermost frame is the row have their whole stacks here, those in its callees their stacks from
 * the row on.
 *
 * Branches below the threshold are left out, with all their children. Children of one branch follow one
 * another, the heaviest first; what weighs the same is in perf's order (call_graph_functions.h).
 */
#ifndef REPORT_CALL_GRAPH_H
#define REPORT_CALL_GRAPH_H

#include "util/report/call_graph_stacks.h"

struct call_graph_branch {
	u32 parent;                    /* ID_NONE: none */
	u32 function, nr_functions;    /* the first in call_graph.functions */
	u32 child, nr_children;        /* the first in call_graph.v */
	u64 samples, weight;           /* of the whole branch */
	u64 self_samples, self_weight; /* of stacks that end with it */
	u64 all_samples, all_weight;   /* of all its children, those left out as well */
};

/* Zero-initialised it is empty, and can be made. */
struct call_graph {
	const struct call_graph_stacks *stacks;
	VEC(struct call_graph_branch) v;
	u32 nr_roots; /* the first in v */
	VEC(u32) functions;
	u64 samples, weight; /* of all stacks, those left out as well */
	VEC(struct call_graph_member) members;
};

/*
 * Make the graph of the row at a place on a root; what it held before is forgotten. Of a branch is
 * asked: at least `threshold` of `total`; with CALL_GRAPH_FRACTAL of the branch that it belongs to.
 */
int call_graph_make(struct call_graph *g, const struct call_graph_stacks *s, u32 root, u32 place,
		    const struct call_graph_options *o, u64 total, struct err *err);
void call_graph_free(struct call_graph *g);

#endif
