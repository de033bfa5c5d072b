/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfdata_spool.h - a stream that cannot seek, made one that can: copied to a file without a name.
 */
#ifndef FILE_PERFDATA_SPOOL_H
#define FILE_PERFDATA_SPOOL_H

#include "util/file/stream.h"

/*
 * Copy all that comes to a file in TMPDIR (/var/tmp), and let the stream stand where it stood, over
 * that file. On failure the stream is as far as it came, and still the caller's.
 */
int perfdata_spool(struct stream *s, struct err *err);

#endif
