/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_function.h - ftrace:function, the tracepoint that every function of the kernel is.
 *
 * Its filter does not test a hit: it says which functions are traced at all, in a syntax of its
 * own, with names and patterns in place of addresses and without quotes:
 *
 *	ip == kfree_skb || ip == napi_*        ip != rcu_*
 *
 * Without a filter each call of each function is a sample, those that make the sample among them.
 * The kernel samples it for root alone, without the user half of call chains; and what a target
 * starts would inherit the event without its filter.
 *
 * Source: kernel/trace/trace_event_perf.c, trace_events_filter.c.
 */
#ifndef EVENT_EV_FUNCTION_H
#define EVENT_EV_FUNCTION_H

#include "util/base/buf.h"
#include "util/event/ev_spec.h"

bool ev_function_is(const struct ev_spec *s);

/* Give it its filter; "name" and ~ are understood as well. Returns 0 or -errno. */
int ev_function_filter(struct ev_list *list, struct ev_spec *s, const char *text, struct err *err);

/* Why it cannot be sampled as it is; 0: it can. */
int ev_function_check(const struct ev_spec *s, struct err *err);

/* The kernel does not take its filter: `code`, which is returned as -code. */
int ev_function_refused(const struct ev_spec *s, int code, struct err *err);

#endif
