/* SPDX-License-Identifier: GPL-2.0 */
/*
 * recent_tasks.h - the threads that samples were of lately, by tid, with what they are called: the
 * process model is asked again only after something has changed it.
 *
 * Zero-initialised, it is empty and ready. Whoever changes the model, other than by looking up a
 * thread, calls recent_tasks_forget(), which costs nothing.
 */
#ifndef PROFILE_RECENT_TASKS_H
#define PROFILE_RECENT_TASKS_H

#include "util/base/buf.h"
#include "util/process/process.h"

#define RECENT_TASKS 256u

struct recent_task {
	u64 changes;      /* when it was looked up, + 1 */
	const char *comm; /* NULL: not such that it stays where it is */
	u32 tid, thread;
};

struct recent_tasks {
	struct recent_task v[RECENT_TASKS];
	u64 changes;
	struct buf comm;
};

static inline void recent_tasks_forget(struct recent_tasks *r)
{
	r->changes++;
}

/*
 * The thread of a tid and its command, escaped, ":TID" while not known, which stays until the next
 * call. A tid that no record named is taken for a thread of the process `pid`; ID_NONE: for a
 * process of its own. NULL: out of memory.
 */
const struct thread *recent_tasks_get(struct recent_tasks *r, struct process_model *m, u32 pid,
				      u32 tid, const char **comm);
/* What a thread is called, likewise; t may be NULL. */
const char *recent_tasks_comm(struct recent_tasks *r, const struct process_model *m,
			      const struct thread *t, u32 tid);
void recent_tasks_free(struct recent_tasks *r);

#endif
