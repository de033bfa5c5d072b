/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfdata_header.h - the header, attr and feature sections of a perf.data file.
 *
 * Source: tools/perf/Documentation/perf.data-file-format.txt; the tracing data is the
 * "tracing metadata" of trace-cmd's file format, version 0.6.
 */
#ifndef FILE_PERFDATA_HEADER_H
#define FILE_PERFDATA_HEADER_H

#include "util/file/recording.h"

struct perfdata_section {
	u64 offset, size;
};

struct perfdata_header {
	u64 attr_size; /* of an entry: the attr and the section of its ids */
	struct perfdata_section attrs, data;
	u64 features[4]; /* bitmap; their sections follow the data */
	u64 file_size;
};

#define PERFDATA_HEADER_SIZE      104
#define PERFDATA_PIPE_HEADER_SIZE 16

/* Parse the first PERFDATA_HEADER_SIZE bytes. */
int perfdata_header_parse(struct perfdata_header *h, const u8 *p, size_t len, u64 file_size,
			  struct err *err);
/* Read events and features through fd (pread) into the recording. */
int perfdata_header_load(const struct perfdata_header *h, int fd, struct recording *r,
			 struct err *err);

#endif
