/* SPDX-License-Identifier: GPL-2.0 */
/*
 * block_writer_thread.h - the thread that writes: the reader of the rings fills batches and hands them
 * over; neither a slow disk nor the reading of symbols keeps it from the rings.
 *
 *	block_writer_thread_start()                 made first, for its thread id; it sleeps
 *	block_writer_thread_next()                  an empty batch, waits while all are in use
 *	block_writer_thread_look()                  it has records that are to be looked at
 *	block_writer_thread_hand()                  it is full
 *	block_writer_thread_lock() ... _unlock()    do something to the block writer between two batches
 *	block_writer_thread_stop()                  write what was handed, end
 */
#ifndef CAPTURE_SCRIBE_THREAD_H
#define CAPTURE_SCRIBE_THREAD_H

#include <pthread.h>

#include "util/capture/block_writer.h"

struct block_writer_thread {
	pthread_t thread;
	pthread_mutex_t queue; /* guards the next six */
	pthread_cond_t wake;
	u64 handed, written; /* numbers of batches */
	u32 look;            /* at so many spans of the one behind those that were handed */
	u32 tid;
	bool running, stop;
	struct err error;     /* why nothing more can be written; code 0: all is well */
	pthread_mutex_t work; /* held while the block writer is used */
	struct block_writer *block_writer;
	struct shared_batches *shared_batches;
};

int block_writer_thread_start(struct block_writer_thread *t, struct err *err);
/* Before the first batch. */
void block_writer_thread_serve(struct block_writer_thread *t, struct block_writer *s,
			       struct shared_batches *h);

/* The batch behind those that were handed; emptied. */
struct batch *block_writer_thread_next(struct block_writer_thread *t);
/* What it holds so far is taken in; more may be added to it meanwhile. */
void block_writer_thread_look(struct block_writer_thread *t);
void block_writer_thread_hand(struct block_writer_thread *t);
/* Has writing failed for good? */
bool block_writer_thread_failed(struct block_writer_thread *t, struct err *err);

void block_writer_thread_lock(struct block_writer_thread *t);
void block_writer_thread_unlock(struct block_writer_thread *t);

void block_writer_thread_stop(struct block_writer_thread *t);

#endif
