/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pack.h - write a native file again, smaller: larger DATA blocks, compressed harder.
 *
 * The copy says all that the original says: the same records in the same order, the same events,
 * symbols, losses and account. Damaged parts of the original leave a hole, which the blocks after
 * it report as they did before.
 */
#ifndef FILE_PACK_H
#define FILE_PACK_H

#include "util/file/recording.h"
#include "util/file/stream.h"
#include "util/file/writer.h"

struct pack_options {
	int level;
	bool force; /* take what is whole of a damaged file */
	/* Told of every event before its records come: may add to it what it knows (event_set.h). */
	int (*event)(struct recording *r, u32 event, struct err *err);
	/* Told after each block; may be NULL. */
	void (*progress)(void *arg, u64 done, u64 total);
	void *arg;
};

struct pack_result {
	u64 bytes_before, bytes_after;
	u64 samples;
	bool damaged; /* with `force`: not all of it could be taken */
};

/*
 * Read a stream positioned at the file header, write to w. -EBADMSG: it is damaged, cut or not
 * finished, and `force` is not set. The caller closes both.
 */
int pack_stream(struct stream *in, struct writer *w, const struct pack_options *o,
		struct pack_result *result, struct err *err);

#endif
