/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flight_recorder.h - the memory of a flight recorder: the latest blocks, and the tasks as of before
 * the oldest of these.
 *
 *	writer in memory --> keep: blocks --leave--> tasks: what their side-band had
 *
 * A file that is made of it begins with the tasks, as records of time 0, and goes on with the
 * blocks, whose samples are resolved with what was mapped then. All of it is in memory that is shared
 * with processes forked later, so that a guardian can write it when the recorder was killed:
 * flight_recorder_attach() takes the recorder's `shared` and the ends that the two agreed on.
 */
#ifndef CAPTURE_FLIGHT_RECORDER_H
#define CAPTURE_FLIGHT_RECORDER_H

#include "util/base/err.h"
#include "util/file/columns.h"
#include "util/file/keep.h"
#include "util/process/process.h"
#include "util/record/sample_layout.h"

/*
 * Tasks and mappings as of before the oldest block that a flight recorder keeps.
 *
 * A process model, and the side-band records that it was made of in memory that is shared with the
 * processes that are forked later, so that one of them has the same model when the first was
 * killed. When these records fill their place, the dump of the model takes their place: there are
 * two, and the other one counts when the dump is whole.
 */
struct flight_tasks_memory {
	u64 size, log_size;
	u32 current;
	u64 len[2]; /* of the logs: whole records, one behind the other */
};

struct flight_tasks {
	struct process_model model;
	const struct sample_layout *layout; /* shape of the records' trailers */
	struct flight_tasks_memory *memory;
	u32 maps_before; /* when the model was made anew last */
	bool failed;     /* sticky: memory ran out */
};

/* `log_size`: of the records at first; 0: as much as is sensible. */
int flight_tasks_open(struct flight_tasks *t, const struct sample_layout *layout, u64 log_size,
		      struct err *err);
/* Go on with another process's, which this one was forked from. */
int flight_tasks_attach(struct flight_tasks *t, const struct sample_layout *layout,
			struct flight_tasks_memory *memory, struct err *err);
/* Side-band records in order of time. */
void flight_tasks_apply(struct flight_tasks *t, const struct rec *rec);
/* A zero-initialised struct flight_tasks may be freed. */
void flight_tasks_free(struct flight_tasks *t);

struct flight_recorder_shared {
	struct keep_memory *blocks; /* NULL: nothing is kept */
	struct flight_tasks_memory *tasks;
};

struct flight_recorder {
	struct keep keep;
	struct flight_tasks tasks;
	struct columns_decoder *decoder; /* of blocks that leave: for their side-band */
	struct buf records;              /* that side-band */
	bool failed;                     /* sticky: memory ran out */
};

/* `layout`: of the side-band event. window_ns, max_bytes: as in keep.h. */
int flight_recorder_open(struct flight_recorder *k, const struct sample_layout *layout,
			 u64 window_ns, u64 max_bytes, struct flight_recorder_shared *shared,
			 struct err *err);
int flight_recorder_attach(struct flight_recorder *k, const struct sample_layout *layout,
			   u64 window_ns, u64 max_bytes,
			   const struct flight_recorder_shared *shared,
			   const struct keep_ends *ends, struct err *err);

/* Let go what is too old now that the newest record is of `now`, or too much. */
void flight_recorder_drop_old(struct flight_recorder *k, u64 now);
void flight_recorder_drop_all(struct flight_recorder *k);
/*
 * Let go the names of the generation before the present, and what needs them (keep.h). flight_recorder_renew_names(): then another one
 * begins, and all names are to be added anew.
 */
void flight_recorder_drop_names(struct flight_recorder *k, u64 now);
void flight_recorder_renew_names(struct flight_recorder *k, u64 now);

/* Samples that left before their time, for want of memory. */
static inline u64 flight_recorder_dropped(const struct flight_recorder *k)
{
	return k->keep.memory ? k->keep.memory->dropped : 0;
}

/* Samples that left in all. */
static inline u64 flight_recorder_evicted(const struct flight_recorder *k)
{
	return k->keep.memory ? k->keep.memory->evicted : 0;
}

/* A zero-initialised struct flight_recorder may be freed. */
void flight_recorder_free(struct flight_recorder *k);

#endif
