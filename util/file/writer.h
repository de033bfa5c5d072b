/* SPDX-License-Identifier: GPL-2.0 */
/*
 * writer.h - writes a native file: to a path, or to a pipe.
 *
 * The file is made beside its final name and takes that name with writer_publish(), once the
 * recording really runs: a start that fails leaves an older recording as it was. An older file of
 * that name is kept as NAME.old. Mode 0600; symbolic links are not followed, they are replaced.
 * Each block is one write; after a failed write (full disk) the torn end is cut off again, so that
 * what is on the disk is whole blocks.
 */
#ifndef FILE_WRITER_H
#define FILE_WRITER_H

#include "util/file/block.h"
#include "util/file/data_codec.h"

struct writer {
	int fd;
	char *path, *temp; /* NULL for a pipe; temp is NULL once published */
	bool seekable;
	u64 seq, samples, bytes;
	u64 samples_skipped; /* of those in `samples`, not written */
	struct data_encoder encoder;
	struct buf payload, out;
};

/* "-" is standard output. Writes the file header. */
int writer_open(struct writer *w, const char *path, int level, struct err *err);

/* A block of facts, an event, ...; compressed when that helps. */
int writer_block(struct writer *w, enum block_type type, const void *payload, size_t len,
		 struct err *err);

struct writer_data {
	const void *records;
	size_t len;
	u32 nr, samples;
	u64 time_min, time_max, order;
};
/* On -ENOSPC and the like the file is as it was before, and the writer stays usable. */
int writer_data(struct writer *w, const struct writer_data *d, struct err *err);

/* So many samples will not be written: the next block's header tells readers of the hole. */
void writer_skip(struct writer *w, u32 samples);

/* Give the file its name. */
int writer_publish(struct writer *w, struct err *err);
/* Close; a file that was not published is removed. */
int writer_close(struct writer *w, struct err *err);

#endif
