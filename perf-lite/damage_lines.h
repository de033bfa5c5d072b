/* SPDX-License-Identifier: GPL-2.0 */
/*
 * damage_lines.h - what of a recording could not be read, in lines for people.
 */
#ifndef PERF_LITE_DAMAGE_LINES_H
#define PERF_LITE_DAMAGE_LINES_H

#include "util/file/source.h"

/*
 * Append a line for each kind of damage to a source that was read to its end; `misfits` are the
 * records of it that do not fit their event. True if something is missing; the line for what
 * matters most is the error then instead.
 */
bool damage_lines(const struct recording *r, u64 misfits, struct buf *lines, struct err *err);
/* Likewise on standard error, unless `quiet`: the exit code, CMD_OK or CMD_PARTIAL. */
int damage_report(const struct recording *r, u64 misfits, bool quiet, struct err *err);

#endif
