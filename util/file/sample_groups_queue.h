/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sample_groups_queue.h - groups of samples (sample_groups.h) of several blocks, in order of time.
 *
 *	sample_groups_queue_add() ...  ->  sample_groups_queue_gather(before) -> sample_groups_queue_next() ... -> NULL
 *
 * What lies between two moments is given out by kinds: each kind once, where its first sample stands,
 * with the number of them. Nobody may care about the order beyond that.
 */
#ifndef FILE_SAMPLE_GROUPS_QUEUE_H
#define FILE_SAMPLE_GROUPS_QUEUE_H

#include "util/file/source.h"

/* Some samples of one kind. */
struct sample_group {
	u64 first, last; /* their times */
	u32 block, kind, samples;
};

/* A block whose samples have not all been given. */
struct sample_groups_block {
	struct sample_groups *from;
	struct record_buffer *record_buffer;
	u32 *groups; /* by kind: its group + 1 among those gathered, 0: it has none */
	u32 left;
};

/* What is left of an ascending run. */
struct sample_groups_run {
	u32 block, at, end;
};

struct sample_groups_queue {
	VEC(struct sample_groups_block) blocks;
	VEC(struct sample_groups_run) runs;
	VEC(struct sample_group) groups; /* gathered; groups.v[given] is the next */
	u32 given;
	u64 earliest; /* time of the first sample that has not been gathered, UINT64_MAX: none */
};

void sample_groups_queue_init(struct sample_groups_queue *q);
void sample_groups_queue_free(struct sample_groups_queue *q);
/* The samples of a block, whose memory is held until all have been given. False: memory is out. */
bool sample_groups_queue_add(struct sample_groups_queue *q, struct sample_groups *a,
			     struct record_buffer *record_buffer);
/* All groups have been given; take those of the samples before a time. False: memory is out. */
bool sample_groups_queue_gather(struct sample_groups_queue *q, u64 before);

/* The next group; NULL: gather. `kinds` of its block has its record. */
static inline const struct sample_group *sample_groups_queue_next(struct sample_groups_queue *q)
{
	return q->given < q->groups.nr ? &q->groups.v[q->given++] : NULL;
}

#endif
