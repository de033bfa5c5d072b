/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report_count.h - samples counted into the rows of a report, of a recording or live.
 *
 *	report_count_needs() -> the session is opened -> report_count_init() -> report_count_add() ...
 *	-> the entries of c.events (report_entries.h) -> report_count_free()
 *
 * The options and the session stay the caller's.
 */
#ifndef REPORT_REPORT_COUNT_H
#define REPORT_REPORT_COUNT_H

#include <regex.h>

#include "util/profile/place_filter.h"
#include "util/profile/sample_filter.h"
#include "util/report/call_graph_options.h"
#include "util/report/report_entries.h"
#include "util/report/report_keys.h"
#include "util/report/sample_values.h"

/* What is asked for; report_count_init() completes it by what the recording has. */
struct report_count_options {
	struct report_asked asked;
	enum { REPORT_ASK_RECORDING, REPORT_WITH_CALLERS, REPORT_WITHOUT } children;
	enum {
		REPORT_AS_RECORDED,
		REPORT_SAMPLE_ROWS,
		REPORT_BRANCH_ROWS,
		REPORT_MEMORY_ROWS
	} rows;
	struct call_graph_options graph;
	bool graph_given; /* it was asked for */
	bool no_graphs;   /* what is written has no place for them */
	bool relative;    /* shares are of the samples that are shown */
	bool hide_unresolved;
	regex_t parent;
	bool has_parent;    /* which is compiled */
	bool exclude_other; /* rows of samples without a parent are not shown */
	bool hierarchy;     /* rows are nested by their keys */
	bool compat;        /* chains and symbols as perf reads them */
	u64 time_quantum;
	/* what rows are of; other samples count in their shares alone */
	struct sample_filter shown;
	struct place_filter places;
};

struct report_count {
	struct report_count_options *how;
	struct session *session;
	struct report_keys keys;
	struct sample_values values;
	struct stack_tree stacks;
	struct report_places places;
	struct report_samples *events;
	u32 nr_events;
	bool children;
	bool any_shown;               /* a sample that has a row */
	struct session_holder holder; /* of all frames, and threads: their names */
};

/*
 * What has to be read for the keys, and, unless it is NULL, what has to be recorded. by_place: samples are chosen by their
 * functions. -EINVAL of keys that do not exist.
 */
int report_count_needs(const struct report_count_options *o, bool by_place,
		       struct session_options *needs, struct sample_needs *recorded,
		       struct err *err);
int report_count_init(struct report_count *c, struct report_count_options *how, struct session *s,
		      struct err *err);
int report_count_add(struct report_count *c, const struct session_sample *s, struct err *err);
/* Was there any sample? */
bool report_count_any(const struct report_count *c);
void report_count_free(struct report_count *c); /* also after a failure */

#endif
