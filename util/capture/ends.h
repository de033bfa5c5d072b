/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ends.h - when threads, and all that they have started, have ended.
 *
 * A counter that is inherited hangs up when its thread and all threads that have inherited it have ended; to poll one without a
 * ring always finds that it has hung up. So these share a ring, which stays empty.
 *
 * Source: kernel/events/core.c, perf_poll().
 */
#ifndef CAPTURE_ENDS_H
#define CAPTURE_ENDS_H

#include "util/capture/targets.h"
#include "util/ring/ring.h"

struct ends {
	VEC(int) counters; /* to poll; first the ring's own, which never hangs up */
	struct ring ring;
};

/* Of whoever is wanted by name or number, on a CPU that is online. What was opened stays until ends_close(), also on failure. */
int ends_open(struct ends *e, int proc, const struct targets_wanted *w, u32 cpu, struct buf *notes,
	      struct err *err);
void ends_close(struct ends *e);

#endif
