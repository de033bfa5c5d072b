/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sample_groups.h - samples of a block that say the same but for their time: what they say once, and times.
 *
 *	records  A1 A2 B3 A4 ...   ->   kinds A, B   times 1 2 3 4 ...   kind_of A A B A ...
 *
 * Who counts samples looks at each kind, not at each sample. Zero-initialised, it is empty and ready.
 */
#ifndef FILE_SAMPLE_GROUPS_H
#define FILE_SAMPLE_GROUPS_H

#include "util/base/buf.h"
#include "util/base/vec.h"
#include "util/record/rec.h"

struct sample_groups {
	VEC(struct rec) kinds; /* the first sample of each, in `bytes` */
	struct buf bytes;
	VEC(u64) times;   /* of each sample, in ns, less than UINT64_MAX */
	VEC(u32) kind_of; /* of each sample */
	VEC(u32) runs;    /* the samples that ascending runs of times begin with */
};

/* Forget the samples, keep the memory. */
void sample_groups_clear(struct sample_groups *a);
void sample_groups_free(struct sample_groups *a);

/* Append a sample, for which there is room: its time; its kind is the caller's to append. False: memory is out. */
static inline bool sample_groups_add_time(struct sample_groups *a, u64 time)
{
	u32 *run;

	time = time == UINT64_MAX ? 0 : time;
	if (!a->times.nr || time < a->times.v[a->times.nr - 1]) {
		run = vec_push(&a->runs);
		if (!run)
			return false;
		*run = a->times.nr;
	}
	a->times.v[a->times.nr++] = time;
	return true;
}

/* Take the last one back. */
static inline void sample_groups_drop(struct sample_groups *a)
{
	a->kind_of.nr--;
	if (a->runs.v[a->runs.nr - 1] == --a->times.nr)
		a->runs.nr--;
}

#endif
