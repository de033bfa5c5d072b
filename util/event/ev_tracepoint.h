/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_tracepoint.h - "sched:sched_switch", "sched:*" -> specs with id and format.
 *
 * A pattern must match one event at least; what matches is taken in the order of its names, and
 * systems that have no such event are passed over.
 */
#ifndef EVENT_EV_TRACEPOINT_H
#define EVENT_EV_TRACEPOINT_H

#include "util/event/ev_env.h"
#include "util/event/ev_lex.h"
#include "util/event/ev_spec.h"
#include "util/event/ev_syscalls.h"

int ev_tracepoint_add(struct ev_list *list, struct ev_env *env, const struct ev_lex *l,
		      struct ev_word system, struct ev_word name);

/* The two events of chosen system calls. */
int ev_tracepoint_add_calls(struct ev_list *list, struct ev_env *env, const struct ev_lex *l,
			    const struct ev_syscalls *calls);

/*
 * Give a spec that has only the number of a tracepoint ("2:325", "tracepoint/config=325/") its
 * system, name and format. Where that is not possible it stays a number: opening it will tell.
 */
int ev_tracepoint_identify(struct ev_list *list, struct ev_env *env, struct ev_spec *s);

#endif
