/* SPDX-License-Identifier: GPL-2.0 */
/*
 * call_graph_json.h - the call graph of a row of a report as JSON: an array of
 *
 *	{"symbol":"main","dso":"/usr/bin/ls","samples":12,"weight":3000000,"percent":24.0,
 *	 "inlined":true,"line":"ls.c:12","children":[...]}
 *
 * Without a symbol there is "address" instead of it. "inlined", "line" and "children" are there where they say
 * something, "dso" where something was mapped. "percent" is of all samples.
 */
#ifndef FORMAT_CALL_GRAPH_JSON_H
#define FORMAT_CALL_GRAPH_JSON_H

#include "util/format/report_export.h"
#include "util/report/call_graph.h"

/* Adds "graph" to rows. What is pointed at stays the caller's. */
struct call_graph_json {
	struct report_more more; /* first */
	const struct call_graph_options *options;
	const struct call_graph_stacks *stacks; /* of the event */
	struct call_graph graph;
};

void call_graph_json_init(struct call_graph_json *j, const struct call_graph_options *o);
void call_graph_json_free(struct call_graph_json *j);

#endif
