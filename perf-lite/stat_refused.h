/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stat_refused.h - options of perf stat that count what no counter of perf-lite stat does: rows of a
 * table of options, each with the hint that says what to use instead.
 */
#ifndef PERF_LITE_STAT_REFUSED_H
#define PERF_LITE_STAT_REFUSED_H

#include "util/cli/opt.h"

/* clang-format off */
#define STAT_REFUSED(letter, name, hint) {OPT_REFUSED, letter, name, NULL, NULL, hint, NULL, 0}

#define STAT_REFUSED_BPF "leave it out: what -e names is counted by perf events of its own"

#define STAT_REFUSED_OPTS                                                                          \
	STAT_REFUSED(0, "metric-groups", "name the metrics: --metric list shows them"),            \
	STAT_REFUSED(0, "topdown",                                                                 \
		     "count the events: -e '{slots,topdown-retiring,topdown-bad-spec}', as "       \
		     "perf-lite list shows them"),                                                 \
	STAT_REFUSED(0, "td-level", "count the events of that level: perf-lite list topdown"),     \
	STAT_REFUSED('T', "transaction",                                                           \
		     "count the events: -e cycles,cpu/tx-start/,cpu/tx-abort/"),                   \
	STAT_REFUSED(0, "smi-cost", "count the events: -a -e msr/smi/,msr/aperf/,cycles"),         \
	STAT_REFUSED(0, "iostat",                                                                  \
		     "count the events of the uncore_iio PMUs: perf-lite list uncore_iio"),        \
	STAT_REFUSED(0, "bpf-counters", STAT_REFUSED_BPF),                                         \
	STAT_REFUSED('b', "bpf-prog",                                                              \
		     "sample instead: perf-lite record -a, then report, which names BPF programs"), \
	STAT_REFUSED(0, "bpf-attr-map", STAT_REFUSED_BPF),                                         \
	STAT_REFUSED(0, "bpf-map", STAT_REFUSED_BPF),                                              \
	STAT_REFUSED(0, "cputype", "name the cores in the event: -e cpu_core/cycles/"),            \
	STAT_REFUSED(0, "hybrid-merge", "each sort of cores has its own row; add the rows up"),    \
	STAT_REFUSED(0, "percore-show-thread", "--per-core adds threads up, -A shows each CPU")
/* clang-format on */

#endif
