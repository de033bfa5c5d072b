/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stat.h - perf-lite stat: what its options fill in (stat_options.c), and cmd_stat.c carries out.
 */
#ifndef PERF_LITE_STAT_H
#define PERF_LITE_STAT_H

#include "util/capture/control.h"
#include "util/cli/opt.h"
#include "util/format/stat_view.h"
#include "util/library/sampling.h"
#include "util/stat/aggregate.h"
#include "util/stat/derived.h"
#include "util/stat/stat_run.h"
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
	bool append, quiet, clear, summary, table, big_num, no_big_num;
	bool intervals;
	bool metric_only;    /* what is worked out of the counts, alone */
	bool no_csv_summary; /* the whole has no word before its fields */
	const char *target;  /* "'sleep 1'", "'system wide'", "process id '12'" */
	const struct stat_metric *metrics[STAT_DERIVED_MAX - STAT_DERIVED_OWN];
	u32 nr_metrics;
	bool per[STAT_AGGREGATIONS]; /* what counts are of, each: one of these at most */
	bool scaled;                 /* counts are scaled for multiplexing */
	bool skip_zeros;             /* leave out threads that counted nothing */
	bool show_times;             /* the times of a command are those of what is counted */
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
	struct {
		u64 nr; /* runs whose command has ended */
		u64 user_ns, sys_ns, maxrss_kb;
		int wait_status; /* the first that is no success */
	} used;                  /* of all runs */
	struct stat_text form;
	struct buf text;
};

int stat_output_open(struct stat_output *o, const struct stat_output_options *options,
		     const struct stat_shape *shape, const struct sysroot *root, struct err *err);
int stat_output_interval(struct stat_output *o, const struct stat_reading *r, struct err *err);
int stat_output_run(struct stat_output *o, const struct stat_reading *r, struct err *err);
int stat_output_end(struct stat_output *o, struct err *err);
void stat_output_close(struct stat_output *o);

struct stat_command {
	struct sampling what; /* events and targets; nothing is sampled */
	const char *each_cgroup, *metrics, *control, *pre, *post;
	bool null_run, sync;
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

/*
 * stat_targets.c: whose events perf-lite stat counts, and where: of the options, threads and CPUs.
 *
 * What of counting depends on them, too (inherit, enable_on_exec).
 * Zero-initialise it, set `c` and `notes`, and initialise `threads`.
 */

struct stat_targets {
	struct stat_command *c;
	struct buf *notes; /* what people should know: a line each */
	bool system_wide;  /* everybody, on CPUs */
	struct stat_threads threads;
};

int stat_targets_choose(struct stat_targets *w, struct err *err);

#endif
