/* SPDX-License-Identifier: GPL-2.0 */
/*
 * derived.h - what is worked out of the counts: CPUs utilized, rates, GHz, instructions per cycle,
 * misses as a share, and the metrics that were asked for by name.
 *
 * Which events belong together is found once (stat_derivations_init()): events of the same cgroup, the
 * same PMU, and the same modifiers, and of the same group where the event is in one. A rate is per
 * second of the CPU time that a clock event beside it has counted; "CPUs utilized" is that time
 * divided by the real length of the interval.
 */
#ifndef STAT_DERIVED_H
#define STAT_DERIVED_H

#include "util/base/err.h"
#include "util/event/ev_env.h"
#include "util/stat/aggregate.h"

/*
 * Named ratios: `stat --metric ipc`, each of two or three events that every machine with the hardware
 * for them counts.
 *
 * A metric is factor * (sum of all its events but the last) / (the last), of the counts as the
 * kernel gives them: times are ns.
 */
#define STAT_METRIC_EVENTS 3

struct stat_metric {
	const char *name;
	const char *unit;                       /* printed after its value: "insn per cycle" */
	const char *help;                       /* one line */
	const char *events[STAT_METRIC_EVENTS]; /* names; NULL past the last */
	double factor;
	bool percent;
};

/* Number `i` of all there are; NULL past the last. */
const struct stat_metric *stat_metric_nth(u32 i);
const struct stat_metric *stat_metric_find(const char *name, size_t len);

/*
 * Can all its events be counted here? Opens them, and closes them again. Else false, and the name
 * of the event that cannot in *missing.
 */
bool stat_metric_measurable(const struct stat_metric *m, struct ev_env *env, const char **missing);

/*
 * "ipc,tlb-mpki": append the metrics that are named to out[], at most `max`. Returns how many;
 * -EINVAL for a name that is none, -ENOTSUP for one that cannot be measured here (with which
 * event is missing), -E2BIG.
 */
int stat_metric_parse(const char *text, struct ev_env *env, const struct stat_metric **out, u32 max,
		      struct err *err);

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
