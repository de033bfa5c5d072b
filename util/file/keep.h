/* SPDX-License-Identifier: GPL-2.0 */
/*
 * keep.h - blocks held in memory until somebody wants them in a file: the flight recorder's window
 * of the latest, and what a full disk must wait with.
 *
 * A writer in memory (writer_open_memory()) puts its blocks here. DATA blocks leave at the front
 * when they are older than the window or the memory is full; the other blocks stay, since later
 * ones need them.
 */
#ifndef FILE_KEEP_H
#define FILE_KEEP_H

#include "util/base/err.h"
#include "util/base/vec.h"
#include "util/file/block.h"

struct keep_block {
	struct block head; /* without numbers: the file that it goes into has its own */
	u32 samples;
	u8 *payload;
};

struct keep {
	u64 max_bytes; /* of DATA */
	u64 window_ns; /* DATA whose newest record is older than this may go; 0: only for memory */
	VEC(struct keep_block) meta;
	VEC(struct keep_block) data;
	u32 first;   /* of data: those before it are gone */
	u64 bytes;   /* held of DATA */
	u64 dropped; /* samples that left before their time, for want of memory */
	u64 evicted; /* samples that left in all */
};

struct writer;

/* Takes a copy of the payload. */
int keep_add(struct keep *k, const struct block *head, u32 samples, const void *payload,
	     struct err *err);

/*
 * The oldest DATA block if it must go now that the newest record is of `now`, else NULL. It is
 * valid until keep_drop(), which removes it.
 */
const struct keep_block *keep_oldest(struct keep *k, u64 now);
void keep_drop(struct keep *k, u64 now);

/* Write all into the file. */
int keep_write(const struct keep *k, struct writer *w, struct err *err);

/* Empty it. */
void keep_clear(struct keep *k);
void keep_free(struct keep *k);

#endif
