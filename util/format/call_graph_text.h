/* SPDX-License-Identifier: GPL-2.0 */
/*
 * call_graph_text.h - call graphs below the rows of a report, as perf report draws them:
 *
 *	    99.36%     0.00%  hot      hot                   [.] main
 *	            |
 *	            ---main
 *	               |
 *	               |--62.40%--outer
 *	               |          leaf
 *	               |
 *	                --36.96%--other
 *
 * Functions are escaped as text_escape() does.
 */
#ifndef FORMAT_CALL_GRAPH_TEXT_H
#define FORMAT_CALL_GRAPH_TEXT_H

#include "util/format/report_text.h"
#include "util/report/call_graph.h"

struct call_graph_text {
	struct report_below below; /* first */
	const struct call_graph_options *options;
	const struct call_graph_stacks *stacks; /* of the event */
	struct report_text_colours colours;
	const char *separator; /* between functions of a folded stack */
	bool by_symbol;        /* rows are sorted by function first: a graph does not repeat it */
	struct call_graph graph;
	bool *pipes; /* by depth: the branch goes on below */
	u32 max_depth;
};

/*
 * What is pointed at stays the caller's; `sort` is the text of --sort (NULL: not given), `fields`: so
 * is --fields. The stacks of an event are set before its rows are written.
 */
void call_graph_text_init(struct call_graph_text *t, const struct call_graph_options *o,
			  const struct report_text_colours *colours, const char *separator,
			  const char *sort, bool fields);
void call_graph_text_free(struct call_graph_text *t);

#endif
