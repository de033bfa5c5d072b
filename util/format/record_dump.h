/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record_dump.h - a record as it is, for people who look for what is wrong: its place in the file, its bytes, and
 * what they say: script -D.
 */
#ifndef FORMAT_RECORD_DUMP_H
#define FORMAT_RECORD_DUMP_H

#include "util/base/buf.h"
#include "util/record/event_set.h"

/*
 * `at`: offset in the file; that of the block or compressed record that holds it, if it is inside one.
 * `event`: its index, ID_NONE: not known.
 */
void record_dump(const struct event_set *events, const struct rec *rec, u32 event, u64 at,
		 const char *path, struct buf *out);

#endif
