/* SPDX-License-Identifier: GPL-2.0 */
/* recorder_internal.h - the reader of the recorder's rings (struct recorder_reader). */
#ifndef CAPTURE_RECORDER_INTERNAL_H
#define CAPTURE_RECORDER_INTERNAL_H

#include "util/capture/recorder.h"

/* `r` is zero-initialised except for the fields before `batch`. */
void recorder_reader_begin(struct recorder_reader *r);

/* Read every ring once. A sample ring that was nearly full is replaced (rings_grow()). */
void recorder_reader_drain(struct recorder_reader *r);

/*
 * Read all that the rings hold now: also what is being unwound. False: a thread that unwinds did not
 * get on for half a minute, and what its rings hold was left there.
 */
bool recorder_reader_drain_all(struct recorder_reader *r);

/* Put whole records into batches, as spans of that ring that no position in it is known of. */
void recorder_reader_add(struct recorder_reader *r, u32 ring, const void *records, size_t len);
/* Likewise what overwriting rings hold. Their output is paused meanwhile. */
void recorder_reader_take_overwritten(struct recorder_reader *r);

/* Hand the batch over, if there is something in it or `anyway`. */
void recorder_reader_flush(struct recorder_reader *r, bool anyway);

/* Nothing that the kernel wrote of samples is left in a ring, and nothing there was no record. */
bool recorder_reader_is_at_end(const struct recorder_reader *r);

/* Tell the loss account of a span in which something was not recorded. */
void recorder_reader_lose(struct recorder_reader *r, struct loss loss);

#endif
