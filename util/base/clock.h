/* SPDX-License-Identifier: GPL-2.0 */
/*
 * clock.h - the clocks that a perf event can be stamped with (perf_event_open(2), use_clockid).
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include "util/base/types.h"

u64 clock_ns(int clockid);
/* "mono", "monotonic", "CLOCK_BOOTTIME", "raw", ... -> clockid; -1 if unknown. */
int clock_by_name(const char *name);
/* "CLOCK_MONOTONIC"; NULL if unknown. */
const char *clock_name(int clockid);

#endif
