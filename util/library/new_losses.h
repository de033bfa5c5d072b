/* SPDX-License-Identifier: GPL-2.0 */
/*
 * new_losses.h - for who pairs samples: were more lost since the last one? What lies across a loss may be two halves of
 * different things.
 *
 *	new_losses_init() -> new_losses_until() of each sample, in order of time -> new_losses_free()
 */
#ifndef LIBRARY_NEW_LOSSES_H
#define LIBRARY_NEW_LOSSES_H

#include "util/file/losses_ahead.h"
#include "util/library/watching.h"

struct new_losses {
	u64 known;                 /* before this sample */
	u64 unseen;                /* likewise: hotplug.unseen */
	struct losses_ahead ahead; /* of a file */
};

/* After watching_open(), or when the recording is. -ENOMEM. */
int new_losses_init(struct new_losses *n, const struct watching *w, struct err *err);
/* The time before which samples may be lost, which may be to come: of a CPU that is offline; 0: no more than before. */
u64 new_losses_until(struct new_losses *n, const struct watching *w, u64 time);
void new_losses_free(struct new_losses *n);

#endif
