/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trace_refused.h - options of perf trace that go by other names here: rows of a table of options,
 * each with the hint that says what to use instead, and those that change nothing.
 */
#ifndef PERF_LITE_TRACE_REFUSED_H
#define PERF_LITE_TRACE_REFUSED_H

#include "util/cli/opt.h"

/* clang-format off */
#define TRACE_REFUSED(letter, name, hint) {OPT_REFUSED, letter, name, NULL, NULL, hint, NULL, 0}
#define TRACE_IGNORED(letter, name) {OPT_IGNORED, letter, name, NULL, NULL, NULL, NULL, OPT_HIDDEN}

#define TRACE_REFUSED_OPTS                                                                         \
	TRACE_REFUSED(0, "max-events", "--limit N"),                                               \
	TRACE_REFUSED('o', "output", "a trace goes to standard output: > FILE"),                   \
	TRACE_REFUSED(0, "pf", "page faults are events: -e page-faults -c 1, or major-faults"),    \
	TRACE_REFUSED(0, "failure-only", "-e raw_syscalls:sys_exit --filter 'ret < 0'"),           \
	TRACE_REFUSED(0, "filter-pids", "--filter 'common_pid != N', behind its -e"),              \
	TRACE_REFUSED(0, "switch-on", "record it, then: perf-lite script --time FROM,TO"),         \
	TRACE_REFUSED(0, "switch-off", "record it, then: perf-lite script --time FROM,TO"),        \
	TRACE_IGNORED('T', NULL),                                                                  \
	TRACE_IGNORED('v', "verbose"),                                                             \
	TRACE_IGNORED(0, "sort-events"),                                                           \
	TRACE_IGNORED(0, "libtraceevent_print"),                                                   \
	TRACE_IGNORED(0, "kernel-syscall-graph")
/* clang-format on */

#endif
