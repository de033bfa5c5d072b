/* SPDX-License-Identifier: GPL-2.0 */
/* perfdata_write_internal.h - what the parts of perfdata_write.h share. */
#ifndef FILE_PERFDATA_WRITE_INTERNAL_H
#define FILE_PERFDATA_WRITE_INTERNAL_H

#include "util/file/perfdata_write.h"
#include "util/file/recording.h"

/*
 * perfdata_write_features.c: the sections of a perf.data header, made of a recording's facts.
 */

/*
 * Append the section of a feature as it is in a file. False: the recording has nothing of it, and
 * nothing was appended.
 */
bool perfdata_write_features_put(const struct perfdata_writer *w, enum perfdata_feature f,
				 struct buf *b);

/* The build-id of one DSO as a record of that type; in a file's section the type is 0. */
void perfdata_write_features_build_id(struct buf *b, const struct dso_text *dso, u32 type);

/*
 * perfdata_write_tracing.c: the trace data of a perf.data file: the formats of its tracepoints.
 *
 * Source: trace-cmd.dat(5), version 6 of the format, which perf calls 0.6.
 */

/* Append it. False: there is no tracepoint, and nothing was appended. */
bool perfdata_write_tracing_put(const struct recording *r, struct buf *b);

#endif
