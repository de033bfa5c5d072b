/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stat_open.h - perf_event_open(2) for one counter, and what its refusals mean.
 *
 * The kernel refuses for reasons of four sorts, distinguished here:
 *
 *	given up      something that changes the meaning little: a newer attr bit, precision, the
 *	              kernel's half where kernel.perf_event_paranoid forbids it (then the event is
 *	              named with ":u", as in perf). The attr says what is really open
 *	not here      ENOENT, ENODEV, ENXIO, EOPNOTSUPP, EINVAL: there is no such counter. The others
 *	              are counted all the same
 *	gone          ESRCH: the thread has ended
 *	forbidden     EACCES, EPERM, EMFILE, EBUSY, ENOSPC, ENOSYS and what nobody knows: nothing is
 *	              counted at all, err says what to do
 *
 * Sources: perf_event_open(2); ev_denied.h.
 */
#ifndef STAT_STAT_OPEN_H
#define STAT_STAT_OPEN_H

#include "util/event/ev_spec.h"
#include "util/kernel/limits.h"
#include "util/stat/stat_reading.h"

enum stat_open_result {
	STAT_OPEN_NOT_HERE = -1,
	STAT_OPEN_GONE = -2,
	STAT_OPEN_FORBIDDEN = -3,
};

struct stat_opener {
	const struct sysroot *root;
	struct arena *arena; /* for names that change */
	struct buf *notes;   /* gets a line for each kind of thing given up */
	struct limits limits;
	bool limits_known;
	bool told_user_only; /* a note says so */
};

/*
 * Open event `e` of `spec` for a thread (-1: all; with a cgroup: its descriptor) on a CPU (ID_NONE:
 * any), as a member of the group of the descriptor `group` (-1: none). `settled`: it is open
 * elsewhere, and its attr stays as it is. Returns a descriptor or an enum stat_open_result;
 * with NOT_HERE, e->code and e->reason say why, with FORBIDDEN err.
 */
int stat_open(struct stat_opener *o, struct stat_event *e, const struct ev_spec *spec,
	      const struct stat_place *where, int cgroup, int group, bool settled, struct err *err);

#endif
