/* SPDX-License-Identifier: GPL-2.0 */
/*
 * reorder.h - a stage that puts records in order of time.
 *
 *	source: 3 1 2 | 6 4 5 | ...      `order` rises with each block
 *	            \ pending, sorted  ->  1 2 3 ...    everything older than `order`
 *
 * Holds back what a later block may still precede and no more, so that a pipe streams and memory
 * stays within a few blocks. Records of one time keep the order of the file; records without a
 * time come at once. The records given out are aligned copies, or lie in the memory of their source,
 * until the next call; their events are known. Samples of events that are not in the file are left out.
 *
 * Of samples that the source gives together (SOURCE_GROUPS), those of one kind between two records are
 * given as one: its time is that of the first, `last` of the source that of the last.
 */
#ifndef FILE_REORDER_H
#define FILE_REORDER_H

#include "util/file/source.h"

/* -ENOMEM: *s is as it was. */
int reorder_wrap(struct source **s, struct err *err);
/* Of that stage: read until there is a record to give, so that the events are known. 0, <0. */
int reorder_prepare(struct source *s, struct err *err);

#endif
