/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_pmu.h - events of the PMUs in sysfs: "cpu/event=0x3c,umask=1/", "msr/tsc/", and "tsc" alone.
 *
 * One spec for each PMU that the name means: units of one kind outside of the cores share the name
 * that was typed, events of sorts of cores are named by their PMUs. The PMU of cores knows the
 * generic names too: "cpu_core/cycles/", "cpu/LLC-loads/". config=, config1=, ... and rNNN are set first, then
 * the fields of the PMU in their order, so that a field after an alias replaces the alias's own.
 */
#ifndef EVENT_EV_PMU_H
#define EVENT_EV_PMU_H

#include "util/event/ev_env.h"
#include "util/event/ev_spec.h"
#include "util/event/ev_term.h"

int ev_pmu_add(struct ev_list *list, struct ev_env *env, const struct ev_lex *l, struct ev_word pmu,
	       const struct ev_term_list *terms);

/* The event that drivers call `alias`: how many specs were added, 0 if there is none, -errno. */
int ev_pmu_add_alias(struct ev_list *list, struct ev_env *env, const struct ev_lex *l,
		     struct ev_word alias);

/* "uncore_imc/reads/", "reads:u": as it is called on the PMU of the spec. NULL: memory is out. */
const char *ev_pmu_name(struct arena *arena, const struct ev_spec *s, const char *text, size_t len);

/*
 * On a machine with several sorts of cores, replace every generic hardware, cache or raw event of `list` by one for each sort:
 * "cycles" by "cpu_core/cycles/" and "cpu_atom/cycles/". Without that the kernel counts it on one of them only. A group
 * becomes several groups.
 *
 * Source: PERF_TYPE_HARDWARE in <linux/perf_event.h>: the type of the PMU is in the upper half of
 * config; Documentation/admin-guide/pmu/ and tools/perf/Documentation/intel-hybrid.txt of Linux.
 */
int ev_cores_expand(struct ev_list *list, struct ev_env *env, struct err *err);

#endif
