/* SPDX-License-Identifier: GPL-2.0 */
/*
 * list_events.h - the events that this machine and the running kernel have, for perf-lite list.
 *
 * An event is there if the kernel would open it, not because a header names it.
 */
#ifndef PERF_LITE_LIST_EVENTS_H
#define PERF_LITE_LIST_EVENTS_H

#include "perf-lite/list_usdt.h"
#include "util/event/ev_env.h"
#include "util/event/ev_spec.h"

#define LIST_EVENTS_CLASSES (EV_BP + 1)

struct list_event {
	const char *name, *alias; /* alias may be NULL */
	enum ev_class class;
	const struct list_usdt *usdt; /* a program's probe, or NULL */
};

struct list_events {
	struct ev_env env; /* its root is the caller's */
	bool wanted[LIST_EVENTS_CLASSES];
	bool asked[LIST_EVENTS_CLASSES]; /* by name: then say why there is none */
	char **patterns;                 /* of names of events */
	int nr_patterns;
	struct arena arena;
	VEC(struct list_event) v;
	struct list_usdt_probes probes;
	struct buf notes;  /* why a class is missing, a line each */
	struct err denied; /* there are events, but this user may not see them */
};

/* enum ev_class of a word, or -1. */
int list_events_class(const char *word);
const char *list_events_class_name(const struct list_event *e);
/* "Tracepoint event" */
const char *list_events_label(const struct list_event *e);

/* All of the wanted classes, and the probes of the files that patterns name. */
int list_events_gather(struct list_events *l, struct err *err);
/* Keep what matches any pattern. Each must match something: the first that does not is returned. */
const char *list_events_select(struct list_events *l);

void list_events_free(struct list_events *l);

#endif
