/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfdata.h - reads perf's own file (PERFILE2, file mode, host byte order) as a source.
 *
 * The header's sections become facts, events, tracepoint formats and DSOs with build-ids. What a
 * killed perf left behind (data size 0) is read up to the end of the file.
 *
 * Source: tools/perf/Documentation/perf.data-file-format.txt of the kernel tree.
 */
#ifndef FILE_PERFDATA_H
#define FILE_PERFDATA_H

#include "util/file/source.h"
#include "util/file/stream.h"

#define PERFDATA_MAGIC         "PERFILE2"
#define PERFDATA_MAGIC_SWAPPED "2ELIFREP"

/* Takes over the stream, which stands at the magic. */
struct source *perfdata_open(struct stream *in, struct err *err);

#endif
