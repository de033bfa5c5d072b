/* SPDX-License-Identifier: GPL-2.0 */
/*
 * time_slices.h - spans of time as people give them: script --time.
 *
 *	762.85,763.1	,763.1	762.85,		seconds, as they are printed
 *	762.85,763.1 764,765			several, blanks between them
 *	10%	10%/2	0%-10%,30%-40%		of the time between the first sample and the last
 *
 * Both ends belong to a slice. Parts of the whole have their times after time_slices_scale().
 */
#ifndef PROFILE_TIME_SLICES_H
#define PROFILE_TIME_SLICES_H

#include "util/base/err.h"
#include "util/base/vec.h"

struct time_slice {
	u64 from, to;              /* ns; to 0: no end */
	double part_from, part_to; /* 0 to 1 */
};

/* Empty: all time. */
struct time_slices {
	struct time_slice *v;
	u32 nr, cap;
	bool parts; /* part_from and part_to are given, from and to are not known yet */
};

int time_slices_parse(struct time_slices *l, const char *text, struct err *err);
/* The first and the last time of all are now known. */
void time_slices_scale(struct time_slices *l, u64 first, u64 last);
bool time_slices_has(const struct time_slices *l, u64 time);
/* What holds them all; to 0: no end. */
void time_slices_bounds(const struct time_slices *l, u64 *from, u64 *to);
void time_slices_free(struct time_slices *l);

#endif
