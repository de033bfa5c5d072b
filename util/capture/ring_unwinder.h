/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ring_unwinder.h - the samples of some rings, unwound where they lie.
 *
 *	side-band records --+
 *	rings --------------+-> by time -> process model -> unwinder -> shorter records, per ring
 *
 *	{ ring_unwinder_sideband(), ring_unwinder_give() ... ring_unwinder_run(), take the records } ...
 *
 * One that has its chain of frame pointers, and the register of a leaf's caller beside it, comes out
 * with that caller in the chain (unwind_leaf_caller()).
 *
 * A sample is unwound with the tasks and mappings as they were at its time, so records of several
 * rings are taken in order of time, and side-band records beside them. Only the records that come
 * out are copied; those that need no unwinding come out as they are.
 *
 * One owner, no locks: threads have one each (struct unwinding).
 */
#ifndef CAPTURE_RING_UNWINDER_H
#define CAPTURE_RING_UNWINDER_H

#include <pthread.h>

#include "util/base/buf.h"
#include "util/capture/pinned_files.h"
#include "util/process/quality.h"
#include "util/record/event_set.h"
#include "util/ring/ring.h"
#include "util/unwind/unwind.h"

struct ring_unwinder_options {
	const struct arch *arch;   /* this machine's */
	int proc;                  /* descriptor of /proc */
	struct pinned_files *held; /* files that need not be there any more, NULL: none */
	u32 self;                  /* a process whose samples are not unwound, 0: none */
	bool keep_stacks;          /* in the samples that come out */
};

/* What is to be read of one ring, and what came of it. */
struct ring_stretch {
	u32 ring; /* the owner's number for it */
	const u8 *data;
	u64 size;        /* of the ring, a power of two */
	u64 from, to;    /* to be read */
	u64 pos;         /* read so far */
	u64 bad;         /* pieces that were no records */
	struct buf out;  /* the records made of from..pos */
	u8 *copy;        /* of a record that lies across the end of the ring */
	struct rec next; /* the record at pos, valid if `peeked` */
	u64 next_time;
	bool peeked;
};

struct ring_unwinder_sideband {
	u64 time;
	size_t at, size; /* in `bytes` */
};

struct ring_unwinder {
	struct ring_unwinder_options options;
	struct event_set events; /* as the kernel records them: filled in by the owner */
	struct process_model model;
	struct unwinder *unwinder;
	VEC(struct ring_stretch) rings;
	struct buf sideband; /* records that are not applied yet */
	VEC(struct ring_unwinder_sideband) queue;
	u32 queued;     /* of the queue: in order, the next first */
	u32 applied;    /* of these */
	u32 compact_at; /* parts of the model that call for making it anew */
	struct quality quality;
	u64 *chain, *joined;
	u64 tidied;  /* when files that nobody maps were closed last: CLOCK_MONOTONIC */
	bool untidy; /* side-band was applied since */
	bool failed; /* sticky: memory ran out */
};

int ring_unwinder_init(struct ring_unwinder *r, const struct ring_unwinder_options *o,
		       struct err *err);
void ring_unwinder_free(struct ring_unwinder *r);

/* Records of side-band rings, or made by synth.h, in any order. */
void ring_unwinder_sideband(struct ring_unwinder *r, const void *records, size_t len);

/*
 * The bytes of that ring from..to may be read; `from` is where it was read to. Their memory must
 * not change until they were.
 */
void ring_unwinder_give(struct ring_unwinder *r, u32 number, const struct ring *ring, u64 from,
			u64 to);

/*
 * Read them. False: much came out that should be taken, there is more to read. Records come out in
 * rings.v[i].out, for the bytes from..pos of that ring. No record that comes later is older than
 * `settled`: side-band records up to there are applied at the end.
 */
bool ring_unwinder_run(struct ring_unwinder *r, u64 settled);

/*
 * It may have files open that nobody maps any more: run it, though there is nothing to read. `sideband`: there is some that it has not
 * got yet.
 */
bool ring_unwinder_is_untidy(const struct ring_unwinder *r, bool sideband, u64 now);

/* Count what another one has counted as well. */
void ring_unwinder_add_quality(struct ring_unwinder *r, const struct ring_unwinder *other);

/* What came out of a stretch was taken. */
void ring_unwinder_taken(struct ring_stretch *s);

/*
 * The threads that unwind what the rings of samples hold, while the thread that reads
 * the rings goes on.
 *
 *	reader                                     worker
 *	look at the heads of the sample rings
 *	drain the side-band rings, pass a copy --> sleeps
 *	unwinding_go(): read up to there       --> ring_unwinder_run()
 *	...                                    <-- eventfd: records, for so many bytes of each ring
 *	take the records, give the space back
 *
 * Each ring belongs to one worker for good, and each worker has a process model and an unwinder of
 * its own: nothing is shared but who has the turn. A worker that waits for a slow disk keeps its
 * rings waiting, and nobody else's.
 *
 * In all calls the caller is the one thread that reads the rings.
 */
/* CPUs whose samples one worker unwinds. */
#define UNWINDING_CPUS 8
#define UNWINDING_MAX  16

enum unwinding_turn {
	UNWINDING_IDLE, /* the reader's: nothing is given, or all of it was taken */
	UNWINDING_BUSY, /* the worker's */
	UNWINDING_DONE, /* the reader's: records are to be taken */
	UNWINDING_STOP,
};

struct unwinding_id {
	u64 id;
	u32 event;
};

struct unwinding_worker {
	struct unwinding *of;
	pthread_t thread;
	u32 tid;
	enum unwinding_turn turn; /* guarded by of->lock */
	/* These are of whoever has the turn: */
	struct ring_unwinder unwinder;
	bool ready;    /* it has been made */
	bool leftover; /* the rings were not read up to what was given */
	u64 settled;
	/* The reader's alone: */
	struct buf sideband;          /* for the next turn */
	VEC(struct unwinding_id) ids; /* likewise */
	u64 round;                    /* when the heads were looked at that are being read up to */
	u64 clean; /* of the last such that was reached: its records are all taken */
};

struct unwinding {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	int done; /* eventfd: a worker has records */
	struct unwinding_worker *v;
	u32 nr;
};

/* Start so many threads, for their ids; they sleep. `u` is zero-initialised. */
int unwinding_start(struct unwinding *u, u32 nr, struct err *err);
/* Workers for a machine of so many CPUs. */
u32 unwinding_workers(u32 cpus);

/* The one whose rings those of the CPU are. */
static inline struct unwinding_worker *unwinding_of(struct unwinding *u, u32 cpu)
{
	return &u->v[cpu % u->nr];
}

/* Who has the turn? BUSY: nothing of the worker may be touched. */
enum unwinding_turn unwinding_turn(struct unwinding_worker *w);

/* Records of a side-band ring, or made by synth.h, for all workers. */
void unwinding_sideband(struct unwinding *u, const void *records, size_t len);
/* An id of an event whose counter was opened later. */
void unwinding_event_id(struct unwinding *u, u64 id, u32 event);

/* Give an idle worker the turn: its rings were given (ring_unwinder_give()). */
void unwinding_go(struct unwinding_worker *w, u64 round, u64 settled);
/* The records of a worker that is DONE were taken: it is IDLE, or goes on with what is left. */
void unwinding_taken(struct unwinding_worker *w);

/* No record that comes later was stamped before this, but for the time that stamping takes. */
u64 unwinding_clean(const struct unwinding *u);

/* Is memory out? */
bool unwinding_failed(struct unwinding *u);

/*
 * At the end: the first worker that may be touched, with what all of these have counted, by its ids of DSOs. NULL: all hang. Once.
 */
struct ring_unwinder *unwinding_quality(struct unwinding *u);

/* Wait until a worker has records, at most so long. */
void unwinding_wait(struct unwinding *u, u32 ms);

/* The eventfd has woken the reader: it is silent until more comes. */
void unwinding_heard(struct unwinding *u);

/*
 * End the threads. False: one that does not come back within a moment is left behind; if it does later, it uses rings, events
 * and pinned files, which must stay.
 */
bool unwinding_free(struct unwinding *u);

#endif
