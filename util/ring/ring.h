/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ring.h - one mmap'd ring buffer of perf_event records.
 *
 *	ring_begin()     look how far the kernel has written
 *	ring_copy() ...  whole records up to there, as one piece
 *	ring_release()   give the space back to the kernel
 *
 * The kernel overwrites nothing before ring_release(): what does not fit is counted by it in
 * PERF_RECORD_LOST. Positions count bytes since the ring was made, and never wrap.
 *
 * An overwriting ring (attr.write_backward) is written from its end to its front, over and over:
 * its head points at the newest record, and the older ones follow. It is read at once, by
 * ring_copy_newest(), while its output is paused.
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
	u64 bad; /* records that could not be one: the ring was left to its head */
	bool overwrite;
};

/* Map `pages` (a power of two) of data behind fd. -EPERM, -ENOMEM: the locked-memory limit. */
int ring_open(struct ring *r, int fd, u32 pages, bool overwrite, struct err *err);
void ring_close(struct ring *r);

/* Bytes to read. */
u64 ring_begin(struct ring *r);
/* Copy whole records, at most `max` bytes: how many were copied, 0 when there is nothing left. */
size_t ring_copy(struct ring *r, void *to, size_t max);
/*
 * The next record up to there, in place; one that goes round the end of the ring is copied to `bounce`, of
 * 64 KiB. Valid until it is released. False: there is none left.
 */
bool ring_view(struct ring *r, struct rec *rec, u8 *bounce);
void ring_release(struct ring *r);

/* All that an overwriting ring holds, oldest first: how many bytes; `to` has room for r->size. */
size_t ring_copy_newest(struct ring *r, u8 *to);

#endif
