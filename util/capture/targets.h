/* SPDX-License-Identifier: GPL-2.0 */
/*
 * targets.h - which threads are recorded.
 */
#ifndef CAPTURE_TARGETS_H
#define CAPTURE_TARGETS_H

#include "util/base/buf.h"
#include "util/base/err.h"
#include "util/base/hash.h"
#include "util/base/vec.h"

struct targets_wanted {
	bool system_wide;
	u32 command;            /* pid of the command, 0: none */
	const u32 *pids, *tids; /* processes with all their threads; single threads */
	u32 nr_pids, nr_tids;
	const char *comm; /* processes of this name; NULL: none */
	bool by_user;     /* processes whose effective user is `user` */
	u32 user;
};

/* By pid, tid, comm or user: a command is then run beside them, and not recorded. */
static inline bool targets_named(const struct targets_wanted *w)
{
	return w->nr_pids || w->nr_tids || w->comm || w->by_user;
}

struct targets {
	s32 *v; /* thread ids; -1 alone: every task */
	u32 nr, cap;
	struct hmap known;  /* those in v */
	VEC(u32) processes; /* those that are recorded with all their threads */
};

/*
 * Find them in /proc. Of those that were named, the living are taken and a line for each of the
 * dead goes to `notes`. -ESRCH if none lives, or if no process has that name or user.
 */
int targets_find(int proc, const struct targets_wanted *w, struct targets *t, struct buf *notes,
		 struct err *err);

/* Does a process of this name run now? */
bool targets_any_named(int proc, const char *comm);

/*
 * List the processes' threads again and append those that are new: t->v[from..nr), where `from`
 * is what t->nr was. Threads whose maker is recorded already are recorded too, but one that began
 * between listing and opening is missed without this. Call it until nothing new comes.
 */
int targets_new(int proc, struct targets *t, struct err *err);

/*
 * What the targets have become by now, for events that are opened late: all threads of the
 * processes among them, and all processes that these have started.
 */
int targets_family(int proc, struct targets *t, struct err *err);

void targets_free(struct targets *t);

/* The numbers of processes and threads behind -p and -t: "123,456". */
struct targets_ids {
	u32 *v;
	u32 nr, cap;
};

/* `what` they are, for the message; `hint` how else to name them. */
int targets_ids_add(struct targets_ids *ids, const char *arg, const char *what, const char *hint,
		    struct err *err);

#endif
