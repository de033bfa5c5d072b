/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_filter.h - --filter and -G, which belong to the -e before them.
 *
 * Source: Documentation/trace/events.rst, "Event filtering"; perf-record(1), --filter and -G.
 */
#ifndef EVENT_EV_FILTER_H
#define EVENT_EV_FILTER_H

#include "util/base/err.h"
#include "util/event/ev_spec.h"

/*
 * Filter the events of the last ev_parse(), which must all be tracepoints. What they have already
 * and the new filter must both hold: "(old) && (new)". The kernel checks the text itself.
 */
int ev_filter_add(struct ev_list *list, const char *filter, struct err *err);
/* The same for one tracepoint of the list. */
int ev_filter_spec(struct ev_list *list, struct ev_spec *s, const char *filter, struct err *err);

/*
 * "a,b": one cgroup for each event by position, counted through all -G; an empty place is an event
 * without. A first -G with one cgroup only is for all events so far.
 */
int ev_filter_cgroups(struct ev_list *list, const char *text, struct err *err);

#endif
