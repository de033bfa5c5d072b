/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ring.h - one mmap'd ring buffer of perf_event records, read in place.
 *
 *	ring_begin()      look how far the kernel has written
 *	ring_next() ...   each record up to there; views live until ring_release()
 *	ring_release()    give the space back to the kernel
 *
 * Records are views into the ring; one that wraps around its end is copied into `wrapped` first,
 * and lives until the next ring_next(). The kernel overwrites nothing before ring_release(): what
 * does not fit is counted by it in PERF_RECORD_LOST.
 *
 * Source: perf_event_open(2), "MMAP layout"; <linux/perf_event.h>, struct perf_event_mmap_page.
 */
#ifndef RING_RING_H
#define RING_RING_H

#include "util/base/err.h"
#include "util/record/rec.h"

struct ring {
	struct perf_event_mmap_page *meta;
	const u8 *data;
	u64 size; /* of the data, a power of two */
	u64 pos, head;
	size_t mapped;
	u32 cpu; /* the owner's number for it: the CPU whose records it holds, ID_NONE: any */
	u64 bad; /* records that could not be one: the ring was left to its head */
	u8 *wrapped;
};

/* Map `pages` (a power of two) of data behind fd. -EPERM, -ENOMEM: the locked-memory limit. */
int ring_open(struct ring *r, int fd, u32 pages, u32 cpu, struct err *err);
void ring_close(struct ring *r);

/* Bytes to read. */
u64 ring_begin(struct ring *r);
bool ring_next(struct ring *r, struct rec *rec);
void ring_release(struct ring *r);

#endif
