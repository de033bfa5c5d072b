/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report_brief.h - the brief (brief.h) of a recording, made of its samples.
 *
 *	struct report_brief b = {.in = &in, .how = &how, .lines = 20};
 *	report_brief_needs() -> the session is opened -> report_brief_init() -> report_brief_add() ...
 *	-> session_finish() -> report_brief_make() -> b.brief -> report_brief_free()
 *
 *	report_brief.c          samples are counted in several tables (report_count.h): by function, command, thread, field
 *	report_brief_event.c    rows of these for each event
 *	report_brief_fields.c   which fields of a tracepoint are shown
 *	report_brief_finding.c  the sentence on an event
 *	report_brief_head.c     what a brief says of the recording as a whole, and what to type next
 */
#ifndef LIBRARY_REPORT_BRIEF_H
#define LIBRARY_REPORT_BRIEF_H

#include "util/format/brief.h"
#include "util/library/reading.h"
#include "util/report/report_count.h"

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
	/* the caller's */
	const struct reading *in;
	const struct report_count_options *how;
	u64 lines; /* so many at most */
	double percent_limit;
	/* what follows is kept up by the functions below */
	VEC(struct report_brief_table *) tables; /* each stays where it is */
	struct place_filter idle;
	struct report_brief_seen *events;
	u64 first, last; /* times of samples */
	u64 samples;
	bool chains;
	bool several; /* events that have samples */
	struct brief brief;
};

/* What has to be read. */
void report_brief_needs(struct source_want *want);
int report_brief_init(struct report_brief *b, struct err *err);
int report_brief_add(struct report_brief *b, const struct session_sample *s, struct err *err);
/* After the last sample. `damage`: what could not be read, NULL: nothing. */
int report_brief_make(struct report_brief *b, const char *damage, struct err *err);
void report_brief_free(struct report_brief *b);

/* --- what its pages share --- */

/* The values that an event has in a table. */
int report_brief_values(struct report_brief *b, u32 table, u32 event, struct brief_list *l,
			struct err *err);
int report_brief_fields(struct report_brief *b, u32 event, struct brief_event *e, struct err *err);
/* Once all rows are there. */
int report_brief_finding(struct report_brief *b, struct brief_event *e, struct err *err);
/* Add an event that has samples. */
int report_brief_event(struct report_brief *b, u32 event, struct err *err);
/* After all events. */
int report_brief_head(struct report_brief *b, const char *damage, struct err *err);

/* A text of the brief; NULL, and err, when memory is out. */
const char *report_brief_keep(struct report_brief *b, const struct buf *text, struct err *err);

#endif
