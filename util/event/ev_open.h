/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_open.h - from specs to open counters: perf_event_open(2), for all that sample and all that count.
 *
 *	ev_open_one     one event at one place
 *	ev_open         an event of a list on every CPU and thread of a target
 *
 * What the kernel refuses is given up step by step where the event still means nearly the same without it: a newer attr
 * bit, precision, guests (unless :H or :G asked), the kernel's half where kernel.perf_event_paranoid forbids it, of
 * samples hardware cycles. What a user should know adds one line to `notes`, once. Name and attr of the spec are changed
 * accordingly, so that they say what is really open; as in perf, "cycles" becomes "cycles:u".
 */
#ifndef EVENT_EV_OPEN_H
#define EVENT_EV_OPEN_H

#include <errno.h>
#include <linux/perf_event.h>

#include "util/base/buf.h"
#include "util/base/err.h"
#include "util/event/ev_spec.h"
#include "util/kernel/limits.h"

/* What the openings of one list share. The first five are the caller's, the others zero. */
struct ev_opener {
	const struct sysroot *root;
	struct arena *arena; /* of names that change */
	struct buf *notes;
	bool counts; /* events are counted; else they are sampled, and cycles may become cpu-clock */
	bool keep_limits; /* that of descriptors is not raised */
	struct limits limits;
	bool limits_known; /* they are read when the first event is refused */
	bool told_user_only;
};

struct ev_place {
	u32 cpu;      /* ID_NONE: any */
	s32 tid;      /* -1: all */
	int cgroup;   /* its descriptor, -1: none; then tid is -1 */
	int group;    /* descriptor of the leader, -1: none */
	bool settled; /* the event is open elsewhere: nothing is given up any more */
};

/* It can be opened, but not in that group. */
#define EV_OPEN_NO_ROOM (-EXFULL)

/*
 * Open the event. A descriptor, or -errno with err set; -ESRCH of a thread (tid > 0), which has ended.
 */
int ev_open_one(struct ev_opener *o, struct ev_spec *s, const struct ev_place *where,
		struct err *err);

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

/* Append the counters of spec number `spec`, disabled. On failure what was opened stays in `out`. */
int ev_open(struct counters *out, struct ev_list *list, u32 spec, const struct ev_target *target,
	    struct ev_opener *o, struct err *err);

/*
 * An event that others hang on as their group's leader: while it is disabled none of them counts,
 * though they are enabled. Thousands so start and stop by one call, where enabling them one by one
 * makes the kernel schedule all of them each time. Since Linux 6.16 the events of one group are
 * throttled together, so only tracepoints, which never are, use a gate. A descriptor, or -errno.
 */
int ev_open_gate(const struct perf_event_attr *like, u32 cpu);

/* Apply the filter of the spec, if it has one, to a counter; to its counters from number `from` on. */
int ev_open_filter_one(int fd, const struct ev_spec *s, struct err *err);
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
