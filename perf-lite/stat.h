/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stat.h - perf-lite stat: what its options fill in (stat_options.c), and cmd_stat.c carries out.
 */
#ifndef PERF_LITE_STAT_H
#define PERF_LITE_STAT_H

#include <poll.h>
#include <sys/resource.h>

#include "util/capture/child.h"
#include "util/capture/control.h"
#include "util/capture/targets.h"
#include "util/cli/opt.h"
#include "util/event/ev_parse.h"
#include "util/format/stat_view.h"
#include "util/kernel/cpus.h"
#include "util/stat/aggregate.h"
#include "util/stat/derived.h"
#include "util/stat/stat_counters.h"
#include "util/stat/topology.h"

/*
 * stat_output.c: where the counts of perf-lite stat go, and in which form.
 *
 *	stat_output_open       what is derived of the events; the file of -o, the descriptor of --log-fd, or standard error
 *	stat_output_interval   -I: the counts of one interval
 *	stat_output_run        one run has ended; with -r it is one of several
 *	stat_output_end        what all of them come to
 *	stat_output_close
 */

enum stat_output_form {
	STAT_OUTPUT_TEXT,
	STAT_OUTPUT_CSV,
	STAT_OUTPUT_JSON,
	STAT_OUTPUT_JSON_V2,
};

struct stat_output_options {
	enum stat_output_form form;
	const char *separator;
	const char *file; /* NULL: none */
	int log_fd;
	bool log_fd_given;
	bool append, quiet, clear, summary, table, big_num, no_big_num, null_run;
	bool intervals;
	bool metric_only;    /* what is worked out of the counts, alone */
	bool no_csv_summary; /* the whole has no word before its fields */
	bool by_the_run;     /* each run by itself, though it is repeated */
	const char *target;  /* "'sleep 1'", "'system wide'", "process id '12'" */
	const struct stat_metric *metrics[STAT_DERIVED_MAX - STAT_DERIVED_OWN];
	u32 nr_metrics;
	bool per_cpu, per_core, per_cluster, per_die, per_socket, per_node, per_thread;
	bool scaled;     /* counts are scaled for multiplexing */
	bool skip_zeros; /* leave out threads that counted nothing */
	bool show_times; /* the times of a command are those of what is counted */
	unsigned int verbose;
	u64 repeat;
};

struct stat_output {
	const struct stat_output_options *options;
	const struct sysroot *root;
	int fd;
	bool own_fd, ready;
	struct stat_topology topology;
	struct stat_table table;
	struct stat_derivations derivations;
	struct stat_ratios ratios;
	bool titled; /* the titles of ratios are printed */
	struct stat_runs runs;
	u64 nr_runs;
	struct stat_reading last; /* of the last run; its counts are gone */
	struct stat_text form;
	struct buf text;
};

int stat_output_open(struct stat_output *o, const struct stat_output_options *options,
		     const struct stat_shape *shape, const struct sysroot *root, struct err *err);
int stat_output_interval(struct stat_output *o, const struct stat_reading *r, struct err *err);
int stat_output_run(struct stat_output *o, const struct stat_reading *r, struct err *err);
int stat_output_end(struct stat_output *o, struct err *err);
void stat_output_close(struct stat_output *o);

/*
 * stat_run.c: one run of what is counted: the command's start and end, intervals, signals, control.
 *
 *	stat_run_open    forks the command, which waits, and opens the counters
 *	stat_run_count   counts until the end: the command's, the targets', the time's, a signal's
 *	stat_run_close   shuts the counters, unless they are of everybody and may count again
 *
 * Elapsed is from just before the command is let go until its end is seen. It is watched by a pidfd,
 * so there is no signal handler that could take its status away.
 *
 * A signal that asks to end (INT, TERM, HUP, QUIT) ends the counting. Is there a command, it is
 * passed on to it, unless the terminal has sent it to both, and the command's end is waited for; a
 * second signal does not wait.
 */

struct stat_run_options {
	char **command;   /* NULL: none */
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
	/* What was counted in an interval; a failure ends the run. */
	int (*interval)(void *arg, const struct stat_reading *r, struct err *err);
	/* A command of --control that is not understood, or enabling, for people to see. */
	void (*say)(void *arg, const char *text);
	void *arg;
	struct control *control; /* NULL: none */
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
	bool enabled, ever_enabled;
	int stopped_by; /* signal, 0: none */
	bool done;
};

/* Once, before the first run: signals come only while a run waits. */
void stat_run_catch_signals(void);

int stat_run_open(struct stat_run *r, const struct stat_run_options *o, struct stat_counters *c,
		  const struct stat_target *t, struct err *err);
int stat_run_count(struct stat_run *r, struct err *err);
void stat_run_close(struct stat_run *r);

struct stat_command {
	struct ev_list list;
	struct ev_env env;
	struct sysroot root;
	struct cpus cpus;
	struct targets_ids pids, tids;
	const char *cpu_list, *each_cgroup, *metrics, *control, *pre, *post;
	bool all_cpus, no_inherit, null_run, sync;
	unsigned int verbose, detailed;
	u64 repeat, warmup;
	bool repeat_given;
	struct stat_counters_options counting;
	struct stat_run_options run;
	struct stat_output_options output;
};

/*
 * Parse the command line into *c. rest->help: --help was asked for and has been written, or err says why not.
 */
int stat_options(struct stat_command *c, int argc, char **argv, struct opt_rest *rest,
		 struct err *err);

/* Options that do not go together: -EINVAL. */
int stat_refuse(struct err *err, const char *message, const char *hint);

/*
 * stat_targets.c: whose events perf-lite stat counts, and where: of the options, threads and CPUs.
 *
 *	stat_targets_choose   the targets; also what of counting depends on them (inherit, enable_on_exec)
 *	stat_threads_open     the counters of threads, which are open before a command is forked
 *
 * Zero-initialise it and set `c`, `threads.proc` and `notes`.
 */

/* The threads that counters are opened on. Zero-initialise it and set `proc`. */
struct stat_threads {
	int proc;             /* the folder /proc */
	bool named;           /* places say whose they are */
	struct targets found; /* those of processes, threads, names or users */
	VEC(struct stat_place) places;
	VEC(s32) watch;
};

int stat_threads_find(struct stat_threads *t, const struct targets_wanted *wanted,
		      struct buf *notes, struct err *err);
/* The run ends when all that was found has ended, with the single threads tids[0..nr). */
int stat_threads_watch(struct stat_threads *t, const struct targets_ids *tids,
		       struct stat_run_options *run, struct err *err);
/* Open the counters on all, and on those that began meanwhile. */
int stat_threads_open(struct stat_threads *t, struct stat_counters *counters,
		      struct stat_target *target, struct err *err);
void stat_threads_free(struct stat_threads *t);

struct stat_targets {
	struct stat_command *c;
	struct buf *notes; /* what people should know: a line each */
	bool system_wide;  /* everybody, on CPUs */
	struct stat_target target;
	struct stat_threads threads;
};

int stat_targets_choose(struct stat_targets *w, struct err *err);

#endif
