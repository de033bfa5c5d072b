/* SPDX-License-Identifier: GPL-2.0 */
/*
 * alike_queue.h - samples that are alike (alike.h), of several blocks, in order of time.
 *
 *	alike_queue_add() ...  ->  alike_queue_gather(before) -> alike_queue_next() ... -> NULL
 *
 * What lies between two moments is given out by kinds: each kind once, where its first sample stands,
 * with the number of them. Nobody may care about the order beyond that.
 */
#ifndef FILE_ALIKE_QUEUE_H
#define FILE_ALIKE_QUEUE_H

#include "util/file/source.h"

/* Some samples of one kind. */
struct alike_group {
	u64 first, last; /* their times */
	u32 block, kind, samples;
};

/* A block whose samples have not all been given. */
struct alike_block {
	struct alike *alike;
	struct record_buffer *record_buffer;
	u32 *groups; /* by kind: its group + 1 among those gathered, 0: it has none */
	u32 left;
};

/* What is left of an ascending run. */
struct alike_run {
	u32 block, at, end;
};

struct alike_queue {
	VEC(struct alike_block) blocks;
	VEC(struct alike_run) runs;
	VEC(struct alike_group) groups; /* gathered; groups.v[given] is the next */
	u32 given;
	u64 earliest; /* time of the first sample that has not been gathered, UINT64_MAX: none */
};

void alike_queue_init(struct alike_queue *q);
void alike_queue_free(struct alike_queue *q);
/* The samples of a block, whose memory is held until all have been given. False: memory is out. */
bool alike_queue_add(struct alike_queue *q, struct alike *a, struct record_buffer *record_buffer);
/* All groups have been given; take those of the samples before a time. False: memory is out. */
bool alike_queue_gather(struct alike_queue *q, u64 before);

/* The next group; NULL: gather. `kinds` of its block has its record. */
static inline const struct alike_group *alike_queue_next(struct alike_queue *q)
{
	return q->given < q->groups.nr ? &q->groups.v[q->given++] : NULL;
}

#endif
