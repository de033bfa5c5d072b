/* SPDX-License-Identifier: GPL-2.0 */
/*
 * unwinding.h - the threads that unwind what the rings of samples hold, while the thread that reads
 * the rings goes on.
 *
 *	reader                                     worker
 *	look at the heads of the sample rings
 *	drain the side-band rings, pass a copy --> sleeps
 *	unwinding_go(): read up to there       --> unwinds in the rings (ring_unwinder.h)
 *	...                                    <-- eventfd: records, for so many bytes of each ring
 *	take the records, give the space back
 *
 * Each ring belongs to one worker for good, and each worker has a process model and an unwinder of
 * its own: nothing is shared but who has the turn. A worker that waits for a slow disk keeps its
 * rings waiting, and nobody else's.
 *
 * In all calls the caller is the one thread that reads the rings.
 */
#ifndef CAPTURE_UNWINDING_H
#define CAPTURE_UNWINDING_H

#include <pthread.h>

#include "util/capture/ring_unwinder.h"

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

/* Wait until a worker has records, at most so long. */
void unwinding_wait(struct unwinding *u, u32 ms);

/* The eventfd has woken the reader: it is silent until more comes. */
void unwinding_heard(struct unwinding *u);

/* End the threads. One that does not come back within a moment is left behind. */
void unwinding_free(struct unwinding *u);

#endif
