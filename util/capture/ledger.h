/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ledger.h - the account of a recording: every sample that the kernel gave or lost, by event, and
 * every span in which something was missing, by cause and CPU.
 *
 * Losses of one cause on one CPU are one entry until they have been written as a LOSS block, which
 * happens with each block of records.
 */
#ifndef CAPTURE_LEDGER_H
#define CAPTURE_LEDGER_H

#include "util/base/vec.h"
#include "util/capture/lost_on.h"
#include "util/file/loss.h"
#include "util/record/event_set.h"

struct ledger {
	struct counts *counts; /* by event */
	u32 nr;
	VEC(struct loss) losses;                           /* not written yet */
	struct hmap throttled;                             /* event and CPU -> place in `pauses` */
	VEC(u64) pauses;                                   /* since when, 0: not paused */
	u64 samples, lost, excluded, unwritten, throttles; /* totals of all events */
	struct lost_on told;                               /* of `lost`, what records told */
	u64 told_before; /* of `lost`, by who wrote the file before: it is not known on which CPU */
	u64 filtered;    /* of excluded: by a filter that is run on samples */
	bool failed;     /* sticky: memory ran out */
};

int ledger_init(struct ledger *l, const struct event_set *events, struct err *err);
void ledger_free(struct ledger *l);

void ledger_loss(struct ledger *l, const struct loss *loss);

/*
 * A record that tells of loss: LOST, LOST_SAMPLES, THROTTLE, UNTHROTTLE; others are ignored. It
 * came from `cpu`, and the record before it in the same ring was of time `before`.
 */
void ledger_record(struct ledger *l, const struct event_set *events, const struct rec *rec,
		   u64 before, u64 time);

/* What the kernel lost on a CPU beyond what records told; 0 where that is not known. */
u64 ledger_untold(const struct ledger *l, const struct lost_on *kernel, u32 cpu);

/* Append what is pending, as the payload of a LOSS block. It is pending until ledger_written(). */
void ledger_put(const struct ledger *l, struct buf *b);
void ledger_written(struct ledger *l);

/*
 * The kernel's own numbers (.lost, .count, .flags of each event), as of when its events had
 * stopped. Where all rings were read to their ends and no record was lost here, what the kernel
 * counted beyond the sum is what it never sampled.
 */
void ledger_close(struct ledger *l, const struct counts *kernel, bool read_to_end);

/* Events that are still paused were so until `now`. */
void ledger_end(struct ledger *l, const struct event_set *events, u64 now);

#endif
