/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report.h - what the options of perf-lite report fill in (report_options.c), and cmd_report.c
 * carries out.
 */
#ifndef PERF_LITE_REPORT_H
#define PERF_LITE_REPORT_H

#include "perf-lite/reading_notes.h"
#include "util/cli/terminal.h"
#include "util/format/call_graph_json.h"
#include "util/format/call_graph_text.h"
#include "util/format/report_export.h"
#include "util/format/report_text.h"
#include "util/report/report_count.h"

enum report_form {
	REPORT_TEXT,
	REPORT_CSV,
	REPORT_JSON,
	REPORT_STATS, /* records by type */
	REPORT_TASKS, /* threads by who made them */
};

struct report_widths {
	u32 *v; /* of columns, 0: as needed */
	u32 nr, cap;
};

struct report {
	struct reading in;
	enum report_form form;
	struct report_count_options how;
	bool bare_graph;  /* -g had no words after it */
	bool limit_after; /* --percent-limit came after it */
	double percent_limit;
	bool brief;      /* titles in two lines */
	u64 brief_lines; /* --brief: so many at most; 0: not given */
	bool percentage_given;
	u64 max_rows; /* of a table, 0: all */
	bool mmaps;   /* of tasks, too */
	bool header, header_only, show_info;
	enum { REPORT_GROUPS_RECORDED, REPORT_GROUP, REPORT_NO_GROUPS } grouping;
	u64 group_sort; /* rows of groups are in the order of this member */
	const char *separator;
	unsigned int colour; /* enum colour_when */
	struct report_widths widths;
	u32 fit; /* of tables: columns of the terminal that names are shortened for, 0: they are not */
};

/*
 * Parse the command line into *r. What is not given has its default afterwards. rest->help: --help
 * was asked for and has been written, or err says why not.
 */
int report_options(struct report *r, int argc, char **argv, struct opt_rest *rest, struct err *err);
int report_on_limit(void *report, const char *percent, struct err *err);
void report_options_free(struct report *r);

/* --stats: records by type, in lines. CMD_OK, or CMD_PARTIAL for a damaged recording. */
int report_stats(struct report *r, struct buf *out, struct err *err);
/* --tasks: all threads, in lines; the session gives out records of these types (session.h). */
u64 report_tasks_records(void);
int report_tasks(struct report *r, struct buf *out, struct err *err);

/*
 * report_graphs.c: call graphs in what report writes: who has them, and of which event.
 *
 *	report_graphs_init() -> report_graphs_event() for each event, before its rows -> report_graphs_free()
 */

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

/*
 * report_tables.c: a report whose samples are counted, written in the form that was asked for: a table for each event, or for
 * each group of events.
 */
int report_tables_put(struct report *r, struct report_count *c, struct buf *out, struct err *err);

#endif
