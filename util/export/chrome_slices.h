/* SPDX-License-Identifier: GPL-2.0 */
/*
 * chrome_slices.h - what ran on each CPU, from samples of sched:sched_switch: slices of a trace.
 *
 * A slice lasts from the switch to a task to the switch away from it. The idle task has none. Where the second switch
 * is missing, or another task is switched away from, samples were lost and the end is not known: no slice then.
 */
#ifndef EXPORT_CHROME_SLICES_H
#define EXPORT_CHROME_SLICES_H

#include "util/base/vec.h"
#include "util/profile/session.h"

/* The process whose threads are the CPUs: more than the kernel gives (PID_MAX_LIMIT). */
#define CHROME_CPUS_PID (1u << 30)

/* The task that runs on a CPU. */
struct chrome_slice {
	u64 since;
	u32 tid; /* ID_NONE: not known */
	struct buf comm;
};

struct chrome_slices {
	u32 event; /* ID_NONE: the recording has no switches */
	const struct tp_field *prev_pid, *next_pid, *next_comm;
	VEC(struct chrome_slice) cpus;
};

/* Find the event; without it, or without its fields, there are no slices. The session stays the caller's. */
void chrome_slices_init(struct chrome_slices *k, const struct session *s);
/* After a sample of any event, which may end a slice: its JSON object, after a comma. */
int chrome_slices_sample(struct chrome_slices *k, const struct session_sample *s, struct buf *out,
			 struct err *err);
/* After the last sample: the names of the CPUs that switched, likewise. */
void chrome_slices_names(const struct chrome_slices *k, struct buf *out);
void chrome_slices_free(struct chrome_slices *k);

/* Nanoseconds as the microseconds of a trace. */
void chrome_slices_time(u64 ns, struct buf *out);

#endif
