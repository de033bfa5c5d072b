/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rings.h - the counters of a recording and the rings that they write into.
 *
 *	CPU 0:  side-band event  -> side-band ring     CPU 1: ...
 *	        every other one  -> sample ring      (deferred call chains, too: as many as samples)
 *
 * Tasks and mappings have a ring of their own, so that a storm of samples cannot push them out. Each
 * ring belongs to an owner event that counts nothing and outlives all targets.
 *
 * A ring has a number for the whole recording, which is its place in `v` and in the shared batches. A
 * ring that was replaced by a larger one stays until it has been read to its end.
 */
#ifndef CAPTURE_RINGS_H
#define CAPTURE_RINGS_H

#include <signal.h>

#include "util/base/buf.h"
#include "util/capture/lost_on.h"
#include "util/event/ev_open.h"
#include "util/ring/ring.h"

struct counts;
struct shared_batches;

struct ring_slot {
	struct ring ring;
	s32 owner; /* descriptor; -1: closed */
	u32 cpu, pages;
	bool sideband, replaced;
};

struct rings_gate {
	s32 fd; /* -1: none could be had, or closed */
	u32 cpu;
};

struct rings_options {
	u32 pages;    /* of each sample ring, a power of two */
	bool asked;   /* ... as the user wanted: say when it cannot be had */
	bool growing; /* a sample ring that gets full is replaced by a larger one */
	bool gated;   /* all events of a CPU start and stop at once (ev_open_gate()) */
	bool prompt;  /* wake the reader with each sample, not when a quarter of a ring is full */
	bool early;   /* wake the reader with each side-band record, not when a quarter is full */
	bool sideband_first; /* it is open and enabled before other events are opened */
	bool keep_limits;    /* of this process: of open files */
	bool guarded;        /* a second process maps the rings, too (guardian.h) */
	bool overwrite; /* sample rings keep the newest records, and are read only at snapshots */
	const volatile sig_atomic_t *stop; /* give up opening */
};

struct rings {
	struct rings_options options;
	struct ev_list *list;
	struct ev_opener opener;
	struct counters counters;
	VEC(struct ring_slot) v;
	struct hmap sideband, samples; /* CPU -> number of its ring */
	VEC(struct rings_gate) gates;
	u32 pages;      /* of a sample ring, after what the limits left of it */
	bool no_memory; /* the last ring was refused the memory that it asked for */
	u32 older;      /* rings that were there before the last rings_add() */
	struct shared_batches *
		shared_batches; /* every ring and counter is added to it; NULL before it is there */
	struct counts *closed;  /* by spec: of counters that were closed */
	bool *ended;            /* by spec: some of its counters were closed */
	u32 nr_closed;          /* in counters and gates */
	struct lost_on closed_lost;
};

/*
 * Open every event of the list on the target's CPUs and threads, and map the rings. All is
 * disabled. `r` is zero-initialised but for options, list, and of the opener root and notes.
 */
int rings_open(struct rings *r, const struct ev_target *target, struct err *err);

/* The same for one more CPU, or for threads that are new; what they had on that CPU is closed. */
int rings_add(struct rings *r, const struct ev_target *target, struct err *err);
/*
 * Close what the CPU's counters leave behind when it goes offline: they count no more. Their ids stay known for a while,
 * as there may be samples of them that were not written yet.
 */
void rings_close_cpu(struct rings *r, u32 cpu);
/* Close the counters from number `from` on, but for side-band of whole CPUs: not all that belong to them could be opened. */
void rings_drop(struct rings *r, u32 from);

/* From now on add all rings and counters to the shared batches, those that are open included. */
void rings_share(struct rings *r, struct shared_batches *h);

/* Enable or disable all that samples; of spec `spec` only, unless it is ID_NONE. */
int rings_enable(struct rings *r, bool on, u32 spec, struct err *err);
/* Enable those of one CPU, likewise. */
int rings_enable_cpu(struct rings *r, u32 cpu, u32 spec, struct err *err);
/* Enable the others. */
void rings_enable_sideband(struct rings *r);
/* All samples being disabled: wait a little for the call chains that some still lack, if these are deferred. */
void rings_end_deferred(struct rings *r);

/*
 * Going to each CPU in turn, as far as it is allowed. A counter of a CPU that is stopped from
 * elsewhere interrupts what runs there, perhaps between counting a hit and sampling it: the hit is
 * then in the count alone. Stopped on the spot, nothing is cut off.
 */
struct rings_visit {
	void *home, *there; /* cpu_set_t; NULL: stay where we are */
};
struct rings_visit rings_visit_begin(void);
void rings_visit(struct rings_visit *v, u32 cpu);
void rings_visit_end(struct rings_visit *v);

/*
 * A ring was read to its end, and had `waiting` bytes when it was looked at: one that was replaced is
 * closed when it is empty, one that was nearly full is replaced (rings_grow()).
 */
void rings_leave(struct rings *r, u32 number, u64 waiting);

/*
 * What the kernel has counted of an event: begin with the event, add each of its counters. The
 * flags say what the numbers can be held against; a counter that cannot be read clears them. Returns
 * what the counter has lost.
 */
void rings_begin_account(const struct ev_spec *spec, struct counts *n);
u64 rings_account(const struct ev_spec *spec, int fd, struct counts *n);
/*
 * The counts of each spec, counters that were closed included; to be freed, NULL: memory ran out. What
 * open counters of samples have lost is added to `on`, if it is not NULL; that of closed ones is in
 * closed_lost.
 */
struct counts *rings_counts(const struct rings *r, struct lost_on *on);

void rings_close(struct rings *r);

#endif
