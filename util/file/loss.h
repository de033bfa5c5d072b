/* SPDX-License-Identifier: GPL-2.0 */
/*
 * loss.h - what a recording does not hold, and what the kernel counted: the payloads of LOSS and
 * COUNTS blocks (docs/FORMAT.md).
 *
 * A LOSS entry has one cause on one CPU over one span of time. Its count is of records, 0 where
 * it cannot be known (a CPU that was offline, a throttled event).
 *
 * A COUNTS entry is the account of one event at the end of the recording. Where `hits` is set, the
 * kernel's own count is a number of samples, and the account must close:
 *
 *	samples + lost + excluded + unwritten + unsampled == count
 */
#ifndef FILE_LOSS_H
#define FILE_LOSS_H

#include "util/base/buf.h"
#include "util/base/cur.h"

enum loss_cause {
	LOSS_RING = 1, /* the ring was full: PERF_RECORD_LOST, LOST_SAMPLES, PERF_FORMAT_LOST */
	LOSS_THROTTLED = 2, /* the kernel paused an event that came too often */
	LOSS_STOPPED = 3,   /* nobody read the rings: the recorder was stopped, or starved */
	LOSS_OFFLINE = 4,   /* the CPU was offline */
	LOSS_DISK = 5,      /* read from the rings, but could not be written */
	LOSS_PROGRAM = 6,   /* hit again while the event's own BPF program ran, as in interrupts */
	LOSS_CAUSES         /* those above are known */
};

struct loss {
	u32 cause;    /* enum loss_cause, or one of a newer recorder */
	u32 cpu;      /* ID_NONE: all of them */
	u32 event;    /* ID_NONE: not of one event */
	u64 from, to; /* ns of the recording's clock; 0: not known */
	u64 count;    /* records; 0: not known */
};

/* Of all events, nobody knows how many records. */
static inline struct loss loss_between(enum loss_cause cause, u32 cpu, u64 from, u64 to)
{
	return (struct loss){.cause = cause, .cpu = cpu, .event = ID_NONE, .from = from, .to = to};
}

#define COUNTS_HITS 1u /* the kernel's count is a number of samples */
#define COUNTS_LOST 2u /* `lost` is the kernel's (PERF_FORMAT_LOST), not added up from records */

struct counts {
	u32 event, flags;
	u64 samples;   /* in the file */
	u64 lost;      /* by full rings, and by programs */
	u64 excluded;  /* left out: the recorder's own, what a filter did not let pass */
	u64 unwritten; /* read, not written: LOSS_DISK */
	u64 count;     /* of the kernel's counters */
	/*
	 * Counted, and neither sampled nor reported lost by the kernel: Linux 6.18 does so in interrupts
	 * of the idle task of a CPU that was offline once.
	 */
	u64 unsampled;
	u64 missed; /* of `lost`, by programs: in no COUNTS entry, but in one of LOSS */
};

void loss_put(struct buf *b, const struct loss *l);
bool loss_get(struct cur *c, struct loss *l);
static inline u64 counts_sum(const struct counts *n)
{
	return n->samples + n->lost + n->excluded + n->unwritten + n->unsampled;
}

void loss_put_counts(struct buf *b, const struct counts *n);
bool loss_get_counts(struct cur *c, struct counts *n);

/* "ring full", "throttled", ...; "cause 9" is not ours to name: NULL. */
const char *loss_cause_name(u32 cause);

#endif
