/* SPDX-License-Identifier: GPL-2.0 */
/*
 * keep.h - blocks held in memory until somebody wants them in a file: the flight recorder's window
 * of the latest.
 *
 * A writer in memory (writer_open_memory()) puts its blocks here. DATA and LOSS blocks, which have a
 * time, are dropped from the front when they are older than the window or the memory is full; the
 * other blocks, names mostly, stay, since later ones need them.
 *
 *	keep_memory | ring: [begin, end) of DATA and LOSS, one after the other | the others, likewise
 *
 * The others come in generations, since days of new programs would fill any memory: with keep_begin_names() another one begins, and
 * who adds blocks adds all names anew that blocks of the ring need from then on. There are two at most: when a third begins, the
 * first goes, and what needs it in the ring has to go before. Sooner it goes when nothing is left that needs it.
 *
 * The memory is shared with processes that are forked later: if the first is killed, at any moment,
 * one of them can go on with keep_attach(). It learns what was added from a struct keep_ends, which
 * counts once the two agree on it; what was dropped is gone. Pages of dropped blocks are freed.
 */
#ifndef FILE_KEEP_H
#define FILE_KEEP_H

#include "util/base/err.h"
#include "util/file/block.h"

struct keep_block {
	struct block head; /* without numbers: the file that it goes into has its own */
	u32 samples;
	u32 size; /* of all of this, up to the next one */
	u8 payload[];
};

/* Positions behind the last block of either kind. They only grow. */
struct keep_ends {
	u64 ring, others;
};

struct keep_memory {
	u64 size; /* of it all */
	u64 ring_at, ring_size;
	u64 others_at, others_size;
	u64 begin; /* of the ring */
	u64 others_begin;
	u64 names,
		names_ring; /* where the present generation of others begins, and what needs it in the ring */
	u64 dropped; /* samples that left before their time, for want of memory */
	u64 evicted; /* samples that left in all */
};

struct keep {
	struct keep_memory *memory;
	struct keep_ends end;
	u64 max_bytes; /* of payload in the ring */
	u64 window_ns; /* a block whose newest record is older than this may go; 0: only for memory */
	u64 bytes;     /* held of it */
};

/* A zero-initialised struct keep may be freed. */
int keep_open(struct keep *k, u64 max_bytes, u64 window_ns, struct err *err);
/* Go on with another process's, which this one was forked from, as it was at `ends`. */
void keep_attach(struct keep *k, struct keep_memory *memory, const struct keep_ends *ends,
		 u64 max_bytes, u64 window_ns);

struct writer;

/* Takes a copy of the payload. -ENOSPC: there is no room for one so large. */
int keep_add(struct keep *k, const struct block *head, u32 samples, const void *payload,
	     struct err *err);

/*
 * The oldest block of the ring if it must go now that the newest record is of `now`, else NULL. It
 * is valid until keep_drop(), which removes it.
 */
const struct keep_block *keep_oldest(const struct keep *k, u64 now);
void keep_drop(struct keep *k, u64 now);

/* The oldest block of the ring that needs names of the generation before the present; NULL: none does. */
const struct keep_block *keep_oldest_name_user(const struct keep *k);
/* That generation goes. */
void keep_drop_names(struct keep *k);
/* Does the present generation take so much that another one should begin? */
bool keep_names_due(const struct keep *k);
/* It does; the one before the present was dropped. */
void keep_begin_names(struct keep *k);

/* Write all into the file. */
int keep_write(const struct keep *k, struct writer *w, struct err *err);

void keep_free(struct keep *k);

#endif
