/* SPDX-License-Identifier: GPL-2.0 */
/*
 * reading_select.h - which samples are looked at, by what is known only once the recording is open: functions, files, fields, events
 * that turn printing on and off, parts of the whole time, a limit.
 */
#ifndef LIBRARY_READING_SELECT_H
#define LIBRARY_READING_SELECT_H

#include "util/profile/place_filter.h"
#include "util/profile/session.h"

struct tp_filter;

/*
 * reading_select_fields.c: which samples are looked at, by the fields of their tracepoints: --filter.
 *
 * Filters are parsed against the formats of the recording, and run here whole (tp_filter.h). Names of
 * values come from these formats, and from the types of the running kernel if it is the one that was
 * recorded. An event that lacks the fields does not pass.
 */

struct reading_fields {
	VEC(struct reading_fields_asked) asked;
	VEC(struct reading_fields_rule) rules;
	VEC(struct tp_filter *) filters; /* that are ours */
	struct arena arena;
};

/* Names of values that no format has: of the running kernel, if it was recorded. NULL: out of memory. */
struct reading_fields_names;
struct reading_fields_names *reading_fields_open_names(const struct session *s, struct err *err);
void reading_fields_close_names(struct reading_fields_names *n); /* n may be NULL */
/* tp_filter_parse() for an event that has a format; `n` may be NULL. */
struct tp_filter *reading_fields_parse(const struct session *s, u32 event, const char *text,
				       const struct reading_fields_names *n, struct err *err);

/* A filter of the event of that name, NULL: of all. Both strings are kept as they are. */
bool reading_fields_add(struct reading_fields *f, const char *event, const char *text);
/* The text of filter i of all events; NULL: it is of one. */
const char *reading_fields_text(const struct reading_fields *f, u32 i);
/* What was added for the event has this in it, which must be a filter by itself. */
bool reading_fields_check(struct reading_fields *f, const char *event, const char *text);
/* A filter that is parsed already, of the event with this number; it must outlive *f. */
bool reading_fields_rule(struct reading_fields *f, u32 event, const struct tp_filter *filter);
/*
 * Has the event what a filter names? An error of another sort is that of who adds it, but for -ENOMEM. After
 * session_prepare().
 */
int reading_fields_suits(const struct session *s, u32 event, const char *text);
/* Parse them. After session_prepare(). -EINVAL if no event has the fields. */
int reading_fields_start(struct reading_fields *f, const struct session *s, struct err *err);

/* Does a sample of the filter's event pass it? */
bool reading_fields_sample(const struct tp_filter *filter, struct session *s,
			   const struct session_sample *sample);
bool reading_fields_pass(const struct reading_fields *f, struct session *s,
			 const struct session_sample *sample);
void reading_fields_free(struct reading_fields *f);

struct reading_select {
	struct place_filter places;
	struct reading_fields fields;
	const char *switch_on, *switch_off; /* names of events, NULL: none */
	bool show_switches;                 /* print samples of these two */
	u64 limit;                          /* samples, 0: all */
	bool *events;                       /* by event: its samples are wanted; NULL: all are */
	/* what follows is kept up by the functions below */
	u32 on_event, off_event;
	bool off;
	u64 given;
};

/* Find the ends of the recording if the filter needs them. Before session_prepare(). */
int reading_select_span(struct sample_filter *f, struct session *s, struct err *err);
/* Only samples of this event and of others for which this is called. After session_prepare(). */
int reading_select_event(struct reading_select *l, const struct session *s, u32 event,
			 struct err *err);
/* Find the events. After session_prepare(). */
int reading_select_start(struct reading_select *l, const struct session *s, struct err *err);
/*
 * Obey the events that turn printing on and off: of each sample, before other events are left out. False: it is not
 * printed.
 */
bool reading_select_is_on(struct reading_select *l, const struct session *s, u32 event);
/* 1: the sample is wanted; 0; <0: err. */
int reading_select_sample(struct reading_select *l, struct session *s,
			  const struct session_sample *sample, struct err *err);

/*
 * Of the event with this number only samples that pass a filter, which must outlive *l. False when memory
 * is out.
 */
static inline bool reading_select_event_filter(struct reading_select *l, u32 event,
					       const struct tp_filter *filter)
{
	return reading_fields_rule(&l->fields, event, filter);
}

/* Has all that is wanted been given? */
static inline bool reading_select_done(const struct reading_select *l)
{
	return l->limit && l->given >= l->limit;
}

void reading_select_free(struct reading_select *l);

#endif
