/* SPDX-License-Identifier: GPL-2.0 */
/*
 * reorder_internal.h - groups of samples (sample_groups.h) of several blocks, in order of time: reorder_groups.c.
 *
 *	reorder_groups_add() ...  ->  reorder_groups_gather(before) -> reorder_groups_next() ... -> NULL
 *
 * What lies between two moments is given out by kinds: each kind once, at the time of its first sample,
 * with the number of them. Nobody may care about the order beyond that.
 */
#ifndef FILE_REORDER_INTERNAL_H
#define FILE_REORDER_INTERNAL_H

#include "util/file/source.h"

/* Some samples of one kind. */
struct sample_group {
	u64 first, last; /* their times */
	u32 block, kind, samples;
};

/* A block whose samples have not all been given. */
struct groups_block {
	struct sample_groups *from;
	struct record_buffer *record_buffer;
	u32 *groups; /* by kind: its group + 1 among those gathered, 0: it has none */
	u32 left;
};

/* What is left of an ascending run. */
struct groups_run {
	u32 block, at, end;
};

struct reorder_groups {
	VEC(struct groups_block) blocks;
	VEC(struct groups_run) runs;
	VEC(struct sample_group) groups; /* gathered; groups.v[given] is the next */
	u32 given;
	u64 earliest; /* time of the first sample that has not been gathered, UINT64_MAX: none */
};

void reorder_groups_init(struct reorder_groups *q);
void reorder_groups_free(struct reorder_groups *q);
/* The samples of a block, whose memory is held until all have been given. False: memory is out. */
bool reorder_groups_add(struct reorder_groups *q, struct sample_groups *a,
			struct record_buffer *record_buffer);
/* All groups have been given; take those of the samples before a time. False: memory is out. */
bool reorder_groups_gather(struct reorder_groups *q, u64 before);

/* The next group; NULL: gather. Its record is in `kinds` of its block. */
static inline const struct sample_group *reorder_groups_next(struct reorder_groups *q)
{
	return q->given < q->groups.nr ? &q->groups.v[q->given++] : NULL;
}

#endif
