/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cpu_places.h - where the CPUs of a recorded machine are: their socket, core and die.
 *
 * Source: the section CPU_TOPOLOGY of perf.data, which has all of them; in our own files, the facts "cpu_sockets" and
 * "cpu_cores", by CPU, "0,0,1,1".
 */
#ifndef PROFILE_CPU_PLACES_H
#define PROFILE_CPU_PLACES_H

#include "util/base/vec.h"
#include "util/file/recording.h"

struct cpu_place {
	u32 socket, core, die; /* ID_NONE: not known; perf, too, writes -1 */
};

struct cpu_places {
	VEC(struct cpu_place) v; /* by CPU; as many as are recorded */
	bool dies;               /* dies are recorded at all */
};

/* *p is zero. -ENOMEM. */
int cpu_places_read(struct cpu_places *p, const struct recording *r, struct err *err);
void cpu_places_free(struct cpu_places *p);

#endif
