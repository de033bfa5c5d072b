/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_cores.h - machines with several sorts of cores: there a generic hardware, cache or raw event
 * means one on each, "cycles" is "cpu_core/cycles/" and "cpu_atom/cycles/". Unless it says so, the
 * kernel counts such an event on one of them only.
 *
 * Source: PERF_TYPE_HARDWARE in <linux/perf_event.h>: the type of the PMU is in the upper half of
 * config; Documentation/admin-guide/pmu/ and tools/perf/Documentation/intel-hybrid.txt of Linux.
 */
#ifndef EVENT_EV_CORES_H
#define EVENT_EV_CORES_H

#include "util/event/ev_env.h"
#include "util/event/ev_spec.h"

/*
 * In place of every such event of `list` put one for each sort of core. A group becomes several
 * groups. Does nothing where all cores are of one sort.
 */
int ev_cores_expand(struct ev_list *list, struct ev_env *env, struct err *err);

#endif
