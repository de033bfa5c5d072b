/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hotplug.h - which CPUs come online while a recording runs, and since when they were away.
 *
 * What a CPU had open is dead when it has been offline, if only for a moment. The kernel tells of
 * each (cpu_events.h); where it may not be heard, the list of those online is compared now and
 * then.
 */
#ifndef CAPTURE_HOTPLUG_H
#define CAPTURE_HOTPLUG_H

#include "util/kernel/cpu_events.h"
#include "util/kernel/cpus.h"

struct hotplug {
	bool open;
	int events; /* to poll; -1: not to be had */
	struct cpus_watch online;
	struct cpus known; /* CPUs that are recorded */
	VEC(u64) away;     /* by CPU: since when, 0: it is not */
	u64 checked;       /* CLOCK_MONOTONIC */
	u32 next;          /* in online: those before it were looked at */
};

/* A machine without hotplug is one whose CPUs stay: that is no failure. `known` is copied. */
int hotplug_open(struct hotplug *h, const struct sysroot *root, const struct cpus *known,
		 struct err *err);
void hotplug_close(struct hotplug *h);

/* Is it time to look? `now` is what goes for the time at which a CPU is first missed. */
bool hotplug_check(struct hotplug *h, u64 now);

/*
 * After hotplug_check(): the next CPU that came online, and since when it was away; 0: it is new.
 * False: no more. It counts as recorded from then on.
 */
bool hotplug_next(struct hotplug *h, u32 *cpu, u64 *since);

/* Since when the CPU is away, 0: it is not. */
u64 hotplug_away(const struct hotplug *h, u32 cpu);

#endif
