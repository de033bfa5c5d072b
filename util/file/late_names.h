/* SPDX-License-Identifier: GPL-2.0 */
/*
 * late_names.h - names that follow all records of a native file, read before the first.
 *
 * A recorder that fetches debug files does so when nothing is recorded any more. A fact of META,
 * LATE_NAMES, says that there may be DSO, SYMS and FRAMES blocks after the last DATA block.
 */
#ifndef FILE_LATE_NAMES_H
#define FILE_LATE_NAMES_H

#include "util/file/recording.h"

#define LATE_NAMES "late_names"

/*
 * Take in those blocks of a file whose first block is at `from`. *at: where the first of them is,
 * UINT64_MAX where there are none. What is damaged is left to the reader of the file, who meets it.
 * 0 or -ENOMEM.
 */
int late_names_read(struct recording *r, int fd, u64 from, u64 *at);

/* Is this one of the blocks that may be there? */
bool late_names_type(u16 type);

#endif
