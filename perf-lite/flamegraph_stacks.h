/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flamegraph_stacks.h - the samples of a recording, counted by their stacks, for flame graphs.
 *
 *	reading_open() -> flamegraph_stacks_read() -> flamegraph_stacks_put() for each graph
 *
 * There is one graph of the event that was chosen, or, if several are wanted, one of each event
 * that has samples, in the order of the events in the recording.
 */
#ifndef PERF_LITE_FLAMEGRAPH_STACKS_H
#define PERF_LITE_FLAMEGRAPH_STACKS_H

#include "perf-lite/flamegraph_root.h"
#include "perf-lite/reading.h"
#include "util/format/stack_frames.h"

struct flamegraph_stacks_options {
	const char *by;     /* --by; NULL: the default */
	const char *top;    /* --stack-field; NULL: none */
	bool count_samples; /* each sample counts one, whatever its period */
	bool per_event;     /* else the event is chosen already (reading_choose_event()) */
	bool folded;        /* frames as folded text has them: names alone */
};

struct flamegraph_graph {
	u32 event;
	struct stack_weights weights;
	u64 samples, weight; /* of all of them */
	u64 first, last;     /* times of samples, ns; first UINT64_MAX: none has a time */
};

struct flamegraph_stacks {
	const struct flamegraph_stacks_options *options;
	struct reading *in;
	struct flamegraph_root root;
	struct stack_tree stacks;
	VEC(struct flamegraph_graph) graphs; /* by event; those without samples are empty */
};

int flamegraph_stacks_read(struct flamegraph_stacks *k, struct reading *in,
			   const struct flamegraph_stacks_options *o, struct err *err);
/*
 * Add the counts of an event's graph to those of a tree, or to its counts of another recording
 * (`old`). Once for each.
 */
int flamegraph_stacks_put(struct flamegraph_stacks *k, u32 event, struct frame_tree *tree, bool old,
			  struct err *err);
void flamegraph_stacks_free(struct flamegraph_stacks *k); /* a zeroed one, too */

#endif
