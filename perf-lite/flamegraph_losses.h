/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flamegraph_losses.h - when nothing was recorded, and where: what a timeline marks.
 *
 *	flamegraph_losses_sample() and _record() in order of time -> flamegraph_losses_end()
 *
 * Our files tell spans of time (file/loss.h). Perf's tell when samples came again after a loss: the span
 * begins with the CPU's last sample before it, and what perf's sums at the end have beyond them was lost after
 * the last sample. All but _end() return false when memory is out.
 */
#ifndef PERF_LITE_FLAMEGRAPH_LOSSES_H
#define PERF_LITE_FLAMEGRAPH_LOSSES_H

#include "perf-lite/reading.h"
#include "util/draw/timeline.h"

#define FLAMEGRAPH_CPUS_MAX 16384u /* twice what Linux can have; a larger number is damage */

/* The records to read besides samples, for session_options. */
#define FLAMEGRAPH_LOSSES_RECORDS                                      \
	(1ull << PERF_RECORD_LOST | 1ull << PERF_RECORD_LOST_SAMPLES | \
	 1ull << PERF_RECORD_THROTTLE | 1ull << PERF_RECORD_UNTHROTTLE)

struct flamegraph_span {
	u32 cpu; /* ID_NONE: all of them */
	enum timeline_kind kind;
	u64 from, to, count; /* as of struct timeline_mark */
};

/* What a CPU did last, for records that tell the end of something. */
struct flamegraph_cpu {
	u64 last;      /* time of its last sample */
	u64 throttled; /* since then; 0: it is not */
	bool lost;     /* records, at any time */
};

struct flamegraph_losses {
	VEC(struct flamegraph_span) spans;
	VEC(struct flamegraph_cpu) cpus; /* by number */
	u64 told;                        /* what the records of losses add up to */
	u64 sums;                        /* what perf's sums at the end do */
	bool to_end;                     /* the last samples are those of the recording */
	bool partly; /* samples are passed over, so the last one before a loss is not known */
};

bool flamegraph_losses_sample(struct flamegraph_losses *l, u32 cpu, u64 time);
bool flamegraph_losses_record(struct flamegraph_losses *l, const struct session_record *r);
/* The recording was read; `event`: leave out what was lost of others alone, ID_NONE: nothing. */
int flamegraph_losses_end(struct flamegraph_losses *l, const struct recording *r, u32 event,
			  struct err *err);
void flamegraph_losses_free(struct flamegraph_losses *l);

#endif
