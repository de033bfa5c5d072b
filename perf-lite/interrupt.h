/* SPDX-License-Identifier: GPL-2.0 */
/*
 * interrupt.h - ^C at a pipeline: perf-lite record -o - | perf-lite script -i -
 *
 * The terminal interrupts all of it. Who writes to us ends its recording then, and that end is still to be read:
 * the first interrupt is left to it, and we end when our input does. The second one ends us as ever.
 */
#ifndef PERF_LITE_INTERRUPT_H
#define PERF_LITE_INTERRUPT_H

#include <stdbool.h>

/* From now on, if what is read is a pipe; "-" is standard input. */
void interrupt_spare_first(const char *path);

/* Asked by a handler of deadly signals: is it that one, which does not end us? */
bool interrupt_is_spared(int sig);

#endif
