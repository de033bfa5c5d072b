/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfdata_header.h - the header of a perf.data file, and the sections that it leads to: attrs and
 * ids before the records, features behind them.
 *
 * Source: tools/perf/Documentation/perf.data-file-format.txt.
 */
#ifndef FILE_PERFDATA_HEADER_H
#define FILE_PERFDATA_HEADER_H

#include "util/file/source.h"

struct perfdata_section {
	u64 offset, size;
};

struct perfdata_header {
	u64 attr_size; /* of an entry: the attr and the section of its ids */
	struct perfdata_section attrs, data;
	u64 features[4]; /* bitmap; their sections follow the data */
	u64 file_size;
	bool swap; /* of the other byte order */
};

/* No section of a sane file is larger: formats of every tracepoint take 2 MB. */
#define PERFDATA_SECTION_MAX (256u << 20)
/* Nor any attr with the section of its ids. */
#define PERFDATA_ENTRY_MAX 4096

/* What the first bytes say. */
enum perfdata_mode { PERFDATA_NONE, PERFDATA_FILE, PERFDATA_PIPE };
enum perfdata_mode perfdata_header_mode(const u8 *p, size_t len, bool *swap);

/* Parse the header of a file of `file_size` bytes. */
int perfdata_header_parse(struct perfdata_header *h, const u8 *p, size_t len, u64 file_size,
			  struct err *err);
/* Did perf finish it, and is it all there? */
bool perfdata_header_is_whole(const struct perfdata_header *h);
/*
 * Read events and features through fd (pread) into the recording. Features that cannot be read
 * cost what they would have told: damage->sections counts them.
 */
int perfdata_header_load(const struct perfdata_header *h, int fd, struct recording *r,
			 struct source_damage *damage, struct err *err);

#endif
