/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report_group.h - the rows of several events as one table: what each of the events has in a row.
 *
 * Events are members by their place in the group, the leader is 0. The rows are the leader's
 * entries, and behind these what the others alone have, which the leader has no samples of.
 */
#ifndef REPORT_REPORT_GROUP_H
#define REPORT_REPORT_GROUP_H

#include "util/report/report_entries.h"

struct report_member {
	const char *name; /* of the event */
	const struct report_samples *samples;
	u64 samples_in_all, weight_in_all;
};

struct report_group {
	struct report_member *members; /* the caller's */
	u32 nr;
	VEC(struct report_numbers) numbers; /* nr for each row */
	struct hmap rows;                   /* root and place -> row */
};

/*
 * Put together `entries` of members 1 and up with those of the leader, which gain rows; members'
 * samples are counted with the same keys. *g is zero, members and nr are set.
 */
int report_group_make(struct report_group *g, struct report_samples *leader,
		      struct report_entries *rows, const struct report_entries *entries,
		      struct err *err);
/* What the members have in a row, all of them. */
const struct report_numbers *report_group_row(const struct report_group *g,
					      const struct report_entry *e);
void report_group_free(struct report_group *g);

#endif
