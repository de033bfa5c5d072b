/* SPDX-License-Identifier: GPL-2.0 */
/*
 * session_internal.h - what the pages of session.h share.
 *
 * session_kernel.c: what a recording lacks because its recorder was killed, from the kernel that
 * runs, if it is the one that was recorded.
 *
 * perf writes names and formats of events and the facts of the machine when it ends. That it was
 * this kernel is taken for granted where nothing says otherwise: the file is younger than the
 * boot, and the kernel was loaded at the address where it is now.
 */
#ifndef PROFILE_SESSION_INTERNAL_H
#define PROFILE_SESSION_INTERNAL_H

#include "util/base/hash.h"
#include "util/base/vec.h"
#include "util/file/recording.h"

/*
 * Add names and formats of the tracepoints that have none, and the fact boot_id. `path`: the
 * file, "-" standard input. Notes get a line if
 * something was added. True if it is the running kernel.
 */
bool session_kernel_fill(struct recording *r, const char *path, struct buf *notes);

/*
 * session_parallelism.c: how many of the recorded threads run at a moment, from context switches (PERF_RECORD_SWITCH).
 *
 *	parallelism_record(), parallelism_sample() of all that comes, in order of time -> p.running
 *
 * It is kept by CPU, where one thread runs or none: the next event of a CPU puts right what a lost one left wrong. Where CPUs
 * were not recorded, as perf does of a command, it is kept by thread. One that makes a sample runs, whether or not its switch
 * was seen; one that ends leaves its CPU without a switch. The idle thread, number 0, is none.
 *
 * Source: perf_event_open(2), PERF_RECORD_SWITCH and PERF_RECORD_SWITCH_CPU_WIDE.
 */
struct parallelism {
	VEC(u8) cpus;        /* what each does */
	struct hmap threads; /* likewise, by tid, of records without a CPU */
	u32 seen;            /* CPUs of which that is known */
	u32 running;         /* ... and where a thread runs, and threads that do */
	u32 shares;          /* that parallelism_share() has given out */
};

/* Are there the records that it is made of? */
bool parallelism_is_recorded(const struct event_set *events);
/* False: out of memory. `ids`: of the record; its CPU may be ID_NONE. */
bool parallelism_record(struct parallelism *p, const struct rec *rec, const struct rec_ids *ids);
bool parallelism_sample(struct parallelism *p, const struct rec_ids *ids);
/*
 * The part of a sample's period that is wall-clock time: the period, divided by the threads that run; of the idle thread, by
 * the CPUs while no thread runs, else nothing. Fractions are rounded up as often as they say, by turns.
 */
u64 parallelism_share(struct parallelism *p, const struct rec_ids *ids, u64 period);
void parallelism_free(struct parallelism *p);

#endif
