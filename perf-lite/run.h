/* SPDX-License-Identifier: GPL-2.0 */
/*
 * run.h - what all commands share that measure the running system, perhaps while a command runs: signals that end
 * them, the exit code of a command that did not start, notes for the user.
 */
#ifndef PERF_LITE_RUN_H
#define PERF_LITE_RUN_H

#include <signal.h>

#include "util/base/buf.h"
#include "util/capture/child.h"
#include "util/capture/targets.h"

/*
 * Take these signals by `sa`, but for SIGHUP where it is ignored: nohup(1) means it. (A shell that starts us in the
 * background ignores SIGINT, and we are ended by that all the same.) A reader that went away is an error of write(2)
 * from now on. `caught`: which were taken; NULL: not asked for.
 */
void run_catch_signals(const int *signals, u32 nr, const struct sigaction *sa, sigset_t *caught);

struct stat_run_signals;
/* Those that ask to end (INT, TERM, HUP, QUIT), which are blocked from now on and counted for stat_run_count(). */
const struct stat_run_signals *run_count_signals(void);

/*
 * error: errno of the command that did not start (child.h). As shells have it: 127 there is no such command, 126 it cannot
 * be run; `otherwise` if it is not the cause.
 */
int run_no_start(int error, int otherwise);

struct stat_run;
/* The exit code of a run of counting that ended with the error `ret`, and of one that ended well. */
int run_count_failed(const struct stat_run *run, int ret);
int run_count_exit_code(const struct stat_run *run);

/*
 * Tables of intervals. When the one that begins at `from` ends; UINT64_MAX: never, the clock ends before.
 */
u64 run_interval_end(u64 from, u64 interval);
/*
 * No interval from the one that begins at `from` on has a sample, but for that of `now`, a time later than that. The beginning of the
 * next one to print: `from`, or, of so many that nobody reads them, as one damaged time makes, that of the last, which is said unless
 * `quiet`. The clock is printed from `start` on.
 */
u64 run_skip_intervals(u64 from, u64 now, u64 interval, u64 start, bool quiet);

/*
 * run_end.c: how a run ended, where that explains what it has or leaves behind: a delay that it never outlasted, an option
 * that ended it before the command, targets that ended before their time, a command that only says how long.
 */
struct run_end {
	const char *prefix; /* of each line */
	struct child *child;
	char *const *command; /* NULL: none */
	const struct targets_wanted *targets;
	u64 ran_ns;
	u64 delay_ns;       /* it never outlasted that; 0: it did, or there is none */
	const char *option; /* that ended it; NULL: none */
	bool early;         /* ... at a moment that nobody knew before */
	bool gone;          /* the last of the targets ended before --duration was over */
	u64 samples;        /* UINT64_MAX: not known */
};

struct event_session;
/* `option`: that ended it, as far as the caller knows. */
struct run_end run_end_of(struct event_session *t, const char *option);
/* The same of a run that only counts. */
struct run_end run_end_of_counting(struct stat_run *r);
void run_end_lines(const struct run_end *e, struct buf *lines);

/* Print and clear the notes, each a line; quiet: only clear them. */
void run_put_notes(struct buf *notes, bool quiet);

#endif
