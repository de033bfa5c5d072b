/* SPDX-License-Identifier: GPL-2.0 */
/*
 * loss_account.h - the account of a recording: every sample that the kernel gave or lost, by event, and
 * every span in which something was missing, by cause and CPU.
 *
 * Losses of one cause on one CPU are one entry until they have been written as a LOSS block, which
 * happens with each block of records; but each time that it was offline is one.
 */
#ifndef CAPTURE_LOSS_ACCOUNT_H
#define CAPTURE_LOSS_ACCOUNT_H

#include "util/base/vec.h"
#include "util/capture/lost_on.h"
#include "util/file/loss.h"
#include "util/record/event_set.h"

struct loss_account {
	struct counts *counts; /* by event */
	u32 nr;
	VEC(struct loss) losses;                           /* not written yet */
	struct hmap throttled;                             /* event and CPU -> place in `pauses` */
	VEC(u64) pauses;                                   /* since when, 0: not paused */
	u64 samples, lost, excluded, unwritten, throttles; /* totals of all events */
	struct lost_on told;                               /* of `lost`, by records */
	u64 told_before; /* of `lost`, by the previous writer of the file: the CPUs are not known */
	u64 filtered;    /* of excluded: by a filter that is run on samples */
	u64 reports;     /* how often something was lost: of losses in one entry, too */
	bool failed;     /* sticky: memory ran out */
};

int loss_account_init(struct loss_account *l, const struct event_set *events, struct err *err);
void loss_account_free(struct loss_account *l);

void loss_account_loss(struct loss_account *l, const struct loss *loss);

/*
 * A record that reports a loss: LOST, LOST_SAMPLES, THROTTLE, UNTHROTTLE; others are ignored. It
 * came from `cpu`, and the record before it in the same ring was of time `before`.
 */
void loss_account_record(struct loss_account *l, const struct event_set *events,
			 const struct rec *rec, u64 before, u64 time);

/* What the kernel lost on a CPU beyond what records reported; 0 where that is not known. */
u64 loss_account_untold(const struct loss_account *l, const struct lost_on *kernel, u32 cpu);

/* Append what is pending, as the payload of a LOSS block. It is pending until loss_account_written(). */
void loss_account_put(const struct loss_account *l, struct buf *b);
void loss_account_written(struct loss_account *l);

/*
 * The kernel's own numbers (.lost, .missed, .count, .flags of each event), as of when its events had
 * stopped. Where all rings were read to their ends and no record was lost here, what the kernel
 * counted beyond the sum is what it never sampled.
 */
void loss_account_close(struct loss_account *l, const struct counts *kernel, bool read_to_end);

/* Events that are still paused were so until `now`. */
void loss_account_end(struct loss_account *l, const struct event_set *events, u64 now);

#endif
