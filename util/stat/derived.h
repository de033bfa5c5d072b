/* SPDX-License-Identifier: GPL-2.0 */
/*
 * derived.h - what is worked out of the counts: CPUs utilized, rates, GHz, instructions per cycle,
 * misses as a share, and the metrics that were asked for by name (metric.h).
 *
 * Which events belong together is found once (stat_derivations_init()): events of the same cgroup, the
 * same PMU, and the same modifiers, and of the same group where the event is in one. A rate is per
 * second of the CPU time that a clock event beside it has counted; "CPUs utilized" is that time
 * divided by the real length of the interval.
 */
#ifndef STAT_DERIVED_H
#define STAT_DERIVED_H

#include "util/stat/aggregate.h"
#include "util/stat/metric.h"

enum stat_level { STAT_PLAIN, STAT_LESS_GOOD, STAT_NEARLY_BAD, STAT_BAD };

struct stat_derived {
	double value;
	const char *unit;   /* "CPUs utilized", "K/sec" */
	const char *metric; /* its name, if it was asked for by name */
	unsigned int decimals;
	bool percent;
	enum stat_level level;
};

struct stat_derivation;
struct stat_named;

struct stat_derivations {
	struct stat_derivation *of; /* by event */
	VEC(struct stat_named) named;
};

/* The most values of one cell: the metrics in `nr` of stat_derivations_init(), and two. */
#define STAT_DERIVED_MAX 32
#define STAT_DERIVED_OWN 2

int stat_derivations_init(struct stat_derivations *d, const struct stat_shape *shape,
			  const struct stat_metric *const *metrics, u32 nr, struct err *err);
void stat_derivations_free(struct stat_derivations *d);

/* How many values there are of this event in this row. */
u32 stat_derivations_get(const struct stat_derivations *d, const struct stat_table *t, u32 event,
			 u32 key, struct stat_derived out[STAT_DERIVED_MAX]);

/*
 * What values an event can have, without numbers: ratios that are its own, and metrics by name; not the rate nor the
 * CPUs utilized that every event or clock has.
 */
u32 stat_derivations_ratios(const struct stat_derivations *d, u32 event,
			    struct stat_derived out[STAT_DERIVED_MAX]);

#endif
