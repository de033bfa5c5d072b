/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record.h - what the options of perf-lite record fill in (record_options.c), and cmd_record.c
 * carries out. Each on_X() is the call of an option in opt.h's table; its value is the record.
 */
#ifndef PERF_LITE_RECORD_H
#define PERF_LITE_RECORD_H

#include "perf-lite/id_list.h"
#include "util/capture/recorder.h"
#include "util/cli/opt.h"
#include "util/event/ev_filter.h"
#include "util/event/ev_parse.h"
#include "util/event/ev_record.h"
#include "util/kernel/limits.h"

struct record {
	struct recorder_options options;
	struct ev_record_options attrs;
	struct ev_list list;
	struct ev_env env;
	struct sysroot root;
	struct limits limits;
	struct cpus cpus;
	struct id_list pids, tids;
	const char *cpu_list;
	bool all_cpus, dry_run, quiet, no_inherit, any_event, include_self;
	bool switch_by_signal, switching;
	unsigned int verbose;
	u64 ring_bytes, max_files;
	u32 selves[RECORDER_THREADS]; /* threads of the recorder */
	char call_graph[32];          /* how user stacks are made, for the file */
	struct recorder recorder;
};

int record_on_event(void *value, const char *arg, struct err *err);
int record_on_filter(void *value, const char *arg, struct err *err);
int record_on_cgroup(void *value, const char *arg, struct err *err);
int record_on_pids(void *value, const char *arg, struct err *err);
int record_on_tids(void *value, const char *arg, struct err *err);
int record_on_frequency(void *value, const char *arg, struct err *err);
int record_on_period(void *value, const char *arg, struct err *err);
int record_on_call_graph(void *value, const char *arg, struct err *err);
int record_on_clock(void *value, const char *arg, struct err *err);
int record_on_pages(void *value, const char *arg, struct err *err);
int record_on_delay(void *value, const char *arg, struct err *err);
int record_on_level(void *value, const char *arg, struct err *err);
int record_on_format(void *value, const char *arg, struct err *err);
int record_on_keep_last(void *value, const char *arg, struct err *err);
int record_on_switch_output(void *value, const char *arg, struct err *err);
int record_on_max_size(void *value, const char *arg, struct err *err);

#endif
