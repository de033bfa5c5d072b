/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record_stacks.h - how complete the call chains of a recording are, told when it is made: the next one can be better.
 */
#ifndef PERF_LITE_RECORD_STACKS_H
#define PERF_LITE_RECORD_STACKS_H

#include "perf-lite/record.h"

/*
 * After recorder_finish(): one line on standard error if many are cut short, or if somebody looks on (a terminal, -v).
 * What the kernel walked is read again for that, from the file, up to a number of samples that takes no time.
 */
void record_stacks_tell(const struct record *c);

#endif
