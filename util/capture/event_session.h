/* SPDX-License-Identifier: GPL-2.0 */
/*
 * event_session.h - the events of some targets, opened on the running system, and what happens to these until
 * it is over: the command starts and ends, threads and CPUs come and go.
 *
 *	event_session_open()              the command waits to start; every event is open, every ring mapped; all disabled
 *	event_session_enable_sideband()   new tasks and mappings are reported: existing ones are in /proc
 *	event_session_start()             the events are enabled, the command goes
 *	loop:  event_session_tick(), _begin_round(), read each ring and event_session_leave_ring(), _next_cpu(),
 *	       until event_session_is_over(); event_session_sleep()
 *	event_session_stop()              the events are disabled
 *
 * Who reads the rings, and what becomes of the records, is the owner's (recorder.h, live.h).
 */
#ifndef CAPTURE_EVENT_SESSION_H
#define CAPTURE_EVENT_SESSION_H

#include "util/capture/child.h"
#include "util/capture/ends.h"
#include "util/capture/rings.h"
#include "util/capture/targets.h"
#include "util/file/loss.h"
#include "util/kernel/cpus.h"

/*
 * Which CPUs come online while a recording runs, and since when they were away.
 *
 * Events that were open on a CPU are dead when it has been offline, even for a moment. The kernel
 * reports each such CPU (cpus_events_open()); where its reports cannot be read, the list of CPUs
 * that are online is compared now and then, and each time while one is away.
 */
struct hotplug_away {
	u64 since;   /* 0: it is not */
	bool failed; /* it was back, but its events could not be opened: it counts as away */
	bool back;   /* the kernel reported its return since */
};

struct hotplug {
	bool open;
	int events; /* to poll; -1: not to be had */
	struct cpus_watch online;
	struct cpus known;             /* CPUs that are recorded */
	VEC(struct hotplug_away) away; /* by CPU */
	u64 again,
		pause; /* when those that failed are tried again, CLOCK_MONOTONIC; a longer pause each time */
	u64 unseen; /* until then what a CPU did that was back may have been missed, 0: nothing was */
	u64 checked;  /* CLOCK_MONOTONIC */
	u32 next;     /* in online: those before it were looked at */
	bool looking; /* not all of them were, since it was time */
};

/* A machine without hotplug is one whose CPUs stay: that is no failure. `known` is copied. */
int hotplug_open(struct hotplug *h, const struct sysroot *root, const struct cpus *known,
		 struct err *err);
void hotplug_close(struct hotplug *h);

/* Is it time to look? `before` is what goes for the time at which a CPU is first missed. */
bool hotplug_check(struct hotplug *h, u64 before, u64 now);

/*
 * After hotplug_check(): the next CPU that came online, and since when it was away; 0: it is new.
 * False: no more. It counts as recorded from then on.
 */
bool hotplug_next(struct hotplug *h, u32 *cpu, u64 *since);

/* Since when the CPU is away, 0: it is not. */
u64 hotplug_away(const struct hotplug *h, u32 cpu);

/* Its events could not be opened: it is away since `since`, and will be tried again; or they could. */
void hotplug_fail(struct hotplug *h, u32 cpu, u64 since);
void hotplug_succeed(struct hotplug *h, u32 cpu);
bool hotplug_failed(const struct hotplug *h, u32 cpu);

struct event_session_options {
	char *const *command; /* NULL: none; with named targets it says how long, as sleep 10 */
	bool own_output;      /* of child_fork() */
	const struct cpus *cpus;
	const struct cpus *sideband_cpus; /* of side-band: those and more; NULL: those */
	bool cpus_named; /* with -C: of other CPUs that come online, side-band alone, if any */
	struct targets_wanted targets; /* .command is filled in here */
	struct targets_wanted until;   /* where everybody is a target: over when these have ended */
	struct rings_options rings;
	u64 duration_ns; /* 0: no end; it begins when events are enabled first */
	u64 delay_ns;    /* enable so long after the start */
	bool disabled;   /* begin disabled: the owner enables */
	u32 realtime; /* SCHED_FIFO priority of this thread, which does little and must not wait; 0: none */
	int clockid; /* of the records' times */
	const volatile sig_atomic_t *stop;
	/* when all events have just been enabled, before the command goes, and just before they are disabled; NULL: nobody asks */
	void (*at_edge)(void *arg);
	void *edge_arg;
};

/*
 * Rounds over all rings, in the time of their records. A record is stamped a little before it is in
 * its ring, and rounds can follow each other within microseconds: only what was stamped before a
 * round of some time ago has been read.
 */
struct event_session_round {
	u64 first;  /* when side-band was enabled */
	u64 now;    /* when this round began */
	u64 before; /* of one that is long over: no later record is older */
	u64 mark;   /* what that will be next */
};

/* What ends a sleep. */
struct event_session_wake {
	int epoll, sideband; /* the second one has the rings for side-band, and is in the first */
	u64 woken;           /* by side-band, which wakes nobody until a while later; 0: it does */
	u32 watched;         /* rings that wake us: those before this number */
};

/* By CLOCK_MONOTONIC. */
struct event_session_times {
	u64 begun;
	u64 first_enabled; /* 0: not yet */
};

struct event_session {
	struct event_session_options options;
	const struct sysroot *root;
	struct ev_list *list; /* the first is the side-band event */
	struct cpus cpus,
		sideband_cpus; /* of the options those that were online when events were opened */
	int proc;              /* the folder /proc */
	struct rings rings;
	struct targets targets;
	struct child child;
	struct hotplug hotplug;
	struct event_session_round round;
	struct event_session_wake wake;
	u32 alive;        /* counters whose thread has not ended */
	struct ends ends; /* of options.until: counted in `alive`, too */
	bool delayed, stopped;
	bool *enabled; /* by spec; of one that is no spec of samples it says nothing */
	struct event_session_times times;
	u64 disabled;      /* likewise, all of them at the end */
	struct buf *notes; /* lines for the user */
};

/* So that event_session_close() may be called in any case. */
void event_session_init(struct event_session *t);
int event_session_open(struct event_session *t, const struct event_session_options *o,
		       struct ev_list *list, const struct sysroot *root, struct buf *notes,
		       struct err *err);
void event_session_enable_sideband(struct event_session *t);
int event_session_start(struct event_session *t, struct err *err);

/* Wake up by that descriptor too; one that hangs up wakes nobody again. */
int event_session_watch(struct event_session *t, int fd, struct err *err);

/* What is due now: the events of a start that was delayed. */
int event_session_tick(struct event_session *t, struct err *err);
bool event_session_is_over(struct event_session *t);
/* Until a ring, a process or another descriptor wakes it, and no longer than so. */
void event_session_sleep(struct event_session *t, u32 ms);
/* Enable or disable all events; those of spec `spec` alone, unless it is ID_NONE. */
int event_session_enable(struct event_session *t, bool on, u32 spec, struct err *err);
void event_session_stop(struct event_session *t);
/* How many of its events are tracepoints, which take long to close (background_close.h). */
u32 event_session_tracepoints(const struct event_session *t);

/*
 * All rings will be read. False: round.before is as it was, since a round of `settle` ns ago has not
 * been yet.
 */
bool event_session_begin_round(struct event_session *t, u64 settle);
/*
 * A ring was read to its end, and had `waiting` bytes when it was looked at: rings_leave(). What
 * replaces it wakes us, too.
 */
int event_session_leave_ring(struct event_session *t, u32 ring, u64 waiting, struct err *err);

/*
 * The next CPU that came online, and what is lost since it went; loss->cause is 0 where side-band alone is taken.
 * False: none; call it until then.
 */
bool event_session_next_cpu(struct event_session *t, struct loss *loss);
/*
 * Make its events anew, enabled as those of other CPUs are: nothing is lost any more, loss->to. Before they are enabled,
 * `added` learns that the counters from number `from` on are new. After event_session_stop() there are none: loss->to is set.
 */
int event_session_return_cpu(struct event_session *t, struct loss *loss,
			     int (*added)(void *arg, u32 from, struct err *err), void *arg,
			     struct err *err);

/* At the end: what is lost on CPUs that are still away, from CPU *cpu on. False: there is none. */
bool event_session_away(const struct event_session *t, u32 *cpu, struct loss *loss);

/* Leaves the rings and counters open if `keep`: another process has them, too, and closes them. */
void event_session_close(struct event_session *t, bool keep);

#endif
