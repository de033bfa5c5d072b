/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stat.h - what the options of perf-lite stat fill in (stat_options.c), and cmd_stat.c carries out.
 * Each stat_on_X() is the call of an option in opt.h's table; its value is the struct stat.
 */
#ifndef PERF_LITE_STAT_H
#define PERF_LITE_STAT_H

#include "perf-lite/id_list.h"
#include "perf-lite/stat_output.h"
#include "perf-lite/stat_run.h"
#include "util/event/ev_parse.h"
#include "util/kernel/cpus.h"

struct stat_command {
	struct ev_list list;
	struct ev_env env;
	struct sysroot root;
	struct cpus cpus;
	struct id_list pids, tids;
	const char *cpu_list, *each_cgroup, *metrics, *control, *pre, *post;
	bool all_cpus, no_inherit, null_run, sync;
	unsigned int verbose, detailed;
	u64 repeat, warmup;
	bool repeat_given;
	struct stat_counters_options counting;
	struct stat_run_options run;
	struct stat_output_options output;
};

int stat_on_event(void *value, const char *arg, struct err *err);
int stat_on_filter(void *value, const char *arg, struct err *err);
int stat_on_cgroup(void *value, const char *arg, struct err *err);
int stat_on_pids(void *value, const char *arg, struct err *err);
int stat_on_tids(void *value, const char *arg, struct err *err);
int stat_on_delay(void *value, const char *arg, struct err *err);
int stat_on_interval(void *value, const char *arg, struct err *err);
int stat_on_timeout(void *value, const char *arg, struct err *err);
int stat_on_repeat(void *value, const char *arg, struct err *err);
int stat_on_json(void *value, const char *arg, struct err *err);
int stat_on_log_fd(void *value, const char *arg, struct err *err);
int stat_on_separator(void *value, const char *arg, struct err *err);

/* Options that do not go together: -EINVAL. */
int stat_refuse(struct err *err, const char *message, const char *hint);

#endif
