/* SPDX-License-Identifier: GPL-2.0 */
/*
 * count_folded.h - counted rows as folded stacks, which flame graph tools read:
 *
 *	key;key;outermost;...;innermost COUNT
 *
 * Keys are in the order of --by; a stack is all its frames, of those that were inlined, too. COUNT is the sum
 * where sums are asked for. ';' in names is ':'; in the first one blanks, and '#' in front, are
 * '_'. Lines are sorted, and what reads the same is one line.
 */
#ifndef FORMAT_COUNT_FOLDED_H
#define FORMAT_COUNT_FOLDED_H

#include "util/format/count_names.h"
#include "util/report/count_view.h"

/*
 * All shown rows. A count of 0 or below has no folded form: *left_out says how many rows have one. Sums stay at
 * 2^64 - 1 when they get there.
 */
int count_folded_put(const struct count_view *v, u32 *left_out, struct buf *out, struct err *err);

#endif
