/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lost_on.h - how many samples were lost on which CPU.
 *
 * A hint of where, beside a total that is sure: for lack of memory it may say too little, never too
 * much.
 */
#ifndef CAPTURE_LOST_ON_H
#define CAPTURE_LOST_ON_H

#include "util/base/vec.h"

/* No machine has a CPU of a higher number. */
#define LOST_ON_CPUS 65536

struct lost_on {
	u64 *v; /* by CPU */
	u32 nr, cap;
};

static inline void lost_on_add(struct lost_on *l, u32 cpu, u64 lost)
{
	if (!lost || cpu >= LOST_ON_CPUS)
		return;
	while (l->nr <= cpu)
		if (!vec_push(l))
			return;
	l->v[cpu] += lost;
}

static inline u64 lost_on_get(const struct lost_on *l, u32 cpu)
{
	return cpu < l->nr ? l->v[cpu] : 0;
}

#endif
