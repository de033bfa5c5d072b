/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stat_events.h - what is counted where nothing was asked for, and what can be asked for.
 *
 * Source: perf-stat(1): the default events, -d, --for-each-cgroup.
 */
#ifndef STAT_STAT_EVENTS_H
#define STAT_STAT_EVENTS_H

#include "util/base/buf.h"
#include "util/event/ev_parse.h"

/*
 * Append the default events, if `list` has none, and those of -d (`detailed` 1), -d -d and -d -d -d.
 */
int stat_events_default(struct ev_list *list, struct ev_env *env, bool system_wide,
			unsigned int detailed, struct err *err);

/* Of the specs from number `first` on: -EINVAL if one has a term that only recording knows. */
int stat_events_check(const struct ev_list *list, u32 first, struct err *err);

/* "a,b": each event once for every cgroup that is named, all of the first one before the second. */
int stat_events_each_cgroup(struct ev_list *list, const char *names, struct err *err);

/*
 * A group whose members count in different PMUs, each on CPUs of its own, is none for the kernel: it
 * becomes one group for each of them. `notes` gets a line where they were typed as different PMUs.
 */
int stat_events_split_groups(struct ev_list *list, struct buf *notes, struct err *err);

#endif
