/* SPDX-License-Identifier: GPL-2.0 */
/*
 * loss_lines.h - what a recording does not hold, in lines for people.
 */
#ifndef PERF_LITE_LOSS_LINES_H
#define PERF_LITE_LOSS_LINES_H

#include "util/base/buf.h"
#include "util/file/recording.h"

/*
 * Append a line for each cause: how many, on which CPUs, for how long. `reported` is what
 * PERF_RECORD_LOST counts, as for recording_lost(). Each line begins with `indent`.
 */
void loss_lines(const struct recording *r, u64 reported, const char *indent, struct buf *out);

#endif
