/* SPDX-License-Identifier: GPL-2.0 */
/*
 * quality_text.h - the quality of stacks in words, with the causes and what helps against them.
 */
#ifndef PROCESS_QUALITY_TEXT_H
#define PROCESS_QUALITY_TEXT_H

#include "util/base/buf.h"
#include "util/process/process.h"
#include "util/process/quality.h"

/*
 * The stacks in one line without newline; nothing where there was no stack. With what helps, where they are poor
 * (quality_is_poor()): that is when somebody who did not ask is to be told.
 */
void quality_text_line(const struct quality *q, const struct process_model *m, struct buf *out);
/* All of it: the sums, then a line for each DSO and cause, the most first. False: no memory. */
bool quality_text_table(const struct quality *q, const struct process_model *m, struct buf *out);

#endif
