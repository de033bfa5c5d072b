/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stat_run.h - one run of what is counted: the command's start and end, intervals, signals, control.
 *
 *	stat_run_open    forks the command, which waits, and opens the counters
 *	stat_run_count   counts until the end: the command's, the targets', the time's, a signal's
 *	stat_run_close   shuts the counters, unless they are of everybody and may count again
 *
 * Elapsed is from just before the command is let go until its end is seen. It is watched by a pidfd,
 * so there is no signal handler that could take its status away.
 *
 * A signal that asks to end ends the counting. It comes only while a run waits: the caller has blocked it. If there is a
 * command, it is passed on to it, unless the terminal has sent it to both, and the command's end is waited for; a second
 * signal does not wait.
 */
#ifndef STAT_STAT_RUN_H
#define STAT_STAT_RUN_H

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>

#include "util/capture/child.h"
#include "util/capture/control.h"
#include "util/capture/targets.h"
#include "util/stat/stat_counters.h"

/* What the caller's signal handler fills in. */
struct stat_run_signals {
	volatile sig_atomic_t last, count, from_terminal;
};

struct stat_run_options {
	char **command;   /* NULL: none */
	bool own_output;  /* of child_fork() */
	const s32 *watch; /* processes or threads: when all have ended, so has the run */
	u32 nr_watch;
	u64 interval_ns;    /* 0: none */
	u64 interval_count; /* intervals, 0: any number */
	u64 timeout_ns;     /* 0: none; it begins when events are enabled first */
	u64 delay_ns;       /* enabled so long after the start */
	bool disabled;      /* --control enables them */
	struct rlimit
		limit; /* of descriptors, as the command is to have it: opening may raise it */
	bool has_limit;
	bool keep; /* the counters outlive a run */
	/* at the timeout, or a signal that it has not got as well, it goes on, where it else is ended, or sent the signal */
	bool leaves_command;
	/* What was counted in an interval; a failure ends the run. */
	int (*interval)(void *arg, const struct stat_reading *r, struct err *err);
	/* A command of --control that is not understood, or enabling, for people to see. */
	void (*say)(void *arg, const char *text);
	void *arg;
	struct control *control; /* NULL: none */
	const struct stat_run_signals *signals;
};

struct stat_run {
	const struct stat_run_options *options;
	struct stat_counters *counters;
	struct child child;
	struct stat_reading first; /* what the counters showed at the start */
	struct stat_reading before, now, delta;
	struct stat_reading total; /* of the whole run, for the caller */
	struct pollfd *fds;
	u32 nr_fds;
	u64 origin, deadline, timeout_at, enable_at, intervals;
	bool ever_enabled;
	int stopped_by; /* signal, 0: none */
	bool done;
};

int stat_run_open(struct stat_run *r, const struct stat_run_options *o, struct stat_counters *c,
		  const struct stat_target *t, struct err *err);
int stat_run_count(struct stat_run *r, struct err *err);
void stat_run_close(struct stat_run *r);

/*
 * stat_run_threads.c: whose events are counted, where that is not a command alone. Counters of threads are open before a
 * command is forked.
 */

/* Who is counted, and where; the caller sets target.cpus, if at all. */
struct stat_threads {
	int proc;             /* the folder /proc */
	bool named;           /* places say whose they are */
	struct targets found; /* those of processes, threads, names or users */
	VEC(struct stat_place) places;
	VEC(s32) watch;
	struct stat_target target;
};

void stat_threads_init(struct stat_threads *t);
/* Everybody, or those that were named; of neither, the target is a command. */
int stat_threads_find(struct stat_threads *t, const struct targets_wanted *wanted,
		      struct buf *notes, struct err *err);
/* All the threads there are. */
int stat_threads_every(struct stat_threads *t, struct err *err);
/* The run ends when all that was found has ended, with the single threads tids[0..nr). */
int stat_threads_watch(struct stat_threads *t, const struct targets_ids *tids,
		       struct stat_run_options *run, struct err *err);
/* Open the counters on all, and on those that began meanwhile. Those of a command are opened by stat_run_open(). */
int stat_threads_open(struct stat_threads *t, struct stat_counters *counters, struct err *err);
void stat_threads_free(struct stat_threads *t);

#endif
