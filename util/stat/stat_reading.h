/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stat_reading.h - what was counted: every event at every place, at one moment or over one interval.
 *
 * A struct stat_shape says what is counted and where; it is made once (stat_counters.h) and belongs to
 * its maker. A struct stat_reading is one set of numbers of that shape: counts[] and valid[] have
 * an element for each event and place, stat_index(). Times are ns of CLOCK_MONOTONIC, counts as
 * read(2) of a perf event gave them, unscaled. A zero-initialised reading may be freed.
 *
 * What of a number is to be shown is stat_reading_state(): a count of 0 is one (a sleeping task causes no
 * events); no count is something else, and has a reason.
 */
#ifndef STAT_STAT_READING_H
#define STAT_STAT_READING_H

#include <linux/perf_event.h>

#include "util/base/err.h"
#include "util/event/ev_spec.h"

enum stat_state {
	STAT_COUNTED,
	STAT_NOT_COUNTED,   /* enabled, but never on the hardware; or never enabled */
	STAT_NOT_SUPPORTED, /* the kernel has no such counter here */
};

/* Events that no descriptor counts: their values come from the clock and from wait4(2), in ns. */
enum stat_tool {
	STAT_NO_TOOL,
	STAT_DURATION_TIME,
	STAT_USER_TIME,
	STAT_SYSTEM_TIME,
};

/* Of an interval: what was added in it. Times in ns. */
struct stat_count {
	u64 value, enabled, running;
};

/* The strings belong to the list of events that was opened. */
struct stat_event {
	const char *name;  /* as perf prints it */
	const char *typed; /* as it was asked for: without the modifiers that were added since */
	const char *unit;  /* of value * scale; "": a plain number */
	double scale;      /* 1.0 */
	bool snapshot;     /* a value, not a sum: an interval has the latest */
	struct perf_event_attr attr;
	enum stat_tool tool;
	const char *cgroup; /* NULL: everywhere */
	const char *pmu;    /* NULL: of no PMU of its own */
	const u32 *cpus;    /* where its PMU counts; nr_cpus == 0: on every CPU */
	u32 nr_cpus;
	u32 group;             /* number of its {...}, ID_NONE: it is in none */
	u32 leader;            /* index of its group's first event; its own if it has no group */
	bool is_part;          /* its counts are shown in those of event number ... */
	u32 whole;             /* ... this: units of one kind */
	enum stat_state state; /* STAT_COUNTED, unless it is open nowhere or was never enabled */
	int code;              /* errno that refused it, 0: none did */
	char reason[160];      /* why it is not counted or not supported, "" */
};

/* Where a descriptor counts. A command has one place, with neither CPU nor thread. */
struct stat_place {
	u32 cpu;       /* ID_NONE: on all */
	s32 tid;       /* -1: all tasks, or the command */
	u32 pid;       /* the thread's process, 0: not known */
	char comm[64]; /* the thread's name, "" */
};

struct stat_shape {
	struct stat_event *events;
	struct stat_place *places;
	u32 nr_events, nr_places;
};

struct stat_reading {
	const struct stat_shape *shape;
	struct stat_count *counts;
	bool *valid;          /* there is a descriptor, and it could be read */
	u64 origin_ns;        /* when counting began */
	u64 start_ns, end_ns; /* of this interval; without -I of all */
	u64 user_ns, sys_ns;  /* of the command and all that it waited for, once it has ended */
	u64 maxrss_kb;
	int wait_status; /* as of waitpid(2) */
	bool ended;      /* the command has: the four above are set */
};

static inline size_t stat_index(const struct stat_shape *s, u32 event, u32 place)
{
	return (size_t)event * s->nr_places + place;
}

int stat_reading_init(struct stat_reading *r, const struct stat_shape *shape, struct err *err);
void stat_reading_free(struct stat_reading *r);
void stat_reading_copy(struct stat_reading *to, const struct stat_reading *from);

/*
 * What was added from `before` to `now`, both of one shape; snapshots as they are now. `out` may be
 * either of them. A CPU or thread that one of them could not read has nothing.
 */
void stat_reading_delta(struct stat_reading *out, const struct stat_reading *now,
			const struct stat_reading *before);

/* Of one event and place. */
enum stat_state stat_reading_state(const struct stat_reading *r, u32 event, u32 place);
/* value * enabled / running, exact in 128 bits; `value` where it ran all the time. */
u64 stat_count_scaled(const struct stat_count *c);

#endif
