/* SPDX-License-Identifier: GPL-2.0 */
/*
 * latency_internal.h - what the pages of latency.h share.
 */
#ifndef LIBRARY_LATENCY_INTERNAL_H
#define LIBRARY_LATENCY_INTERNAL_H

#include "util/library/latency.h"

/* latency_points.c */

/* Take the points of `asked` apart. -EINVAL with a hint. */
int latency_points_parse(struct latency *l, struct err *err);
/* The option that has them, "--until". */
const char *latency_points_option(enum latency_role role);
/* The name of a record that is a point, and is the event one? */
const char *latency_points_record(enum latency_record record);
bool latency_points_is_record(const char *event);
bool latency_points_is_first(const struct latency *l, u32 point);
/* May events be missing without which spans begin and end? */
bool latency_points_skip_missing(const struct latency *l);
/* The filter was refused for want of a field: does the point do without, by its other key? */
bool latency_points_do_without(struct latency_point *p, struct err *why);
/* May another thread, or CPU, make the event than the one whose span it begins or ends? */
bool latency_points_of_others(const struct latency_point *p);
/* Is it the event of context switches? */
bool latency_points_is_switches(const struct event_desc *d);
void latency_points_free(struct latency *l);

/* latency_threads.c: whose spans. */

/* What is read is everybody's where points are of others: the targets become l->who. */
int latency_threads_choose(struct latency *l, bool command, struct err *err);
/* A task was forked: those of processes that are wanted are wanted, too. -ENOMEM. */
int latency_threads_forked(struct latency *l, struct err *err);
/* Keep the names of those who woke the slowest, drop processes that ended (session.h). All points are bound. */
void latency_threads_hold(struct latency *l);
/* Is the span wanted that is of the sample's thread? */
bool latency_threads_wanted(const struct latency *l, const struct session_sample *s);

/* latency_numbers.c; outside PID namespaces numbers stay as they are */

#define LATENCY_NUMBERS_OTHER (1u << 31) /* with the kernel's number: that here is not known */

/* The points are bound. */
void latency_numbers_bind(struct latency *l);
/* Each sample, before its numbers are asked for. -ENOMEM. */
int latency_numbers_see(struct latency *l, const struct session_sample *s, struct err *err);
/* Keep what the event calls the thread of the key, if its number here is not known. -ENOMEM. */
int latency_numbers_name(struct latency *l, const struct latency_bound *b,
			 const struct session_sample *s, const u64 *key, struct err *err);
/* The number here of the thread of a key; 0: not known, or it is not in the namespace. */
u32 latency_numbers_here(const struct latency *l, u32 tid);
/* A thread of which no more is known than what events called it, until the next call; NULL: not even that. */
const struct thread *latency_numbers_other(struct latency *l, u32 tid);
/* A thread of a field as spans have it for a key. */
u32 latency_numbers_as_key(const struct latency *l, u64 number);
void latency_numbers_free(struct latency_numbers *n);

/* latency_rows.c: count_table_find_row(); of no_table, rows of spans that have ended are forgotten when there are many. -ENOMEM. */
int latency_rows_find(struct latency *l, const struct session_sample *of,
		      const struct session_sample *s, u32 *row, struct err *err);
/* Forget all rows: open spans have none any more. */
void latency_rows_reset(struct latency *l);

/* latency_slowest.c: keep the span if it is one of the slowest that are asked for. -ENOMEM. */
int latency_slowest_keep(struct latency *l, const struct latency_span *span, struct err *err);

/* latency_bind.c: points at the events of the session. */

int latency_bind_points(struct latency *l, struct err *err);
/* False: the sample is too short, or does not pass the filter. */
bool latency_bind_key(const struct latency_bound *b, struct session *s,
		      const struct session_sample *sample, u64 *key);
void latency_bind_free(struct latency *l);

/* latency_filter.c */

/* Find the fields of the filter in the events, whose points are bound. -EINVAL: one of them has no such field. */
int latency_filter_bind(struct latency *l, const struct reading_fields_names *names,
			struct err *err);
/* Is the span wanted that begins with the sample? */
bool latency_filter_passes(struct latency *l, const struct session_sample *s);
void latency_filter_free(struct latency *l);

/* latency_stages.c; without --then they do nothing */

/* The call of --then in opt.h's table, on a struct latency. */
int latency_stages_then(void *value, const char *arg, struct err *err);
/* The points are parsed: do they go together? */
int latency_stages_parsed(struct latency *l, struct err *err);
/* Make the stage one of the keys, before they are parsed. */
void latency_stages_by(const struct latency *l, struct buf *by);
/* The numbers of --to as a point, and of one that is not known yet. */
u32 latency_stages_end(const struct latency *l);
u32 latency_stages_open(const struct latency *l);
/* The row of a stage that ended at that point. -ENOMEM. */
int latency_stages_row(struct latency *l, const struct span_ended *span, u32 to, u32 *row,
		       struct err *err);

/* latency_states.c; if it is not on, they do nothing */

/* Is it one of those that say what threads do? All of its samples are then read. */
bool latency_states_want(const struct latency *l, const char *event);
/* Ask for these events on this machine; bind them. */
int latency_states_open(struct latency *l, struct err *err);
int latency_states_bind(struct latency *l, struct err *err);
/* Before the sample is paired. */
int latency_states_see(struct latency *l, const struct session_sample *s, struct err *err);
/* A span of the thread begins at this sample: if it wakes the thread, the row becomes that of who does it. -ENOMEM. */
int latency_states_woken(struct latency *l, u32 tid, const struct session_sample *s, u32 *row,
			 struct err *err);
/* The notes of a span that begins; at its end what became of them; and these in the sums of its row. */
void latency_states_begin(struct latency *l, u32 tid, u64 time, u64 *notes);
void latency_states_split(struct latency *l, u32 tid, struct latency_span *span);
int latency_states_add(struct latency *l, const struct latency_span *span, struct err *err);
/* A table is printed, the next one begins. */
void latency_states_empty(struct latency *l);
/* The rows of the table are gone. */
void latency_states_reset(struct latency *l);
void latency_states_free(struct latency_states *st);

#endif
