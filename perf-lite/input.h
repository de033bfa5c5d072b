/* SPDX-License-Identifier: GPL-2.0 */
/*
 * input.h - what commands share that read a recording, samples or not: what it does not hold, what of it could not be
 * read, and ^C while it comes through a pipe.
 */
#ifndef PERF_LITE_INPUT_H
#define PERF_LITE_INPUT_H

#include "util/base/buf.h"
#include "util/base/err.h"
#include "util/file/recording.h"

/* input_losses.c: what a recording does not hold, in lines for people. */

/*
 * Append a line for each cause: how many, on which CPUs, for how long. `reported` is what
 * PERF_RECORD_LOST counts, as for recording_lost(). Each line begins with `indent`.
 */
void input_loss_lines(const struct recording *r, u64 reported, const char *indent, struct buf *out);

/* input_damage.c: what of a recording could not be read, likewise. */

/*
 * Append a line for each kind of damage to a source that was read to its end; `misfits` are the
 * records of it that do not fit their event. True if something is missing; the line for what
 * matters most is the error then instead.
 */
bool input_damage_lines(const struct recording *r, u64 misfits, struct buf *lines, struct err *err);
/* Likewise on standard error, unless `quiet`: the exit code, CMD_OK or CMD_PARTIAL. */
int input_damage_report(const struct recording *r, u64 misfits, bool quiet, struct err *err);

/*
 * input_interrupt.c: ^C at a pipeline: perf-lite record -o - | perf-lite script -i -
 *
 * The terminal interrupts all of it. Who writes to us ends its recording then, and that end is still to be read:
 * the first interrupt is left to it, and we end when our input does. The second one ends us as ever.
 */

/* From now on, if what is read is a pipe; "-" is standard input. */
void input_spare_interrupt(const char *path);
/* Asked by a handler of deadly signals: is it that one, which does not end us? */
bool input_interrupt_is_spared(int sig);

#endif
