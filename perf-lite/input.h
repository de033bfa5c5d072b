/* SPDX-License-Identifier: GPL-2.0 */
/*
 * input.h - what commands share that read a recording, samples or not: damage, and ^C while it comes through a pipe.
 */
#ifndef PERF_LITE_INPUT_H
#define PERF_LITE_INPUT_H

#include "util/base/buf.h"
#include "util/base/err.h"
#include "util/file/recording.h"

/* input_damage.c: reading_damage_lines() on standard error, unless `quiet`: the exit code, CMD_OK or CMD_PARTIAL. */
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
