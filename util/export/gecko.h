/* SPDX-License-Identifier: GPL-2.0 */
/*
 * gecko.h - samples as profiler.firefox.com reads them: a "processed profile" of version 61, which
 * every later one takes.
 *
 * A track for each thread and event, named after the last command of the thread. Times are ms since
 * the first sample, with all digits of the ns. The weight of a sample is in ms for clocks
 * ("tracing-ms"), which also say how much CPU time passed since the sample before; else a number.
 * Categories distinguish kernel, user and JIT code. A sample of a tracepoint is a marker, too, with
 * its fields as text, its CPU and its stack; of other events the CPU is not written.
 *
 * Stacks are one table for all threads. What is kept of each sample is compressed (spool.h).
 *
 * Source: firefox-devtools/profiler, docs-developer/processed-profile-format.md,
 * CHANGELOG-formats.md, src/types/profile.ts.
 */
#ifndef EXPORT_GECKO_H
#define EXPORT_GECKO_H

#include "util/format/sink.h"

/*
 * A sink for the samples of `event`, or of all (ID_NONE). The session stays the caller's; the sink
 * is freed by its ops->free(), even if this fails, when *sink is not NULL.
 */
int gecko_sink(struct session *s, u32 event, struct sink **sink, struct err *err);

#endif
