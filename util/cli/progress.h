/* SPDX-License-Identifier: GPL-2.0 */
/*
 * progress.h - one line on the terminal for work that takes longer than half a second.
 *
 * It is drawn on `fd` (standard error) only if that is a terminal, at most ten times a second, and
 * erased at the end, so it leaves nothing behind. progress_update() costs one clock read: call it
 * per block, not per record.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "util/base/types.h"

struct progress {
	const char *what; /* "Reading perf.data"; the caller's. A foreign name: escape it first */
	int fd;
	bool on;    /* fd is a terminal */
	bool shown; /* a line is on it now */
	u64 next_ns;
};

void progress_start(struct progress *p, const char *what, int fd);
/* `done` of `total`; total 0: unknown, and `done` is a count of bytes. */
void progress_update(struct progress *p, u64 done, u64 total);
/* Erase the line. May be called at any time; the next update draws again. */
void progress_end(struct progress *p);

#endif
