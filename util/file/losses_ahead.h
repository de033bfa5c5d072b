/* SPDX-License-Identifier: GPL-2.0 */
/*
 * losses_ahead.h - what a native file does not hold, known before its first record.
 *
 *	losses_ahead_read(&l, path) -> losses_ahead_begun(&l, time) for times that rise -> losses_ahead_free()
 *
 * A LOSS block follows the records that it is about. Who pairs records must know a loss when it begins: what happens on a
 * CPU between its return and the moment when its events are opened is in no file.
 */
#ifndef FILE_LOSSES_AHEAD_H
#define FILE_LOSSES_AHEAD_H

#include "util/base/vec.h"
#include "util/file/loss.h"

struct losses_ahead {
	VEC(struct loss) losses; /* by their begin */
	u32 next;
};

/*
 * The times when CPUs went offline and came back. Only headers and LOSS blocks are read. Of a pipe and a file of another kind
 * nothing is known. 0 or -ENOMEM.
 */
int losses_ahead_read(struct losses_ahead *l, const char *path);
/* All losses, as they are in the file. *known: it is a native file. */
int losses_ahead_read_all(struct losses_ahead *l, const char *path, bool *known);
/* When the last of those ends that began before `time` and after the time before; 0: none did. */
u64 losses_ahead_begun(struct losses_ahead *l, u64 time);
void losses_ahead_free(struct losses_ahead *l);

#endif
