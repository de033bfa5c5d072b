/* SPDX-License-Identifier: GPL-2.0 */
/*
 * deferred_chains.h - samples get the user half of their call chain from the record that comes
 * behind them (record/deferred.h).
 *
 *	reorder: sample of A (cookie 1), mmap, sample of B, record (cookie 1)
 *	    ->  sample of A, whole,     mmap, sample of B, record
 *
 * Stands where a reorder stands, between it and whoever reads, and keeps its order: what comes
 * behind a sample that waits is held with it. A sample's chain then ends as if it had been walked
 * at once: [PERF_CONTEXT_KERNEL k...] PERF_CONTEXT_USER u... Where the record does not come while
 * the bounds allow to wait, the kernel's half stays, and behind it CHAIN_END + CHAIN_NO_RETURN;
 * where the thread has begun another program before, CHAIN_END + CHAIN_NO_STACK.
 *
 * The user half is of the time of the record. What the thread has mapped since the sample, in execve
 * or mmap, may be what its addresses lie in: deferred_chains_mapped() tells of it.
 *
 * Of recordings without such chains nothing is held and nothing is copied.
 */
#ifndef PROFILE_DEFERRED_CHAINS_H
#define PROFILE_DEFERRED_CHAINS_H

#include "util/base/buf.h"
#include "util/file/reorder.h"

struct deferred_chains_options {
	u64 max_bytes;   /* of records that are held */
	u64 max_wait_ns; /* of a live source: how long a sample waits; 0: to the end */
	bool off;        /* nobody looks at call chains: records as they come */
};

/* What a file may take, and how long a live source may be late. */
#define DEFERRED_CHAINS_BYTES   (64u << 20)
#define DEFERRED_CHAINS_WAIT_NS 100000000ull

struct deferred_held {
	u64 cookie; /* of a sample that waits, or of the record that it waits for; 0: neither */
	u64 time;
	u64 at; /* byte of `data` */
	u32 event, cpu, tid;
	u32 exec; /* of a record: number of the last exec of its thread, held here; ID_NONE: none */
	u32 mapping; /* of a record or a mapping: likewise of the last mapping before it */
};

struct deferred_chains {
	struct deferred_chains_options options;
	struct reorder *reorder;
	struct buf data; /* the records that are held, one behind the other */
	VEC(struct deferred_held) held;
	u32 first;           /* held.v[first] is the next; those before it are gone */
	u32 base;            /* number of held.v[0]: they are counted through, and may wrap */
	struct hmap records; /* cookie -> number of the record held that has it */
	struct hmap execs;   /* tid -> number of the last exec held */
	struct hmap maps;    /* tid -> number of the last mapping held */
	struct buf whole;    /* the sample given out last, if it was changed */
	VEC(u32) mapped;     /* numbers of what its thread has mapped since, the last one first */
	bool at_end;
	/* samples by what became of their chain */
	u64 joined;
	u64 missing;  /* the record never came */
	u64 late;     /* it did not come within the bounds */
	u64 replaced; /* the thread began another program first */
};

void deferred_chains_init(struct deferred_chains *d, struct reorder *reorder,
			  const struct deferred_chains_options *o);
/* As reorder_next(). */
int deferred_chains_next(struct deferred_chains *d, struct rec *rec, u32 *event, struct err *err);
/*
 * The next of the mappings that the thread of the sample given last made before it told its stack,
 * in order; they come once more at their own time. False: there are no more.
 */
bool deferred_chains_mapped(struct deferred_chains *d, struct rec *rec);
void deferred_chains_free(struct deferred_chains *d);

/* Append a line for people on the chains that are not whole; nothing if all are. */
void deferred_chains_note(const struct deferred_chains *d, struct buf *out);

#endif
