/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfdata_write_blocks.h - perf.data made of the blocks of a native file, while it is recorded.
 *
 *	META ATTR TPFMT ...  known, nothing is written
 *	DATA                 its records, and a round
 *	END                  the sections behind the records
 *
 * So a recorder's writer gives either file (writer.h). The samples have to carry their own thread,
 * period and so on: nobody derives them here (ev_record.h, complete).
 */
#ifndef FILE_PERFDATA_WRITE_BLOCKS_H
#define FILE_PERFDATA_WRITE_BLOCKS_H

#include "util/file/block.h"
#include "util/file/perfdata_write.h"

struct perfdata_write_blocks;

struct perfdata_write_blocks *perfdata_write_blocks_new(bool pipe, struct err *err);
/* Nothing is written before the first DATA; then the stream goes on behind `bytes` of it. */
void perfdata_write_blocks_resume(struct perfdata_write_blocks *b, u64 bytes);
/*
 * Take a block in; what becomes of it is appended to *out, the caller's until the next call, who
 * says with _written() or _dropped() what became of that.
 */
int perfdata_write_blocks_take(struct perfdata_write_blocks *b, const struct block *k,
			       const void *payload, struct buf **out, struct err *err);
void perfdata_write_blocks_written(struct perfdata_write_blocks *b);
void perfdata_write_blocks_dropped(struct perfdata_write_blocks *b);
/* How many bytes END may come to: to be kept free behind the records. */
u64 perfdata_write_blocks_reserve(const struct perfdata_write_blocks *b);
/* After END, in a file: what belongs at its beginning. False: nothing does. */
bool perfdata_write_blocks_header(const struct perfdata_write_blocks *b, struct buf *out);
void perfdata_write_blocks_free(struct perfdata_write_blocks *b);

#endif
