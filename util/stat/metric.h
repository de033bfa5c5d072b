/* SPDX-License-Identifier: GPL-2.0 */
/*
 * metric.h - ratios that have a name: `stat --metric ipc`, each made of two or three events that
 * every machine with the hardware for them counts.
 *
 * A metric is factor * (sum of all its events but the last) / (the last), of the counts as the
 * kernel gives them: times are ns.
 */
#ifndef STAT_METRIC_H
#define STAT_METRIC_H

#include "util/base/err.h"
#include "util/event/ev_env.h"

#define STAT_METRIC_EVENTS 3

struct stat_metric {
	const char *name;
	const char *unit;                       /* what stands behind its value: "insn per cycle" */
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

#endif
