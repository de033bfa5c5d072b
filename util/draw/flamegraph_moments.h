/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flamegraph_moments.h - a flame graph for each span of time, made by a script when somebody chooses one.
 *
 *     {"graph":{...},                 the graph of all time: flamegraph_table.h
 *      "legend":[[2,"user"],...],      tones, and what they mean
 *      "columns":[[0,3,12,1],...]}    of each column of time: a box and its own counts, another one ...
 *
 * Boxes are told by how many stand between them and the one before in the column. The counts of a span are the sums of
 * its columns, and those of a box its own and those above it. What is less than a 20000th of all is in one box
 * with its like, so that the text stays short.
 */
#ifndef DRAW_FLAMEGRAPH_MOMENTS_H
#define DRAW_FLAMEGRAPH_MOMENTS_H

#include "util/draw/flamegraph.h"

struct flamegraph_moment {
	u32 column, node; /* of the tree */
	u64 count;
};

/* Append that. The tree is finished, and holds all counts of `v`, which is put in order. */
int flamegraph_moments_put(const struct flamegraph *g, const struct frame_tree *t,
			   struct flamegraph_moment *v, u32 nr, u32 nr_columns, struct buf *out,
			   struct err *err);

#endif
