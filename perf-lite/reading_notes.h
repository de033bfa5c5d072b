/* SPDX-License-Identifier: GPL-2.0 */
/*
 * reading_notes.h - what commands print on standard error about the recording that they read (util/library/reading.h).
 *
 *	reading_open() -> reading_next() ... -> reading_verdict() -> reading_end()
 *
 * What is not of samples is in input.h.
 */
#ifndef PERF_LITE_READING_NOTES_H
#define PERF_LITE_READING_NOTES_H

#include "perf-lite/cmd.h"
#include "util/library/reading.h"

/* As reading_begin(); what of the events cannot be printed is noted on standard error. */
int reading_open(struct reading *r, struct err *err);
/* The same notes, after reading_begin(). */
void reading_put_notes(const struct reading *r);

/*
 * Append one line without newline on how complete the stacks of the samples so far are and what helps, if they are
 * poor: quality_is_poor(). Only if they are judged.
 */
void reading_stacks_note(const struct reading *r, struct buf *out);

/*
 * After the last sample: what is missing, in lines on standard error. CMD_OK, or CMD_PARTIAL for a
 * damaged recording. `more`: further lines, NULL: none.
 */
int reading_verdict(struct reading *r, const struct buf *more, struct err *err);

/* What came up since, where names of functions or lines are looked up later still. */
void reading_put_late_notes(const struct reading *r);

/* After the last sample: has the recording none, whatever was asked for? */
bool reading_is_empty(const struct reading *r);

/* Was something of a recording asked for, and none of its samples is that? reading_verdict() says so. */
bool reading_none_match(const struct reading *r);

#endif
