/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_filter.h - --filter and -G, which belong to the -e before them.
 *
 * Source: Documentation/trace/events.rst, "Event filtering"; perf-record(1), --filter and -G.
 */
#ifndef EVENT_EV_FILTER_H
#define EVENT_EV_FILTER_H

#include "util/base/buf.h"
#include "util/base/err.h"
#include "util/event/ev_env.h"
#include "util/event/ev_spec.h"

/*
 * Filter the events of the last ev_parse(), which must all be tracepoints, with names of values that
 * this machine knows (tp_filter.h). spec->filter becomes what the kernel can test, spec->here the
 * rest. What they have already and the new filter must both hold. -EINVAL: the message shows the
 * place, in two lines.
 */
int ev_filter_add(struct ev_list *list, const char *filter, struct ev_env *env, struct err *err);
/*
 * The same for one tracepoint of the list, in the kernel's own words, and unchecked. Behind the name of
 * a function there must be a blank.
 */
int ev_filter_spec(struct ev_list *list, struct ev_spec *s, const char *filter, struct err *err);

/*
 * Append "the kernel tested reason == 3, perf-lite rx_sk != skbaddr", for what was given with --filter to
 * spec *spec or the next that has one, preceded by the event's name if there are others, and
 * without a newline. *spec moves behind those that follow with the same. NULL, with nothing
 * appended, if there is none left; else the first of these.
 */
const struct ev_spec *ev_filter_tell(const struct ev_list *list, u32 *spec, struct buf *out);

/*
 * "a,b": one cgroup for each event by position, counted through all -G; an empty place is an event
 * without. A first -G with one cgroup only is for all events so far.
 */
int ev_filter_cgroups(struct ev_list *list, const char *text, struct err *err);

#endif
