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
 * another, the heaviest first; what weighs the same is in perf's order (call_graph_functions.c).
 */
#ifndef REPORT_CALL_GRAPH_H
#define REPORT_CALL_GRAPH_H

#include "util/profile/stack_tree.h"
#include "util/report/call_graph_options.h"
#include "util/report/report_entries.h"

/*
 * call_graph_functions.c: frames by what makes them one in a call graph.
 *
 * By function: frames of one function of one file are one, and so are those that show functions of one name where one
 * of both was inlined; a frame without a function is its address. By address: each is its own. By
 * line of the source: those of one line are one. Numbers are dense, in order of first sight.
 */

struct call_graph_function {
	const char *symbol; /* as the recording has it; NULL: not known */
	const char *line;   /* escaped, NULL: not asked for, or nothing is known */
	u64 ip;             /* of the frame that was seen first */
	u64 at;             /* the function's start in its file, or the address */
	u32 dso;            /* ID_NONE: nothing was mapped there */
	u32 same;           /* the first function that counts as one with it */
	bool inlined;
};

struct call_graph_numbers {
	u32 *v; /* + 1, 0: not asked for yet */
	u32 nr, cap;
};

struct call_graph_functions {
	const struct stack_tree *stacks;
	enum call_graph_key key;
	VEC(struct call_graph_function) v;
	struct strtab names; /* of symbols */
	struct strtab lines;
	struct hmap by_hash; /* the newest function of a hash */
	VEC(u32) older;      /* another one of that hash, ID_NONE: none */
	struct call_graph_numbers
		by_name; /* by name or line: the function that others are one with */
	struct call_graph_numbers of_frame,
		of_inlined; /* by frame and by place of the symboliser */
};

/* The stacks stay the caller's. */
void call_graph_functions_init(struct call_graph_functions *f, const struct stack_tree *stacks,
			       enum call_graph_key key);
/*
 * The function of a frame of the symboliser, of which so many are shown that were inlined there;
 * ID_NONE when memory is out.
 */
u32 call_graph_functions_get(struct call_graph_functions *f, u32 frame, u32 inlined);
/* What was inlined there, i below nr_places - 1 (0: the innermost); symboliser_places() was called. */
u32 call_graph_functions_inlined(struct call_graph_functions *f, u32 frame, u32 i);
/*
 * The order of branches that weigh the same, which is perf's as far as it does not depend on
 * where its memory lies: <0, 0, >0.
 */
int call_graph_functions_compare(const struct call_graph_functions *f, u32 a, u32 b);
/* "symbol", "symbol file.c:12 (inlined)", "0x401136". */
void call_graph_functions_text(const struct call_graph_functions *f, u32 function, struct buf *out);
void call_graph_functions_free(struct call_graph_functions *f);

/*
 * call_graph_stacks.c: the stacks of a report as one tree of functions, which the call graphs of all its rows
 * are read from.
 *
 * Each root of the report (report_entries.h) has a tree; below it, a node is a function in a place, called
 * along one path. Nodes are in preorder: those of a branch are a node and what follows it up to its `end`. So whatever
 * a row's call graph needs is sums over spans, and nothing is kept for each row.
 *
 * Made once, when all samples are counted; then it does not change.
 */

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

/*
 * Rank rows as perf does: what called comes before what was called, in the thread whose sample was the
 * first of the row.
 */
void call_graph_stacks_rank(const struct call_graph_stacks *s, struct report_entries *e,
			    bool caller);

/* call_graph.c: the call graph of one row. */

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
	u64 samples; /* of all stacks, those left out as well */
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
