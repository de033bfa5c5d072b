/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfdata_feature.h - what a perf.data file tells beside its records, read into the recording:
 * the sections behind the data of a file, and the records that hold the same in a stream.
 *
 * Payloads come as bounded cursors, whose `swap` says that the file is of the other byte order. All
 * functions return 0, -EBADMSG where the payload is damaged (what stood before that place is
 * taken), or -ENOMEM.
 *
 * Source: tools/perf/Documentation/perf.data-file-format.txt; the tracing data is the
 * "tracing metadata" of trace-cmd's file format, version 0.6.
 */
#ifndef FILE_PERFDATA_FEATURE_H
#define FILE_PERFDATA_FEATURE_H

#include "util/file/recording.h"

/* One feature (enum perfdata_feature); those that nobody asks for are passed over. */
int perfdata_feature_load(struct recording *r, u32 feature, struct cur c);
/* An entry of the build-id table, which is a record, behind its header. */
int perfdata_build_id_load(struct recording *r, u16 misc, struct cur body);
/* Formats of tracepoints, and the texts of their string constants. */
int perfdata_tracing_load(struct recording *r, struct cur c);

/* An attr in the file's byte order, `size` bytes, and the section of ids that belongs to it. */
int perfdata_event_load(struct recording *r, const u8 *attr, size_t size, struct cur ids,
			struct err *err);

#endif
