/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report_graphs.h - call graphs in what report writes: who has them, and of which event.
 *
 *	report_graphs_init() -> report_graphs_event() for each event, before its rows -> report_graphs_free()
 */
#ifndef PERF_LITE_REPORT_GRAPHS_H
#define PERF_LITE_REPORT_GRAPHS_H

#include "perf-lite/report.h"
#include "util/format/call_graph_json.h"
#include "util/format/call_graph_text.h"

struct report_graphs {
	const struct report *r;
	bool children; /* rows have what was called from there, too */
	struct call_graph_stacks stacks;
	struct call_graph_text text;
	struct call_graph_json json;
	struct report_below *below; /* for the table, NULL: no graphs */
	struct report_more *more;   /* for JSON, likewise */
};

/* The options stay the caller's. In JSON graphs are as long as everything else, so -g must ask for them. */
void report_graphs_init(struct report_graphs *g, const struct report *r, bool children,
			const struct report_text_colours *colours);
int report_graphs_event(struct report_graphs *g, const struct report_samples *samples,
			struct report_places *places, struct report_entries *entries,
			struct err *err);
void report_graphs_free(struct report_graphs *g);

#endif
