/* SPDX-License-Identifier: GPL-2.0 */
/*
 * shared_batches.h - the memory that the recorder shares with its guardian: what has been read and not
 * been written yet, and how far the file is.
 *
 *	ring --copy--> batch --written--> file
 *
 * The recorder may be killed between any two instructions, and yet no record may be lost or be
 * written twice. So each step is committed by one store:
 *
 *	- a span of a ring counts as read when the batch's nr_spans has been raised over it; only
 *	  then is the ring's space given back
 *	- a batch counts as written when `commit` has moved to the account that was made after it:
 *	  what is in the file after commit->bytes is cut off and written again
 *
 * Whoever takes over reads on where the last span of each ring ends.
 *
 * It looks when the recorder is dead, and finds all stores up to the instruction where that was killed: the processor
 * retires them in the order of the program. The release stores keep the compiler from another order.
 */
#ifndef CAPTURE_SHARED_BATCHES_H
#define CAPTURE_SHARED_BATCHES_H

#include "util/base/err.h"
#include "util/capture/flight_recorder.h"
#include "util/file/loss.h"

#define BATCH_BYTES    (4u << 20)
#define BATCH_SPANS    8192
#define SHARED_BATCHES 4 /* one is filled, the others wait for the disk */
#define COMMIT_LOSSES  1024

/* Bytes of one ring, read at one time. */
struct batch_span {
	u32 ring; /* number of the ring; ID_NONE: records that the recorder made */
	u32 len;
	u64 from, to; /* in the ring */
	size_t at;    /* in the batch */
};

struct batch {
	u64 number;   /* counts from 1; not above the commit's: free */
	u64 order;    /* no later batch holds a record older than this */
	u32 nr_spans; /* raised last */
	size_t len;
	struct batch_span spans[BATCH_SPANS];
	u8 data[BATCH_BYTES];
};

/* One ring, as the guardian must know it to map it too. */
struct shared_batches_ring {
	u32 fd, pages, cpu;
	bool sideband, overwrite;
	u64 taken; /* read so far, at least: a span that is committed may reach further */
};

struct shared_batches_counter {
	s32 fd;   /* -1: closed; of each event one at least, if any of it was */
	u32 spec; /* ID_NONE: a gate, which precedes its dependents */
	u32 cpu;
	u64 id; /* in its samples; 0: not known */
};

/* The file as it was when a batch had been written. */
struct commit {
	u64 batch;                        /* the last one written */
	u64 bytes, seq, samples, skipped; /* of the writer */
	u32 session;                      /* likewise */
	u64 excluded;
	u64 lost;              /* by full rings, as in the file */
	u64 order;             /* of all blocks so far: nothing older may follow */
	u32 nr_losses;         /* that wait for room in the file */
	int file;              /* its descriptor; -1: it was not begun */
	u32 files;             /* complete ones before it */
	struct keep_ends kept; /* of the flight recorder's memory */
};

struct shared_batches {
	u32 done;      /* the recorder ended by itself: nothing to take over */
	u32 ready;     /* the guardian has mapped all rings so far: their generation */
	u32 published; /* the recording runs: its file has its name, or is to have it */
	u32 current;   /* which of the two commits holds */
	struct flight_recorder_shared kept;
	int go; /* what a command waits at that was not started yet, -1: none */
	u64 round_before;
	u32 nr_rings, max_rings, nr_counters, max_counters, nr_events;
	u32 sharing; /* the table of counters is being rewritten: some may be missing, or there twice */
	struct commit commits[2];
	/* what follows lies in the same memory */
	struct shared_batches_ring *rings;
	struct shared_batches_counter *counters;
	struct counts *counts[2]; /* by event */
	struct loss *losses[2];   /* nr_losses of the commit */
	struct batch *batches;
	size_t size; /* of it all */
};

int shared_batches_new(struct shared_batches **out, u32 max_rings, u32 max_counters, u32 nr_events,
		       struct err *err);
void shared_batches_free(struct shared_batches *h);

/* The batch of that number; NULL: there is none. */
struct batch *shared_batches_batch(struct shared_batches *h, u64 number);

/*
 * A place for the next batch, where all up to `written` are in the file; NULL: none is free. It is
 * the one that was used last, so that memory which was never needed is never touched: on a virtual
 * machine the first touch of a page costs more than a dozen samples.
 */
struct batch *shared_batches_place(struct shared_batches *h, u64 written);

static inline const struct commit *shared_batches_commit(const struct shared_batches *h)
{
	return &h->commits[__atomic_load_n(&h->current, __ATOMIC_ACQUIRE)];
}

static inline const struct counts *shared_batches_counts(const struct shared_batches *h)
{
	return h->counts[__atomic_load_n(&h->current, __ATOMIC_ACQUIRE)];
}

static inline const struct loss *shared_batches_losses(const struct shared_batches *h)
{
	return h->losses[__atomic_load_n(&h->current, __ATOMIC_ACQUIRE)];
}

/* That ring was read up to there. After batch_commit(): who takes over reads nothing before it. */
static inline void shared_batches_taken(struct shared_batches *h, u32 ring, u64 pos)
{
	__atomic_store_n(&h->rings[ring].taken, pos, __ATOMIC_RELEASE);
}

/*
 * Make *c, the counts of all events and the losses that wait the account that holds; of more than
 * COMMIT_LOSSES the first.
 */
void shared_batches_set_commit(struct shared_batches *h, const struct commit *c,
			       const struct counts *counts, const struct loss *losses);

/* Make it batch `number`, empty. */
void batch_begin(struct batch *b, u64 number);
/* Room for records; 0 when the batch must be written first. */
size_t batch_room(const struct batch *b);
static inline u8 *batch_end(struct batch *b)
{
	return b->data + b->len;
}
/* The bytes that were copied to batch_end() are records of that span. */
void batch_commit(struct batch *b, u32 ring, u64 from, u64 to, u32 len);
/* Of whole records those that fit, as a span that no position in the ring is known of: their bytes. */
size_t batch_add(struct batch *b, u32 ring, const void *records, size_t len);

#endif
