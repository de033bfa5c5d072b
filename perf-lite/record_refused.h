/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record_refused.h - options of perf record that would put something into the recording that
 * perf-lite does not read: rows of a table of options, each with the hint that says what to use
 * instead.
 */
#ifndef PERF_LITE_RECORD_REFUSED_H
#define PERF_LITE_RECORD_REFUSED_H

#include "util/cli/opt.h"

/* clang-format off */
#define RECORD_REFUSED(letter, name, hint) {OPT_REFUSED, letter, name, NULL, NULL, hint, NULL, 0}

#define RECORD_REFUSED_AUX "traces (AUX) are recorded by perf record; -b has the last branches"

#define RECORD_REFUSED_OPTS                                                                        \
	RECORD_REFUSED('S', "snapshot", RECORD_REFUSED_AUX),                                       \
	RECORD_REFUSED(0, "aux-sample", RECORD_REFUSED_AUX),                                       \
	RECORD_REFUSED('n', "no-samples", "count instead: perf-lite stat"),                        \
	RECORD_REFUSED('s', "stat", "counts of threads: perf-lite stat --per-thread"),             \
	RECORD_REFUSED(0, "running-time", "perf-lite stat says how long each event was counted"),  \
	RECORD_REFUSED(0, "transaction", "count them: perf-lite stat -e cpu/tx-start/,cpu/tx-abort/"), \
	RECORD_REFUSED(0, "off-cpu", "-g -e sched:sched_switch: where tasks leave the CPU"),       \
	RECORD_REFUSED(0, "kcore",                                                                 \
		       "leave it out: functions of the kernel are in every recording"),            \
	RECORD_REFUSED(0, "vmlinux",                                                               \
		       "leave it out: names are from the running kernel; reading: report -k FILE"), \
	RECORD_REFUSED(0, "clang-path", "-e names events, and no BPF sources"),                    \
	RECORD_REFUSED(0, "clang-opt", "-e names events, and no BPF sources"),                     \
	RECORD_REFUSED(0, "switch-output-event",                                                   \
		       "--switch-output=signal, and kill -USR2 when it has happened"),             \
	RECORD_REFUSED(0, "timestamp-filename", "-o NAME-$(date +%Y%m%d%H%M%S)")
/* clang-format on */

#endif
