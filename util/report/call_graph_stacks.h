/* SPDX-License-Identifier: GPL-2.0 */
/*
 * call_graph_stacks.h - the stacks of a report as one tree of functions, which the call graphs of all its rows
 * are read from.
 *
 * Each root of the report (report_samples.h) has a tree; below it, a node is a function in a place, called
 * along one path. Nodes are in preorder: those of a branch are a node and what follows it up to its `end`. So whatever
 * a row's call graph needs is sums over spans, and nothing is kept for each row.
 *
 * Made once, when all samples are counted; then it does not change.
 */
#ifndef REPORT_CALL_GRAPH_STACKS_H
#define REPORT_CALL_GRAPH_STACKS_H

#include "util/report/call_graph_functions.h"
#include "util/report/report_entries.h"

struct call_graph_node {
	u32 function; /* ID_NONE: of a root */
	u32 parent;   /* ID_NONE: of a root */
	u32 end;
	u16 depth;           /* of a root 0; no more than 65535 */
	u16 deepest;         /* of the whole branch */
	u32 first;           /* of report_samples.weights, the first in the whole branch */
	u64 samples, weight; /* of the whole branch */
};

/* Samples whose innermost frame is in a place. */
struct call_graph_stack {
	u32 root, place;
	u32 node, first; /* of report_samples.weights */
	u64 samples, weight;
	u64 samples_before, weight_before; /* of all entries in front of this one */
};

/* Where a place is in the tree. */
struct call_graph_site {
	u32 root, place;
	u32 node;
};

struct call_graph_stacks {
	const struct report_samples *samples;
	struct call_graph_functions functions;
	VEC(struct call_graph_node) nodes;
	VEC(struct call_graph_stack) stacks; /* by root, place, node; one more behind the last */
	VEC(struct call_graph_site) sites;   /* by root, place, node; with callers only */
};

/* callers: rows count what was called from their place, too. */
int call_graph_stacks_make(struct call_graph_stacks *s, const struct report_samples *samples,
			   struct report_places *places, enum call_graph_key key, bool callers,
			   struct err *err);
void call_graph_stacks_free(struct call_graph_stacks *s);

/* A span of stacks or sites. */
struct call_graph_span {
	u32 first, nr;
};
struct call_graph_span call_graph_stacks_of(const struct call_graph_stacks *s, u32 root, u32 place);
struct call_graph_span call_graph_stacks_sites(const struct call_graph_stacks *s, u32 root,
					       u32 place);

/* How many functions the longest call chain of a row has. */
u32 call_graph_stacks_depth(const struct call_graph_stacks *s, u32 root, u32 place, bool caller);
/*
 * Rank rows as perf does: what called comes before what was called, in the thread whose sample was the
 * first of the row.
 */
void call_graph_stacks_rank(const struct call_graph_stacks *s, struct report_entries *e,
			    bool caller);

#endif
