/* SPDX-License-Identifier: GPL-2.0 */
/*
 * scribe_file.h - the file that a scribe is writing, but for its batches: how it begins and ends,
 * records that the scribe makes itself, the account of losses, and what a guardian that takes over
 * must know of it. scribe_switch() and scribe_snapshot(), which end one file and begin another, are
 * declared in scribe.h.
 */
#ifndef CAPTURE_SCRIBE_FILE_H
#define CAPTURE_SCRIBE_FILE_H

#include "util/capture/scribe.h"

/* A writer for another file of the kind that options->perfdata tells. */
int scribe_file_writer(const struct scribe *s, struct writer *w, const char *path, struct err *err);

/* Open s->writer and write what stands before the data; the file has no name yet. */
int scribe_file_begin(struct scribe *s, struct err *err);
int scribe_file_preamble(struct scribe *s, struct writer *w, struct err *err);

/* All clocks once more, if it is time or one of them was set. What is kept gets them when it is written. */
int scribe_file_clocks(struct scribe *s, struct err *err);

/* Side-band records as a block of their own. `order`: no record of a later block is older. */
int scribe_file_records(struct scribe *s, const struct buf *records, u32 nr, u64 order,
			struct writer *w, struct err *err);

/* The losses that are not in the file yet. */
int scribe_file_losses(struct scribe *s, struct err *err);

/* What a flight recorder has kept, as a file; the block that ends any file. */
int scribe_file_kept(struct scribe *s, struct writer *w, struct err *err);
int scribe_file_end(struct scribe *s, struct writer *w, const struct scribe_end *e,
		    struct err *err);

/* Whoever takes over finds the file as it is now. */
void scribe_file_commit(struct scribe *s);

#endif
