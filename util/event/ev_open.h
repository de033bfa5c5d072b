/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_open.h - from specs to open counters: perf_event_open(2) for every event, CPU and thread.
 *
 * What the kernel refuses is given up step by step where the event still means the same without
 * it (a newer attr bit, precision, the hypervisor); each step adds one line to `notes`, once. The
 * attr of a spec is changed accordingly, so that it says what is really open.
 * Everything is opened disabled.
 */
#ifndef EVENT_EV_OPEN_H
#define EVENT_EV_OPEN_H

#include <linux/perf_event.h>

#include "util/base/buf.h"
#include "util/base/err.h"
#include "util/event/ev_spec.h"
#include "util/kernel/sysroot.h"

struct counter {
	int fd;
	u64 id;
	u32 cpu;    /* ID_NONE: any */
	s32 tid;    /* -1: all */
	u32 spec;   /* index in the list */
	bool gated; /* counts while its CPU's gate is open */
	u64 opened; /* when it had been opened, by the clock of its records */
};

struct counters {
	struct counter *v;
	u32 nr, cap;
	u32 gone; /* threads that ended before their events were open */
};

struct ev_target {
	const u32 *cpus; /* never empty */
	u32 nr_cpus;
	/* of side-band events, as tasks begin and map files on any CPU; NULL: those above */
	const u32 *sideband_cpus;
	u32 nr_sideband_cpus;
	const s32 *tids; /* -1 alone: every task */
	u32 nr_tids;
	bool programs_alone; /* only events that programs make: those of threads are still open */
	/* Does that thread have that counter without its being opened? NULL: none has. */
	bool (*has)(void *arg, u32 spec, s32 tid, u32 cpu);
	void *has_arg;
	const s32 *gates; /* by CPU as in `cpus`: ev_open_gate(), -1: none; NULL: nowhere */
};

/* Append the counters of spec number `spec`. On failure what was opened stays in `out`. */
int ev_open(struct counters *out, struct ev_list *list, u32 spec, const struct ev_target *target,
	    const struct sysroot *root, struct buf *notes, struct err *err);

/*
 * An event that others hang on as their group's leader: while it is disabled none of them counts,
 * though they are enabled. Thousands so start and stop by one call, where enabling them one by one
 * makes the kernel schedule all of them each time. Since Linux 6.16 the events of one group are
 * throttled together, so only tracepoints, which never are, use a gate. A descriptor, or -errno.
 */
int ev_open_gate(const struct perf_event_attr *like, u32 cpu);

/* Apply the filter of the spec to its counters from number `from` on. */
int ev_open_filter(const struct counters *c, u32 from, const struct ev_list *list, u32 spec,
		   struct err *err);

/*
 * An event that counts nothing and never ends, for a ring to be mapped on it: others then write
 * into that ring (PERF_EVENT_IOC_SET_OUTPUT), and may be given another. `like` has the clock and
 * the direction of those events; the ring wakes its reader after `watermark` bytes. A descriptor,
 * or -errno.
 */
int ev_open_owner(const struct perf_event_attr *like, u32 watermark, u32 cpu);

/* An event of a thread, and of all that it starts, that counts nothing and has the ring of such an owner. Likewise. */
int ev_open_end(s32 tid, u32 cpu, int owner);

/* Does this kernel defer the user halves of call chains (deferred.h)? */
bool ev_open_can_defer(void);

void ev_open_close(struct counters *c);

/* Descriptors are one per event, CPU and thread: take as many as the hard limit allows. */
void ev_open_raise_limit(void);

/*
 * Parts of an attr that only newer kernels know. The kernel refuses an attr with one unknown bit as a whole (EINVAL), so each
 * is tried alone, with an event that counts nothing: unknown ones are left out, or named in an error if the user asked for them.
 *
 * Source: perf_copy_attr() in kernel/events/core.c; include/uapi/linux/perf_event.h, versions by its history.
 */

struct ev_feature {
	const char *what;   /* for people */
	const char *since;  /* the Linux that has it first */
	const char *option; /* that asks for it, so it is never left out silently; or NULL */
	bool (*is_on)(const struct perf_event_attr *a);
	void (*turn)(struct perf_event_attr *a, bool on);
};

/* All of them. */
const struct ev_feature *ev_features(u32 *nr);

/* Take the feature out of the attr, or replace it by its older form. */
void ev_feature_drop(const struct ev_feature *f, struct perf_event_attr *a);

#endif
