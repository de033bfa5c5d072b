/* SPDX-License-Identifier: GPL-2.0 */
/*
 * group_read.h - the samples in a sample of a group that is read by its leader (":S").
 *
 * Such a sample carries the counts of all members. Each member gets a sample of its own, at the
 * leader's place and time, whose period is what it counted since the sample before; none where it
 * counted nothing. Counts are kept for each counter, that is by event and CPU.
 *
 * Source: perf_event_open(2), PERF_SAMPLE_READ.
 */
#ifndef PROFILE_GROUP_READ_H
#define PROFILE_GROUP_READ_H

#include "util/base/vec.h"
#include "util/record/event_set.h"

struct group_read {
	struct hmap by_id; /* counter -> index in last */
	VEC(u64) last;
	struct cur values; /* of the sample being taken apart */
	u64 left;
	bool with_lost;
	bool failed; /* memory ran out: counts are too high */
};

/* Begin with a sample; false if it has no such counts and is to be taken as it is. */
bool group_read_begin(struct group_read *g, const struct sample_layout *layout,
		      const struct sample *s);
/* The next member that counted: its counter's id and its count. False: no more. */
bool group_read_next(struct group_read *g, u64 *id, u64 *count);
void group_read_free(struct group_read *g);

#endif
