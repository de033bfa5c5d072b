/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stat_targets.h - whose events perf-lite stat counts, and where: of the options, threads and CPUs.
 *
 *	stat_targets_choose   the targets; also what of counting depends on them (inherit, enable_on_exec)
 *	stat_targets_open     the counters of threads, which are open before a command is forked
 *
 * Zero-initialise it and set `c`, `proc` and `notes`.
 */
#ifndef PERF_LITE_STAT_WHOM_H
#define PERF_LITE_STAT_WHOM_H

#include "perf-lite/stat.h"
#include "util/capture/targets.h"

struct stat_targets {
	struct stat_command *c;
	int proc;          /* the folder /proc */
	struct buf *notes; /* what people should know: a line each */
	bool system_wide;  /* everybody, on CPUs */
	struct stat_target target;
	struct targets targets;
	VEC(struct stat_place) threads;
	VEC(s32) watch;
};

int stat_targets_choose(struct stat_targets *w, struct err *err);
int stat_targets_open(struct stat_targets *w, struct stat_counters *counters, struct err *err);
void stat_targets_free(struct stat_targets *w);

#endif
