/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report_tree.h - the rows of a report nested: those that have the first key in common below one
 * row of their sum, in this those that have the second one in common, and so on.
 *
 * Each key that is shown is a level. A row of the last level is an entry of the view, so
 * it has a call graph. Children of one row follow one another, in the order of the view: by what
 * they weigh, else by the key of their level. Shares of callers are not added up: one sample may
 * have been called from two rows.
 */
#ifndef REPORT_REPORT_TREE_H
#define REPORT_REPORT_TREE_H

#include "util/report/report_view.h"

struct report_tree_node {
	struct report_entry entry; /* its sums; root and place are those of a row in it */
	u32 level;                 /* of the key that it shows, in report_tree.levels */
	u32 child, nr_children;    /* the first in nodes */
	u32 numbers;               /* of all members, in report_tree.numbers */
	u32 first, nr;             /* rows of the view that are in it, while the tree is made */
};

struct report_tree {
	const struct report_view *view;
	VEC(const struct report_column *) levels;
	VEC(struct report_tree_node) nodes; /* the outermost first */
	u32 nr_roots;
	u32 nr_members;
	VEC(struct report_numbers) numbers;
	u32 *order; /* entries of the view, by the values of their keys */
};

/* Nest the rows of a view, whose order does not matter. *t is zero. -ENOMEM. */
int report_tree_make(struct report_tree *t, const struct report_view *v, struct err *err);
/* What the members have in a node, the leader first. */
const struct report_numbers *report_tree_numbers(const struct report_tree *t,
						 const struct report_tree_node *n);
void report_tree_free(struct report_tree *t);

#endif
