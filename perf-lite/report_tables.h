/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report_tables.h - a report whose samples are counted, written: a table for each event, or for each
 * group of events.
 */
#ifndef PERF_LITE_REPORT_TABLES_H
#define PERF_LITE_REPORT_TABLES_H

#include "perf-lite/report.h"
#include "perf-lite/report_graphs.h"
#include "util/format/report_export.h"
#include "util/format/report_values.h"

/* A report while it is made. */
struct report_making {
	struct report *r;
	struct report_known_fields known;
	struct report_keys keys;
	struct report_values values;
	struct trace_text text;
	struct stack_tree stacks;
	struct report_places places;
	struct report_samples *events;
	u32 nr_events;
	bool children;
	bool any_shown; /* a sample that has a row */
	bool *absent;   /* keys of the event that is printed */
	u32 *widths;
	struct report_text table;
	struct report_export export;
	struct report_graphs graphs;
};

/* All of them, in the form that was asked for. */
int report_tables_put(struct report_making *m, struct buf *out, struct err *err);

#endif
