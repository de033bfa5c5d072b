/* SPDX-License-Identifier: GPL-2.0 */
/*
 * task_names.h - what the tasks of samples are called, and where they belong: commands, namespaces, control groups.
 */
#ifndef PROFILE_TASK_NAMES_H
#define PROFILE_TASK_NAMES_H

#include "util/base/buf.h"
#include "util/base/hash.h"
#include "util/base/vec.h"
#include "util/process/process.h"
#include "util/record/rec.h"

/*
 * The threads that samples were of lately, by tid, with what they are called: the
 * process model is asked again only after something has changed it.
 *
 * Zero-initialised, it is empty and ready. Whoever changes the model, other than by looking up a
 * thread, calls thread_cache_forget(), which costs nothing.
 */

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

/*
 * The namespaces of control groups that threads are in, by tid.
 *
 * They come from PERF_RECORD_NAMESPACES, and are those of the moment that the records have come to. Zero-initialised, it
 * knows none.
 */

struct task_namespace {
	u64 dev, ino; /* of its file */
};

struct task_namespaces {
	struct hmap by_tid; /* -> index in v */
	VEC(struct task_namespace) v;
};

/* Apply a record if it is of that type. False when memory is out. */
bool task_namespaces_apply(struct task_namespaces *n, const struct rec *rec);
/* Drop those of threads that the model does not know any more. Without memory they stay. */
void task_namespaces_forget(struct task_namespaces *n, const struct process_model *m);
/* Zeros: not known. */
struct task_namespace task_namespaces_find(const struct task_namespaces *n, u32 tid);
void task_namespaces_free(struct task_namespaces *n);

/*
 * The paths of control groups, by the ids that samples carry.
 *
 * They come from PERF_RECORD_CGROUP. Zero-initialised, it knows none.
 */

struct cgroup_names {
	struct hmap by_id; /* -> index in paths */
	struct strtab paths;
};

/* Apply a record if it is of that type. False when memory is out. */
bool cgroup_names_apply(struct cgroup_names *c, const struct rec *rec);
/* NULL: not known. It is a foreign name. */
const char *cgroup_names_find(const struct cgroup_names *c, u64 id, size_t *len);
void cgroup_names_free(struct cgroup_names *c);

#endif
