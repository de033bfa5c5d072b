/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cpu_places.h - where the CPUs of a recorded machine are: their socket, core and die.
 *
 * Source: the section CPU_TOPOLOGY of perf.data, which has all of them; in our own files, the facts "cpu_sockets" and
 * "cpu_cores", by CPU, "0,0,1,1".
 */
#ifndef FILE_CPU_PLACES_H
#define FILE_CPU_PLACES_H

#include "util/base/buf.h"
#include "util/base/vec.h"
#include "util/file/recording.h"

#define CPU_PLACES_MAX 16384 /* no kernel knows more */

struct cpu_place {
	u32 socket, core, die; /* ID_NONE: not known; perf, too, writes -1 */
};

struct cpu_places {
	VEC(struct cpu_place) v; /* by CPU; as many as are recorded */
	bool dies;               /* dies are recorded at all */
};

/* *p is zero. -ENOMEM. */
int cpu_places_read(struct cpu_places *p, const struct recording *r, struct err *err);
/*
 * Append the next set of CPUs that share a socket, or a core, as "0-3,8"; those whose socket is not known are in none.
 * *at: 0 before the first. False: there are no more.
 */
bool cpu_places_siblings(const struct cpu_places *p, bool cores, u32 *at, struct buf *b);
void cpu_places_free(struct cpu_places *p);

#endif
