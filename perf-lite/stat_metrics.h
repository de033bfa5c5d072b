/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stat_metrics.h - perf-lite stat --metric list: the metrics that this machine can measure, and of
 * which events each is made.
 */
#ifndef PERF_LITE_STAT_METRICS_H
#define PERF_LITE_STAT_METRICS_H

#include "util/base/buf.h"
#include "util/stat/metric.h"

/* A line for each that can be measured; nothing of the others. */
void stat_metrics_print(struct buf *b, struct ev_env *env);

#endif
