/* SPDX-License-Identifier: GPL-2.0 */
/*
 * scribe_thread.h - the thread that writes: the reader of the rings fills batches and hands them
 * over; neither a slow disk nor the reading of symbols keeps it from the rings.
 *
 *	scribe_thread_start()                 made first, for its thread id; it sleeps
 *	scribe_thread_next()                  an empty batch, waits while all are in use
 *	scribe_thread_look()                  it has records that are to be looked at
 *	scribe_thread_hand()                  it is full
 *	scribe_thread_lock() ... _unlock()    do something to the scribe between two batches
 *	scribe_thread_stop()                  write what was handed, end
 */
#ifndef CAPTURE_SCRIBE_THREAD_H
#define CAPTURE_SCRIBE_THREAD_H

#include <pthread.h>

#include "util/capture/scribe.h"

struct scribe_thread {
	pthread_t thread;
	pthread_mutex_t queue; /* guards the next six */
	pthread_cond_t wake;
	u64 handed, written; /* numbers of batches */
	u32 look;            /* at so many spans of the one behind those that were handed */
	u32 tid;
	bool running, stop;
	struct err error;     /* why nothing more can be written; code 0: all is well */
	pthread_mutex_t work; /* held while the scribe is used */
	struct scribe *scribe;
	struct handover *handover;
};

int scribe_thread_start(struct scribe_thread *t, struct err *err);
/* Before the first batch. */
void scribe_thread_serve(struct scribe_thread *t, struct scribe *s, struct handover *h);

/* The batch behind those that were handed; emptied. */
struct batch *scribe_thread_next(struct scribe_thread *t);
/* What it holds so far is taken in; more may be added to it meanwhile. */
void scribe_thread_look(struct scribe_thread *t);
void scribe_thread_hand(struct scribe_thread *t);
/* Has writing failed for good? */
bool scribe_thread_failed(struct scribe_thread *t, struct err *err);

void scribe_thread_lock(struct scribe_thread *t);
void scribe_thread_unlock(struct scribe_thread *t);

void scribe_thread_stop(struct scribe_thread *t);

#endif
