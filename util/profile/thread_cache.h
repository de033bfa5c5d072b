/* SPDX-License-Identifier: GPL-2.0 */
/*
 * thread_cache.h - the threads that samples were of lately, by tid, with what they are called: the
 * process model is asked again only after something has changed it.
 *
 * Zero-initialised, it is empty and ready. Whoever changes the model, other than by looking up a
 * thread, calls thread_cache_forget(), which costs nothing.
 */
#ifndef PROFILE_THREAD_CACHE_H
#define PROFILE_THREAD_CACHE_H

#include "util/base/buf.h"
#include "util/process/process.h"

#define RECENT_TASKS 256u

struct recent_task {
	u64 changes;      /* when it was looked up, + 1 */
	const char *comm; /* NULL: not such that it stays where it is */
	u32 tid, thread;
};

struct thread_cache {
	struct recent_task v[RECENT_TASKS];
	u64 changes;
	struct buf comm;
};

static inline void thread_cache_forget(struct thread_cache *r)
{
	r->changes++;
}

/*
 * The thread of a tid and its command, escaped, ":TID" while not known, which stays until the next
 * call. A tid that no record named is taken for a thread of the process `pid`; ID_NONE: for a
 * process of its own. NULL: out of memory.
 */
const struct thread *thread_cache_get(struct thread_cache *r, struct process_model *m, u32 pid,
				      u32 tid, const char **comm);
/* What a thread is called, likewise; t may be NULL. */
const char *thread_cache_comm(struct thread_cache *r, const struct process_model *m,
			      const struct thread *t, u32 tid);
void thread_cache_free(struct thread_cache *r);

#endif
