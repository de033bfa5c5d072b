/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stat_counters.h - the open counters of a list of events: opened, enabled, read, closed together.
 *
 *	stat_counters_init     the list becomes a shape: its events
 *	stat_counters_open     its places; every event is opened, disabled, at each of them
 *	stat_counters_enable   all; or with options.enable_on_exec the command's exec does that
 *	stat_counters_read     into a reading of the shape
 *	stat_counters_shut     as before the opening, but for the places, which the next opening makes
 *	                       anew: a command that runs again is another task
 *	stat_counters_free
 *
 * The members of a {group} are opened behind their leader and read with it in one read(2), so that
 * their numbers are of one moment. Where the leader cannot be opened the next member leads; a weak group (:W) that
 * does not fit on the PMU is one no longer.
 *
 * Many tracepoints of everybody hang on one gate for each CPU, an event that leads them all as a
 * group and counts nothing: they start and stop by one call, instead of one after the other.
 *
 * An event of a PMU that counts for whole packages (its `cpumask`) cannot be of a task: where the
 * targets are tasks it counts everybody, at places of its own, one for each CPU of the mask.
 *
 * Sources: perf_event_open(2); Documentation/ABI/testing/sysfs-bus-event_source-devices.
 */
#ifndef STAT_STAT_COUNTERS_H
#define STAT_STAT_COUNTERS_H

#include "util/event/ev_open.h"
#include "util/kernel/cpus.h"
#include "util/stat/stat_reading.h"

struct stat_counters_options {
	const struct sysroot *root;
	bool inherit, enable_on_exec;
	bool all_user, all_kernel;
	bool one_by_one; /* events may be enabled by name: no gates */
	bool no_merge; /* units of one kind (ev_spec.of_boxes) are shown one by one, not their sum */
};

struct stat_target {
	const u32 *cpus; /* NULL: wherever the threads run */
	u32 nr_cpus;
	const struct stat_place *threads; /* tid, pid and comm; tid -1 alone: every task */
	u32 nr_threads;
	pid_t command; /* instead of threads: this task, one place without a name; 0: none */
};

struct stat_counters {
	struct stat_counters_options options;
	const struct ev_list *list;
	struct stat_shape shape;
	struct ev_opener opener;
	struct arena arena;
	int *fds;           /* as counts[] of a reading, -1: none */
	u64 *ids;           /* likewise, of the members of groups */
	int *gates;         /* by place, -1: none; NULL: there are none */
	u64 *buffer;        /* what read(2) gives of a group */
	u32 nr_target;      /* places of the targets; the others are of PMUs with a mask */
	bool looked_hidden; /* that is asked at the first opening (ev_hidden.h) */
};

/*
 * Does the errno say that there is no such counter here? Then the others are counted all the same. What is refused for another
 * reason, such as a right, is an error: nothing is counted.
 */
bool stat_counters_not_here(const struct ev_spec *spec, int code);

/* `list` and what the options point at must outlive it. `notes` gets what had to be given up. */
int stat_counters_init(struct stat_counters *c, const struct ev_list *list,
		       const struct stat_counters_options *o, struct buf *notes, struct err *err);
int stat_counters_open(struct stat_counters *c, const struct stat_target *t, struct err *err);

/* `event` ID_NONE: all. An event in a group means its group. */
int stat_counters_enable(struct stat_counters *c, u32 event, struct err *err);
/* With enable_on_exec: those that count everybody and so no exec enables. */
int stat_counters_enable_beside(struct stat_counters *c, struct err *err);
void stat_counters_disable(struct stat_counters *c, u32 event);

/* Fill in counts and valid; the rest of the reading is the caller's. */
void stat_counters_read(struct stat_counters *c, struct stat_reading *r);

/* Of all places: how many tracepoint events are open, which the kernel is slow to close. */
u32 stat_counters_tracepoints(const struct stat_counters *c);

void stat_counters_shut(struct stat_counters *c);
void stat_counters_free(struct stat_counters *c);

#endif
