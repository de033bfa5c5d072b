/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flight_tasks.h - tasks and mappings as of before the oldest block that a flight recorder keeps.
 *
 * A process model, and the side-band records that it was made of in memory that is shared with the
 * processes that are forked later, so that one of them has the same model when the first was
 * killed. When these records fill their place, the dump of the model takes their place: there are
 * two, and the other one counts when the dump is whole.
 */
#ifndef CAPTURE_FLIGHT_TASKS_H
#define CAPTURE_FLIGHT_TASKS_H

#include "util/base/err.h"
#include "util/process/process.h"
#include "util/record/sample_layout.h"

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

#endif
