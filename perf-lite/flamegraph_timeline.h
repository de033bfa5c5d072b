/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flamegraph_timeline.h - flamegraph --timeline: the samples of each CPU over time.
 */
#ifndef PERF_LITE_FLAMEGRAPH_TIMELINE_H
#define PERF_LITE_FLAMEGRAPH_TIMELINE_H

#include "perf-lite/flamegraph_run.h"

/* Read r->in, draw, write: the exit code. */
int flamegraph_timeline_run(struct flamegraph_request *r, struct err *err);

#endif
