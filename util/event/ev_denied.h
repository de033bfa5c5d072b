/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_denied.h - why an event could not be opened, and what to type about it.
 *
 * perf_event_open(2) says one errno for many causes. Here the settings that decide are looked at
 * (seccomp, capabilities, paranoid level, lockdown, the event's own kind), so that one line names the
 * one that blocks and the hint mends it.
 */
#ifndef EVENT_EV_DENIED_H
#define EVENT_EV_DENIED_H

#include "util/event/ev_spec.h"
#include "util/kernel/limits.h"

/* `code` is the errno of perf_event_open(2). Returns -code with err set. */
int ev_denied(const struct ev_spec *s, int code, u32 cpu, s32 tid, const struct limits *l,
	      struct err *err);

/* `code` is the errno of PERF_EVENT_IOC_SET_FILTER: name the fields that there are. */
int ev_denied_filter(const struct ev_spec *s, int code, struct err *err);

#endif
