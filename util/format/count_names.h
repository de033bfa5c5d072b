/* SPDX-License-Identifier: GPL-2.0 */
/*
 * count_names.h - the values of the keys of counted rows (count_table.h), as people and programs read them:
 * sample_values.h, report_places.h and count_frames.h say how.
 */
#ifndef FORMAT_COUNT_NAMES_H
#define FORMAT_COUNT_NAMES_H

#include "util/report/count_table.h"

/* Is there a value: does the event have such a field, is the other sample known? */
bool count_names_has(const struct count_table *t, const struct count_row *r, u32 key);
/* Append a value as text; "-": the event has no such field. Of a stack, its innermost function. */
void count_names_put(const struct count_table *t, const struct count_row *r, u32 key,
		     struct buf *out);
/* Is it a number, which belongs at the right end of its column? */
bool count_names_is_number(const struct count_table *t, u32 key);
/* Append a value as JSON; of a stack an array of frames, innermost first, each as in script --json. */
void count_names_json(const struct count_table *t, const struct count_row *r, u32 key,
		      struct buf *out);
/*
 * Append the frames of a stack as script prints them, a line each after `indent`:
 * "\tffffffff81c0a1b2 tcp_v4_rcv+0x1b2 ([kernel.kallsyms])".
 */
void count_names_stack(const struct count_table *t, const struct count_row *r, u32 key,
		       const char *indent, struct buf *out);

#endif
