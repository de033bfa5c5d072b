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

#define RECORD_REFUSED_AUX "record AUX traces with perf record; -b records the last branches"

#define RECORD_REFUSED_OPTS                                                                        \
	RECORD_REFUSED('S', "snapshot", RECORD_REFUSED_AUX),                                       \
	RECORD_REFUSED(0, "aux-sample", RECORD_REFUSED_AUX),                                       \
	RECORD_REFUSED('n', "no-samples", "to count only: perf-lite stat"),                        \
	RECORD_REFUSED('s', "stat", "to count by thread: perf-lite stat --per-thread"),            \
	RECORD_REFUSED(0, "running-time", "perf-lite stat prints how long each event was "         \
					  "counted"),                                              \
	RECORD_REFUSED(0, "transaction", "to count transactions: perf-lite stat -e "               \
					 "cpu/tx-start/,cpu/tx-abort/"),                           \
	RECORD_REFUSED(0, "off-cpu", "to see where tasks leave the CPU: -g -e "                    \
				     "sched:sched_switch"),                                        \
	RECORD_REFUSED(0, "kcore",                                                                 \
		       "leave it out: every recording includes the kernel functions seen"),        \
	RECORD_REFUSED(0, "vmlinux",                                                               \
		       "leave it out: names come from the running kernel; when reading: report "   \
		       "-k FILE"),                                                                 \
	RECORD_REFUSED(0, "clang-path", "-e takes events, not BPF sources"),                       \
	RECORD_REFUSED(0, "clang-opt", "-e takes events, not BPF sources"),                        \
	RECORD_REFUSED(0, "switch-output-event",                                                   \
		       "use --switch-output=signal, and kill -USR2 when the event happens"),       \
	RECORD_REFUSED(0, "timestamp-filename", "-o NAME-$(date +%Y%m%d%H%M%S)")
/* clang-format on */

#endif
