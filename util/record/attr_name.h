/* SPDX-License-Identifier: GPL-2.0 */
/*
 * attr_name.h - what to call an event of which nothing but its attr is known, as perf calls it:
 * "cycles:u", "LLC-load-misses", "raw 0x1a8", "mem:0x1000:rw"; "tracepoint 1234" until its name is
 * known from its format.
 *
 * Source: <linux/perf_event.h>; perf-list(1) for the names and the letters after the colon.
 */
#ifndef RECORD_ATTR_NAME_H
#define RECORD_ATTR_NAME_H

#include <linux/perf_event.h>

#include "util/base/types.h"

#define ATTR_NAME_MAX 96

void attr_name(const struct perf_event_attr *a, char name[static ATTR_NAME_MAX]);

#endif
