/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report_brief.h - what the pages of report --brief share.
 *
 *	report_brief.c          samples are counted in several tables of report (report.h): by function, command, thread, field
 *	report_brief_event.c    rows of these for each event
 *	report_brief_fields.c   which fields of a tracepoint are shown
 *	report_brief_finding.c  the sentence on an event
 *	report_brief_head.c     what a brief says of the recording as a whole, and what to type next
 */
#ifndef PERF_LITE_REPORT_BRIEF_H
#define PERF_LITE_REPORT_BRIEF_H

#include "perf-lite/report.h"
#include "util/format/brief.h"

/* A table of one key, or of two. */
struct report_brief_table {
	struct report_count_options how;
	struct report_count count;
	u32 event;     /* ID_NONE: of all events */
	bool given_up; /* a field has too many values to show any */
};

enum report_brief_tables {
	REPORT_BRIEF_FUNCTIONS,
	REPORT_BRIEF_FILES,
	REPORT_BRIEF_COMMS,
	REPORT_BRIEF_THREADS,
	REPORT_BRIEF_FIELDS, /* the first of them */
};

/* What is known of an event. */
struct report_brief_seen {
	u64 idle_samples, idle_weight; /* where CPUs had nothing to do */
	bool any;                      /* other samples */
	u32 first, nr;                 /* tables of its fields */
};

struct report_brief {
	struct report *r;
	VEC(struct report_brief_table *) tables; /* each stays where it is */
	struct place_filter idle;
	struct report_brief_seen *events;
	u64 first, last; /* times of samples */
	u64 samples;
	bool chains;
	bool several; /* events that have samples */
	struct brief brief;
};

/* The values that an event has in a table. */
int report_brief_values(struct report_brief *b, u32 table, u32 event, struct brief_list *l,
			struct err *err);
int report_brief_fields(struct report_brief *b, u32 event, struct brief_event *e, struct err *err);
/* Once all rows are there. */
int report_brief_finding(struct report_brief *b, struct brief_event *e, struct err *err);
/* Add an event that has samples. */
int report_brief_event(struct report_brief *b, u32 event, struct err *err);
/* After the last sample and all events; `damage`: what could not be read, NULL: nothing. */
int report_brief_head(struct report_brief *b, const char *damage, struct err *err);

/* A text of the brief; NULL, and err, when memory is out. */
const char *report_brief_keep(struct report_brief *b, const struct buf *text, struct err *err);

#endif
