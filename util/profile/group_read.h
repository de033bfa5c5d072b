/* SPDX-License-Identifier: GPL-2.0 */
/*
 * group_read.h - the samples in a sample of a group that is read by its leader (":S"), or of one event that is.
 *
 * Such a sample carries the counts of all members. Each member gets a sample of its own, at the
 * leader's place and time, whose period is what it counted since the sample before; none where it
 * counted nothing. Counts are kept for each counter, that is by event and CPU. Inherited counters,
 * which Linux 6.12 and newer allow here, count each thread by itself, but all have the id of the first:
 * counts of theirs are kept for each thread too, until it exits.
 *
 * Source: perf_event_open(2), PERF_SAMPLE_READ; kernel/events/core.c, perf_output_read_group().
 */
#ifndef PROFILE_GROUP_READ_H
#define PROFILE_GROUP_READ_H

#include "util/base/vec.h"
#include "util/record/event_set.h"

struct group_read {
	struct hmap ids, threads; /* id of a counter, tid -> a number of its own */
	u32 nr_ids, nr_threads;
	struct hmap
		by_key; /* number of the thread + 1, 0: of none; number of the counter -> index in last */
	VEC(u64) last;
	struct cur values; /* of the sample being taken apart */
	u64 left;
	u32 times;  /* bytes between a value and its id */
	u32 thread; /* whose counters these are, as in by_key */
	bool with_lost;
	bool failed; /* memory ran out: counts are too high */
};

/* Begin with a sample; false if it has no such counts and is to be taken as it is. */
bool group_read_begin(struct group_read *g, const struct event_desc *desc, const struct sample *s);
/* The next member that counted: its counter's id and its count. False: no more. */
bool group_read_next(struct group_read *g, u64 *id, u64 *count);
/* A thread exits (PERF_RECORD_EXIT): one that gets its tid later begins at 0. False: out of memory. */
bool group_read_exit(struct group_read *g, const struct rec *rec);
void group_read_free(struct group_read *g);

#endif
