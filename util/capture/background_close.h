/* SPDX-License-Identifier: GPL-2.0 */
/*
 * background_close.h - tracepoints are closed when nobody waits for it.
 *
 * Closing the last descriptor of a tracepoint waits for a grace period of RCU under one lock of the
 * kernel: hundreds of them take half a minute.
 */
#ifndef CAPTURE_BACKGROUND_CLOSE_H
#define CAPTURE_BACKGROUND_CLOSE_H

#include "util/base/types.h"

/* As many are closed before anybody notices. */
#define QUICK_TRACEPOINTS 4

/*
 * Before the descriptors of so many tracepoints, disabled by now, are closed: a process is made that
 * has them, too, and no other descriptor, and ends after this one. None is made for a few.
 */
void background_close(u32 nr_tracepoints);

/*
 * In a process that has nothing left to do but to close events: close what is none, but for `kept` (-1: no exception), and what
 * was inherited as well. A pipe's reader waits for its end, who waits for a lock for its release: not as long as this.
 */
void background_close_others(int kept);

#endif
