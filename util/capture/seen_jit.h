/* SPDX-License-Identifier: GPL-2.0 */
/*
 * seen_jit.h - the names of code that one process makes, for a recording: which functions its
 * samples stand in, in which layer (jit_overlays.h) and from when on.
 *
 * What was put over a function that samples stood in is told as well, whether or not a sample has
 * stood in it yet: an address that was looked up once is not looked up again.
 */
#ifndef CAPTURE_SEEN_JIT_H
#define CAPTURE_SEEN_JIT_H

#include "util/capture/jit_overlays.h"
#include "util/capture/pinned_files.h"
#include "util/process/jit.h"

/* A function that the recording is to know. */
struct seen_code {
	u64 start, end;
	u64 from; /* clock of the recording: a record has to say so; 0: it is told already */
	u32 layer;
	const char *name; /* lives as long as the struct seen_jit */
};

/* Zero-initialised but for jit.pid, it is empty and ready. */
struct seen_jit {
	struct jit jit;
	struct jit_overlays layers;
	VEC(struct seen_code) told; /* since the owner emptied it */
	bool failed;                /* sticky: memory ran out */
};

struct seen_made_options {
	struct process_model *model;
	int proc; /* descriptor of /proc */
	struct pinned_files *held;
	u64 shift; /* time of the recording's clock less CLOCK_MONOTONIC */
	u64 order; /* no sample is older that was not handed in before */
};

/* A sample stands at an address at a time. False: what is there has no name. */
bool seen_jit_find(struct seen_jit *sj, const struct seen_made_options *o, u64 addr, u64 time);

/* What was made since the last call where samples stood. */
void seen_jit_news(struct seen_jit *sj, const struct seen_made_options *o);

void seen_jit_free(struct seen_jit *sj);

#endif
