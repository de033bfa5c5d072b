/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfdata.h - reads what perf records as a source: its file, its stream (perf record -o -), the
 * files of a directory; of either byte order, compressed or not, from any version of perf.
 *
 *	stream -> perfdata_records -> [foreign_order] -> records of the kernel
 *	             |  zstd                 \-> perfdata_user: events, names, formats, facts
 *	perfdata_header: sections of a file -> perfdata_feature
 *
 * What a killed perf left behind (data size 0) is read up to the end of the file. What is damaged
 * is passed over and counted (source.h).
 *
 * Source: tools/perf/Documentation/perf.data-file-format.txt of the kernel tree.
 */
#ifndef FILE_PERFDATA_H
#define FILE_PERFDATA_H

#include "util/file/source.h"
#include "util/file/stream.h"

/*
 * Takes over the stream, which is positioned at the magic. A file, whose tables follow the records,
 * is copied to an unlinked file first if it comes through a pipe.
 */
struct source *perfdata_open(struct stream *in, struct err *err);

/* One more file of records, as directories have them: takes the stream over, also on failure. */
int perfdata_add(struct source *s, struct stream *in, const char *name, struct err *err);

/*
 * perfdata_dir.c: the directory that perf record --threads writes: "data", a whole perf.data file
 * that holds the tables and what ran before, and data.0, data.1, ..., records and nothing else.
 */

struct source *perfdata_dir_open(const char *path, struct err *err);

#endif
