/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_parse.h - the text behind -e -> specs.
 *
 *	events     item { "," item }
 *	item       [ name ] "{" event { "," event } "}" [ ":" modifiers ]  |  event
 *	event      symbol [ "/" terms "/" ] [ ":" modifiers ]   cs, LLC-load-misses, r1a8, 1:2
 *	           system ":" name ...                          sched:sched_switch, skb:*
 *	           system ":" name "(" expressions ")"          their arguments (probe.h)
 *	           pmu "/" terms "/" [ modifiers ]              cpu/event=0x3c,umask=1/u
 *	           alias ...                                    an event in a PMU's own list
 *	           "mem:" address [ "/" length ] [ ":" rwx ]    a breakpoint
 *	modifiers  letters of u k h G H I p pp ppp P S D W e b  (perf-list(1))
 *
 * Blanks around tokens mean nothing, but belong to the name, as in perf. A colon may come between
 * the last slash and the modifiers.
 */
#ifndef EVENT_EV_PARSE_H
#define EVENT_EV_PARSE_H

#include "util/event/ev_env.h"
#include "util/event/ev_spec.h"

/*
 * Append the events of one -e. On failure -errno, the list has the specs it had before, and the
 * message shows the place, in two lines; -EINVAL is a mistake in the text.
 */
int ev_parse(struct ev_list *list, const char *text, struct ev_env *env, struct err *err);

#endif
