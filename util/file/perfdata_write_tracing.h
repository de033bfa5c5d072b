/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfdata_write_tracing.h - the trace data of a perf.data file: the formats of its tracepoints.
 *
 * Source: trace-cmd.dat(5), version 6 of the format, which perf calls 0.6.
 */
#ifndef FILE_PERFDATA_WRITE_TRACING_H
#define FILE_PERFDATA_WRITE_TRACING_H

#include "util/file/recording.h"

/* Append it. False: there is no tracepoint, and nothing was appended. */
bool perfdata_write_tracing_put(const struct recording *r, struct buf *b);

#endif
