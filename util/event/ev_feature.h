/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_feature.h - what of an attr only newer kernels know. An attr with one bit too many is refused as
 * a whole (EINVAL), so each is asked of the kernel apart, with an event that counts nothing: those
 * that it does not know are left out, or, where the user asked for them, named.
 *
 * Source: perf_copy_attr() in kernel/events/core.c; include/uapi/linux/perf_event.h, versions by its history.
 */
#ifndef EVENT_EV_FEATURE_H
#define EVENT_EV_FEATURE_H

#include <linux/perf_event.h>

#include "util/base/err.h"

struct ev_feature {
	const char *what;  /* for people */
	const char *since; /* the Linux that has it first */
	const char *
		option; /* that asks for it, so that it is not left out silently; NULL: none does */
	bool (*is_on)(const struct perf_event_attr *a);
	void (*turn)(struct perf_event_attr *a, bool on);
};

/* All of them. */
const struct ev_feature *ev_features(u32 *nr);

/* Leave out of the attr what the feature is; what is less takes its place, if there is such. */
void ev_feature_drop(const struct ev_feature *f, struct perf_event_attr *a);

/* Set the error: the kernel does not know what an option asks for. -ENOTSUP. */
int ev_feature_refused(const struct ev_feature *f, struct err *err);

#endif
