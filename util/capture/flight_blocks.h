/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flight_blocks.h - the memory of a flight recorder: the latest blocks, and the tasks as of before
 * the oldest of these.
 *
 *	writer in memory --> keep: blocks --leave--> tasks: what their side-band told
 *
 * A file that is made of it begins with the tasks, as records of time 0, and goes on with the
 * blocks: samples in these are told apart by what was mapped then. All of it lies in memory that
 * processes share which are forked later, so that a guardian can write it when the recorder was
 * killed: `shared` of the one and the ends that were agreed on are what flight_blocks_attach() wants.
 */
#ifndef CAPTURE_FLIGHT_BLOCKS_H
#define CAPTURE_FLIGHT_BLOCKS_H

#include "util/capture/flight_tasks.h"
#include "util/file/columns.h"
#include "util/file/keep.h"

struct flight_blocks_shared {
	struct keep_memory *blocks; /* NULL: nothing is kept */
	struct flight_tasks_memory *tasks;
};

struct flight_blocks {
	struct keep keep;
	struct flight_tasks tasks;
	struct columns_decoder *decoder; /* of blocks that leave: for their side-band */
	struct buf records;              /* that side-band */
	bool failed;                     /* sticky: memory ran out */
};

/* `layout`: of the side-band event. window_ns, max_bytes: as in keep.h. */
int flight_blocks_open(struct flight_blocks *k, const struct sample_layout *layout, u64 window_ns,
		       u64 max_bytes, struct flight_blocks_shared *shared, struct err *err);
int flight_blocks_attach(struct flight_blocks *k, const struct sample_layout *layout, u64 window_ns,
			 u64 max_bytes, const struct flight_blocks_shared *shared,
			 const struct keep_ends *ends, struct err *err);

/* Let go what is too old now that the newest record is of `now`, or too much. */
void flight_blocks_drop_old(struct flight_blocks *k, u64 now);
void flight_blocks_drop_all(struct flight_blocks *k);

/* Samples that left before their time, for want of memory. */
static inline u64 flight_blocks_dropped(const struct flight_blocks *k)
{
	return k->keep.memory ? k->keep.memory->dropped : 0;
}

/* A zero-initialised struct flight_blocks may be freed. */
void flight_blocks_free(struct flight_blocks *k);

#endif
