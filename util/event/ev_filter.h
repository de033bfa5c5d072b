/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_filter.h - --filter and -G, which apply to the -e before them, and the names that filters may use.
 *
 * Source: Documentation/trace/events.rst, "Event filtering"; perf-record(1), --filter and -G.
 */
#ifndef EVENT_EV_FILTER_H
#define EVENT_EV_FILTER_H

#include "util/base/buf.h"
#include "util/base/err.h"
#include "util/event/ev_env.h"
#include "util/event/ev_spec.h"
#include "util/tracepoint/tp_filter.h"
#include "util/tracepoint/tp_names.h"

/*
 * Filter the events of the last ev_parse() but named system calls (of_calls), which must all be tracepoints, with names of
 * values that this machine knows (tp_filter.h). spec->filter becomes what the kernel can test, spec->here the
 * rest. What they have already and the new filter must both hold. -EINVAL: the message shows the
 * place, in two lines; err->code is ENOENT where an event lacks a field, and then nothing has changed.
 */
int ev_filter_add(struct ev_list *list, const char *filter, struct ev_env *env, struct err *err);
/* What ev_filter_add() would say of it; nothing changes. */
int ev_filter_check(struct ev_list *list, const char *filter, struct ev_env *env, struct err *err);
/*
 * The same for one tracepoint of the list, in the kernel's own words, unchecked. The name of a
 * function must be followed by a blank.
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

/*
 * Append the names of a type's values, given the type as in a format: "enum skb_drop_reason", of the kernel, else of its modules. Nothing
 * if it is no enum, or unknown, or if modules have different ones of that name. The strings are those of the environment. -ENOMEM.
 */
int ev_type_names(struct ev_env *env, const char *type, struct tp_name_list *list, struct err *err);

/*
 * Names that filters may use, from this machine's kernel: values of types (/sys/kernel/btf), functions
 * (/proc/kallsyms). Each file is read on first use.
 */
struct ev_filter_names {
	struct ev_env *env;
	struct tp_filter_names names; /* to be given to filters */
	struct buf kallsyms;
	bool have_kallsyms;
	struct arena arena;
};

/* *n must stay where it is until ev_filter_names_free(), and the environment longer. */
void ev_filter_names_init(struct ev_filter_names *n, struct ev_env *env);
void ev_filter_names_free(struct ev_filter_names *n);

/*
 * ftrace:function, the tracepoint that every function of the kernel is.
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

bool ev_function_is(const struct ev_spec *s);

/* Give it its filter; "name" and ~ are understood as well. Returns 0 or -errno. */
int ev_function_filter(struct ev_list *list, struct ev_spec *s, const char *text, struct err *err);

/* Why it cannot be sampled as it is; 0: it can. */
int ev_function_check(const struct ev_spec *s, struct err *err);

/* The kernel does not take its filter: `code`, which is returned as -code. */
int ev_function_refused(const struct ev_spec *s, int code, struct err *err);

#endif
