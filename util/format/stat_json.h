/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stat_json.h - counts as JSON, one object per line: stat_json() with the keys of perf stat -j
 * (perf 6.12), where counts and derived values are strings; stat_json_lines() with numbers.
 *
 * A row of stat_json() without a derived value has one of "0.000000" with an empty unit.
 *
 * stat_json_lines() has for each row
 *
 *	type          "counter"
 *	start_ns, end_ns              of the interval, since counting began
 *	summary       true of the sum of all intervals; left out otherwise
 *	socket, die, cluster, core, node, cpu, cpu_type, pid, tid, comm
 *	              those that identify rows
 *	counters      how many counters were added up
 *	event, unit, cgroup           unit and cgroup are null where there is none
 *	value         in that unit; null if it was not counted
 *	state         "counted", "not-counted", "not-supported"; reason: why, else null
 *	enabled_ns, running_ns, running_pct
 *	              null if it was not counted
 *	runs, stddev_pct, stderr_pct, median, mad, min, max
 *	              with several runs, whose mean is the value; null if none counted it. The first
 *	              two are the standard deviation of the runs and the standard error of their mean
 *	derived       an array of {name, value, unit}; name is null unless it was asked for by name
 *
 * of ratios alone
 *
 *	type          "metrics"; start_ns ... counters as above, and
 *	metrics       an array of {name, event, value, unit}: the title of the ratio, and null if it was not counted
 *
 * and at the end one object of type "summary": elapsed_ns, and of a command that has ended user_ns,
 * sys_ns, maxrss_kb, exit_status or signal, null where unknown or not so.
 */
#ifndef FORMAT_STAT_JSON_H
#define FORMAT_STAT_JSON_H

#include "util/format/stat_ratios.h"

void stat_json(struct buf *b, const struct stat_view *v);

void stat_json_lines(struct buf *b, const struct stat_view *v);
/* Ratios alone, an object for each row: with perf's titles as keys and strings, "none" of what was not counted; or as above. */
void stat_json_ratios(struct buf *b, const struct stat_view *v, const struct stat_ratios *r);
void stat_json_lines_ratios(struct buf *b, const struct stat_view *v, const struct stat_ratios *r);
/* `runs` may be NULL. Times and status are those of the last run, the elapsed time is the mean. */
void stat_json_summary(struct buf *b, const struct stat_reading *r, const struct stat_runs *runs);

#endif
