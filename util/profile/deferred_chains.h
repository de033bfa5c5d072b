/* SPDX-License-Identifier: GPL-2.0 */
/*
 * deferred_chains.h - a stage that gives samples the user half of their call chain from the record that
 * comes later (record/deferred.h).
 *
 *	sample of A (cookie 1), mmap of A, sample of B, record (cookie 1)
 *	    ->  mmap of A (ahead), sample of A, whole,     mmap of A, sample of B, record
 *
 * It wraps a source whose records are in order, and keeps that: what comes after a sample that waits is
 * held with it. A sample's chain then ends as if it had been walked at once: [PERF_CONTEXT_KERNEL k...]
 * PERF_CONTEXT_USER u... Where the record does not come while the bounds allow to wait, the kernel's half
 * stays, and after it CHAIN_END + CHAIN_NO_RETURN; where the thread has begun another program before,
 * CHAIN_END + CHAIN_NO_STACK.
 *
 * The user half is of the time of the record. What the thread has mapped since the sample, in execve
 * or mmap, may be what its addresses lie in: these mappings come before the sample as well, as records
 * that are `ahead`, and once more at their own time.
 *
 * Recordings without such chains (event_set.defers) need no such stage, nor does who looks at no chains.
 */
#ifndef PROFILE_DEFERRED_CHAINS_H
#define PROFILE_DEFERRED_CHAINS_H

#include "util/file/source.h"

struct deferred_chains_options {
	u64 max_bytes;   /* of records that are held */
	u64 max_wait_ns; /* how long a sample waits; 0: to the end */
};

/* What a file may take; how long a live source may be late. */
#define DEFERRED_CHAINS_BYTES   (64u << 20)
#define DEFERRED_CHAINS_WAIT_NS 100000000ull

/* -ENOMEM: *s is as it was. What became of the chains is counted in recording.deferred. */
int deferred_chains_wrap(struct source **s, const struct deferred_chains_options *o,
			 struct err *err);

/* Append a line for people on the chains that are not whole; nothing if all are. */
void deferred_chains_note(const struct recording *r, struct buf *out);

#endif
