/* SPDX-License-Identifier: GPL-2.0 */
/*
 * targets.h - which threads are recorded.
 */
#ifndef CAPTURE_TARGETS_H
#define CAPTURE_TARGETS_H

#include "util/base/buf.h"
#include "util/base/err.h"
#include "util/base/vec.h"

struct targets_wanted {
	bool system_wide;
	u32 command;            /* pid of the command, 0: none */
	const u32 *pids, *tids; /* processes with all their threads; single threads */
	u32 nr_pids, nr_tids;
	const char *comm; /* processes of this name; NULL: none */
};

struct targets {
	s32 *v; /* thread ids; -1 alone: every task */
	u32 nr, cap;
};

/*
 * Find them in /proc. -ESRCH if one that was named is not there, with its number, or if no process
 * has that name.
 */
int targets_find(int proc, const struct targets_wanted *w, struct targets *t, struct err *err);

#endif
