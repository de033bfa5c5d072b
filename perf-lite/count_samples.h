/* SPDX-License-Identifier: GPL-2.0 */
/*
 * count_samples.h - perf-lite count of samples: those of the running system's rings, or of a recording.
 */
#ifndef PERF_LITE_COUNT_SAMPLES_H
#define PERF_LITE_COUNT_SAMPLES_H

#include "perf-lite/count.h"

/* Count until the end, printing tables: the exit code. */
int count_samples(struct count_request *q, struct opt_rest *rest, struct err *err);

#endif
