/* SPDX-License-Identifier: GPL-2.0 */
/*
 * count_counters.h - perf-lite count where nothing but numbers is asked for: counters of the kernel, without rings
 * and samples. An event costs its program less than a fifth of what a sample costs, and none is lost.
 */
#ifndef PERF_LITE_COUNT_COUNTERS_H
#define PERF_LITE_COUNT_COUNTERS_H

#include "perf-lite/count.h"

/* Is that all that is asked for? */
bool count_counters_can(const struct count_request *q);

/* Count until the end, printing tables: the exit code. */
int count_counters(struct count_request *q, struct err *err);

#endif
