/* SPDX-License-Identifier: GPL-2.0 */
/*
 * reader.h - from the rings into batches: whole spans are copied, a ring's space is given back, and
 * a batch is handed to the thread that writes when it is full or old enough. Samples that are to be
 * unwound come from other threads instead, for spans of their rings (struct unwinding).
 *
 * A round reads every ring once. Its time is what blocks promise (`order`): what was stamped
 * before a round of some time ago has been read.
 */
#ifndef CAPTURE_READER_H
#define CAPTURE_READER_H

#include "util/capture/block_writer.h"
#include "util/capture/pinned_files.h"
#include "util/capture/ring_unwinder.h"
#include "util/capture/rings.h"

struct reader {
	struct rings *rings;
	struct shared_batches *shared_batches;
	struct block_writer_thread *thread;
	struct pinned_files *held;   /* files of what is mapped */
	struct unwinding *unwinding; /* what reads the sample rings, NULL: they are copied */
	int clockid;                 /* of the records' times */
	bool piped;                  /* the output is read while it is written */
	bool may_wait; /* a guardian holds what is not written: it may wait for more */
	struct batch *batch;
	struct rings_round round; /* on the recording's clock */
	u64 first_round;
	/* when the rings were read, a batch handed over, the whole of it or in part: CLOCK_MONOTONIC */
	u64 looked, flushed, handed;
};

/* `r` is zero-initialised but for what stands before `batch`. */
void reader_begin(struct reader *r);

/* Read every ring once. A sample ring that was nearly full is replaced (rings_grow()). */
void reader_drain(struct reader *r);

/*
 * Read all that the rings hold now: also what is being unwound. False: a thread that unwinds did not
 * get on for half a minute, and what its rings hold was left there.
 */
bool reader_drain_all(struct reader *r);

/* Put whole records into batches, as spans of that ring that no position in it is known of. */
void reader_add(struct reader *r, u32 ring, const void *records, size_t len);
/* Likewise what overwriting rings hold. Their output is paused meanwhile. */
void reader_take_overwritten(struct reader *r);

/* Hand the batch over, if there is something in it or `anyway`. */
void reader_flush(struct reader *r, bool anyway);

/* Nothing that the kernel wrote of samples is left in a ring, and nothing there was no record. */
bool reader_is_at_end(const struct reader *r);

/* Tell the loss account of a span in which something was not recorded. */
void reader_lose(struct reader *r, enum loss_cause cause, u32 cpu, u64 from, u64 to);

#endif
