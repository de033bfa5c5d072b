/* SPDX-License-Identifier: GPL-2.0 */
/*
 * inheritance.h - which threads have inherited an event, while events are opened thread by thread.
 *
 * A thread that begins meanwhile has those events that its maker had by then, and no others. To open all of them again
 * would count and sample its hits twice; to open none would miss some. So side-band is opened and enabled before all else
 * (rings_options.sideband_first): its FORK records say who made a thread, and when, which is compared with the time at which
 * each of the maker's counters was open.
 *
 *	inheritance_has()    asked for each counter: is it there already? As struct ev_target has it.
 *	inheritance_look()   read the side-band so far; what else is in it is left out: tasks are listed later
 *	inheritance_late()   from now on threads are opened that were not in the first list
 *
 * The kernel makes the record a little after the copies of the events. Where a thread began at just the time at which a
 * counter of its maker was opened it may have it or not: the counter is opened, and the thread is one of `doubtful`.
 */
#ifndef CAPTURE_INHERITANCE_H
#define CAPTURE_INHERITANCE_H

#include "util/capture/rings.h"

struct inheritance_fork {
	u64 time;
	s32 maker;
};

struct inheritance {
	struct rings *rings;
	VEC(struct inheritance_fork) forks;
	struct hmap made;     /* thread -> its place in forks */
	struct hmap makers;   /* threads that made others */
	struct hmap counters; /* of these: number in rings */
	struct hmap doubtful; /* threads */
	u32 asked;
	bool late;
};

bool inheritance_has(void *arg, u32 spec, s32 tid, u32 cpu);
void inheritance_look(struct inheritance *h);
void inheritance_late(struct inheritance *h);
void inheritance_free(struct inheritance *h);

#endif
