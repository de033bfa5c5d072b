/* SPDX-License-Identifier: GPL-2.0 */
/*
 * call_graph_options.h - how the call graphs of a report look: the words of -g, which are perf's.
 *
 *	-g TYPE,THRESHOLD[,LIMIT],ORDER,KEY,VALUE
 *
 * Words may come in any order, may be left out, and may be cut short. Of two numbers the first is the threshold.
 */
#ifndef REPORT_CALL_GRAPH_OPTIONS_H
#define REPORT_CALL_GRAPH_OPTIONS_H

#include "util/base/err.h"

enum call_graph_type {
	CALL_GRAPH_NONE,
	CALL_GRAPH_ABSOLUTE, /* "graph": a tree, percentages of all samples */
	CALL_GRAPH_FRACTAL,  /* percentages of the branch below */
	CALL_GRAPH_FLAT,     /* each stack by itself, a function per line */
	CALL_GRAPH_FOLDED,   /* a line each */
};

/* What makes two frames one. */
enum call_graph_key { CALL_GRAPH_FUNCTION, CALL_GRAPH_ADDRESS, CALL_GRAPH_SRCLINE };

enum call_graph_value { CALL_GRAPH_PERCENT, CALL_GRAPH_PERIOD, CALL_GRAPH_COUNT };

struct call_graph_options {
	enum call_graph_type type;
	enum call_graph_key key;
	enum call_graph_value value;
	bool caller;      /* the outermost frame first */
	bool order_given; /* by a word of -g */
	double threshold; /* percent that a branch must have */
	u32 limit;        /* branches of one kind of samples to show; 0: all */
};

/* "graph,0.5,callee,function,percent" */
struct call_graph_options call_graph_options_default(void);
/* Set the options that the words name; the others stay as they are. */
int call_graph_options_parse(struct call_graph_options *o, const char *words, struct err *err);

#endif
