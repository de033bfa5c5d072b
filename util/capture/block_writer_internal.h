/* SPDX-License-Identifier: GPL-2.0 */
/* block_writer_internal.h - what the parts of block_writer.h share. */
#ifndef CAPTURE_BLOCK_WRITER_INTERNAL_H
#define CAPTURE_BLOCK_WRITER_INTERNAL_H

#include "util/capture/block_writer.h"

/*
 * The file that a block writer writes, but for its batches: how it begins and ends, records that the
 * block writer makes itself, the account of losses, and what a guardian that takes over must know
 * of it.
 */

/* A writer for another file; options->perfdata selects its kind. */
int block_writer_file_writer(const struct block_writer *s, struct writer *w, const char *path,
			     struct err *err);

/* Open s->writer and write what precedes the data; the file has no name yet. */
int block_writer_file_begin(struct block_writer *s, struct err *err);
int block_writer_file_preamble(struct block_writer *s, struct writer *w, struct err *err);

/* All clocks once more, if it is time or one of them was set. What is kept gets them when it is written. */
int block_writer_file_clocks(struct block_writer *s, struct err *err);

/* Side-band records as a block of their own. `order`: no record of a later block is older. */
int block_writer_file_records(struct block_writer *s, const struct buf *records, u32 nr, u64 order,
			      struct writer *w, struct err *err);

/* The ids from number `from` of s->late on, those of each event as a block of their own. */
int block_writer_file_ids(const struct block_writer *s, struct writer *w, u32 from,
			  struct err *err);

/* The losses that are not in the file yet. */
int block_writer_file_losses(struct block_writer *s, struct err *err);

/* What a flight recorder has kept, as a file; the block that ends any file. */
int block_writer_file_kept(struct block_writer *s, struct writer *w, struct err *err);
int block_writer_file_end(struct block_writer *s, struct writer *w,
			  const struct block_writer_end *e, struct err *err);

/*
 * After a switch, names that could not be given then: the complete file's, which is left to whoever moved it away, and then
 * the name of the file in use. Of the last file: one that cannot be named stays under the name that it has, which err says.
 */
int block_writer_file_name(struct block_writer *s, struct err *err);
int block_writer_file_name_last(struct block_writer *s, struct err *err);

/* Whoever takes over finds the file as it is now. */
void block_writer_file_commit(struct block_writer *s);

#endif
