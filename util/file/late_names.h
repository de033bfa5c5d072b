/* SPDX-License-Identifier: GPL-2.0 */
/*
 * late_names.h - names that follow all records of a native file, read before the first.
 *
 * A recorder that fetches debug files does so when nothing is recorded any more. A fact of META,
 * LATE_NAMES, says that there may be DSO, SYMS and FRAMES blocks after the last DATA block.
 */
#ifndef FILE_LATE_NAMES_H
#define FILE_LATE_NAMES_H

#include "util/file/blocks.h"
#include "util/file/meta.h"

#define LATE_NAMES "late_names"

/*
 * Read those of a file ahead of their turn, whose blocks from `from` on are still to come. What is
 * damaged is left to the reader of the file, who meets it. 0 or -ENOMEM.
 */
int late_names_read(struct meta *m, struct recording *r, const struct blocks *of, u64 from);

#endif
