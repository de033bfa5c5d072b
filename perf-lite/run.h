/* SPDX-License-Identifier: GPL-2.0 */
/*
 * run.h - what all commands share that measure the running system, perhaps while a command runs: signals that end
 * them, the exit code of a command that did not start, notes for the user.
 */
#ifndef PERF_LITE_RUN_H
#define PERF_LITE_RUN_H

#include <signal.h>

#include "util/base/buf.h"

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

/* Print and clear the notes, each a line; quiet: only clear them. */
void run_put_notes(struct buf *notes, bool quiet);

#endif
