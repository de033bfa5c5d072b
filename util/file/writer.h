/* SPDX-License-Identifier: GPL-2.0 */
/*
 * writer.h - writes a native file: to a path, to a pipe, or into memory.
 *
 * Or perf.data, of the same blocks (perfdata_write.h). What of that is on the disk of a
 * killed recorder can be read to its last whole record.
 *
 * The file is made beside its final name and takes that name with writer_publish(), once the
 * recording really runs: a start that fails leaves an older recording as it was. An older file of
 * that name is kept as NAME.old. Mode 0600; symbolic links are not followed, they are replaced.
 *
 * Each block is one write; after a failed write the torn end is cut off again, so that what is on
 * the disk is whole blocks. Room is reserved ahead of the records, which only the other blocks may
 * use: on a full disk, or below `ulimit -f`, the end of the recording can still be written.
 */
#ifndef FILE_WRITER_H
#define FILE_WRITER_H

#include <signal.h>
#include <sys/stat.h>

#include "util/file/block.h"
#include "util/file/compress.h"
#include "util/file/keep.h"

/* With who does not read the pipe that is written to. */
struct writer_patience {
	/* Asked each second that the pipe has no room, by the thread that writes. True: the write fails with EINTR. */
	bool (*is_over)(void *arg);
	void *arg;
};

struct writer {
	int fd;
	char *path, *temp; /* NULL for a pipe; temp is NULL once published */
	bool seekable;
	bool replaces; /* the file of that name is not kept */
	bool failed;   /* something could not be written */
	bool no_inode; /* its file system gives the name another one than the open file: it does not say whose the name is */
	const struct writer_patience *patience; /* NULL, or without a function: it never ends */
	u32 session;                            /* of its blocks */
	u64 seq, samples, bytes;
	u64 samples_skipped; /* of those in `samples`, not written */
	u64 reserve, limit;  /* bytes kept free behind the records; size that no file may exceed */
	struct keep *keep;   /* a writer in memory: where its blocks go */
	struct perfdata_write_blocks *perfdata; /* what blocks become; NULL: they are written */
	struct compressor compressor;
	struct buf payload, out;
};

/* "-" is standard output. Writes the file header. */
int writer_open(struct writer *w, const char *path, int level, struct err *err);
/*
 * Likewise, a file that takes the place of the regular file `path`, of which nothing is kept: with the owner (where we may give
 * it away) and the mode of *old.
 */
int writer_open_replacement(struct writer *w, const char *path, const struct stat *old, int level,
			    struct err *err);
/* Likewise, for perf.data. */
int writer_open_perfdata(struct writer *w, const char *path, struct err *err);
/* Blocks go to `keep`, the caller's. */
int writer_open_memory(struct writer *w, struct keep *keep, int level, struct err *err);

/* How far a file is. */
struct writer_state {
	u64 bytes, seq, samples, samples_skipped;
	u32 session;
};
struct writer_state writer_state(const struct writer *w);
/*
 * Go on with a file that another process wrote up to `state`: what follows it is cut off.
 * Takes over fd; `path`: the name that it has or gets by writer_publish(), NULL: standard output.
 */
int writer_resume(struct writer *w, int fd, const char *path, const struct writer_state *state,
		  int level, struct err *err);
/*
 * Likewise, perf.data: then give it the blocks of facts, events and formats again. -EPIPE for a
 * pipe, in which nobody knows where the last whole record ends.
 */
int writer_resume_perfdata(struct writer *w, int fd, const char *path,
			   const struct writer_state *state, struct err *err);
/* Close a file that another process wrote, and remove it unless it has got its name. path: as of writer_resume(). */
void writer_discard(int fd, const char *path);

/* A block of facts, an event, ...; compressed when that helps. */
int writer_block(struct writer *w, enum block_type type, const void *payload, size_t len,
		 struct err *err);

/* A DATA block: the payload as columns_end() made it, and what its header says of it. */
struct writer_data {
	const void *payload;
	size_t len;
	u32 records, samples;
	size_t raw_size; /* bytes of the records */
	u64 time_min, time_max, order;
};
/* On -ENOSPC and the like the file is as it was before, and the writer stays usable. */
int writer_data(struct writer *w, const struct writer_data *d, struct err *err);
/* Is there room for that many bytes of records? 0, or the error that writer_data() would give. */
int writer_room(struct writer *w, size_t len, struct err *err);

/* A block that was written into memory. */
int writer_kept(struct writer *w, const struct keep_block *b, struct err *err);

/* This many samples will not be written: the next block's header reports the hole to readers. */
void writer_skip(struct writer *w, u64 samples);

/* Give the file its name. */
int writer_publish(struct writer *w, struct err *err);
/* After that failed for good: the file stays under the name that it was made with, which becomes the hint of err. */
void writer_leave(struct writer *w, struct err *err);
/*
 * Is the published file still where its name says? -ENOENT: it was deleted. *elsewhere: the name that somebody gave it, the
 * caller's to free; NULL: it has its own.
 */
int writer_find(const struct writer *w, char **elsewhere, struct err *err);
/* Close; a file that was not published is removed. */
int writer_close(struct writer *w, struct err *err);

#endif
