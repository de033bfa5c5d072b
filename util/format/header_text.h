/* SPDX-License-Identifier: GPL-2.0 */
/*
 * header_text.h - what a recording says of itself, as lines that begin with "# ": script --header.
 *
 * The form and the keys are perf's, because tools look for "# ========" and "# cmdline".
 */
#ifndef FORMAT_HEADER_TEXT_H
#define FORMAT_HEADER_TEXT_H

#include "util/base/buf.h"
#include "util/file/recording.h"

/*
 * `path` is the file; its time is used where the recording has no time of its own. `all`: also what is long, topologies
 * and caches.
 */
void header_text(const struct recording *r, const char *path, bool all, struct buf *out);

#endif
