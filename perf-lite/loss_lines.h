/* SPDX-License-Identifier: GPL-2.0 */
/*
 * loss_lines.h - what a recording does not hold, in lines for people.
 */
#ifndef PERF_LITE_LOSS_LINES_H
#define PERF_LITE_LOSS_LINES_H

#include "util/base/buf.h"
#include "util/file/recording.h"

/* Records lost by full buffers, as `told` by the records themselves (LOST), or by LOSS, or COUNTS:
 * they tell of the same ones, each as far as it knows. */
u64 loss_lines_lost(const struct recording *r, u64 told);
/* Samples that were read but not written. */
u64 loss_lines_unwritten(const struct recording *r);

/*
 * Append a line for each cause: how many, on which CPUs, for how long. `told` as above. Each line
 * begins with `indent`.
 */
void loss_lines(const struct recording *r, u64 told, const char *indent, struct buf *out);

#endif
