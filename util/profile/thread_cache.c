// SPDX-License-Identifier: GPL-2.0
#include "util/profile/thread_cache.h"

#include "util/base/text.h"

/* The command as the model has it, if it needs no escapes. */
static const char *plain_comm(const struct process_model *m, const struct thread *t)
{
	size_t len = 0;
	const char *comm = process_comm(m, t, &len);

	return comm && text_is_plain(comm, len) ? comm : NULL;
}

const char *thread_cache_comm(struct thread_cache *r, const struct process_model *m,
			      const struct thread *t, u32 tid)
{
	const char *plain = t ? plain_comm(m, t) : NULL, *comm;
	size_t len = 0;

	if (plain)
		return plain;
	comm = t ? process_comm(m, t, &len) : NULL;
	buf_clear(&r->comm);
	if (comm)
		text_escape(&r->comm, comm, len);
	else
		buf_addf(&r->comm, ":%d", (int)tid);
	return buf_str(&r->comm);
}

const struct thread *thread_cache_get(struct thread_cache *r, struct process_model *m, u32 pid,
				      u32 tid, const char **comm)
{
	struct recent_task *known = &r->v[tid % RECENT_TASKS];
	const struct thread *t;

	if (known->tid != tid || known->changes != r->changes + 1) {
		t = process_thread(m, pid == ID_NONE ? tid : pid, tid);
		if (!t)
			return NULL;
		*known = (struct recent_task){.changes = r->changes + 1,
					      .comm = plain_comm(m, t),
					      .tid = tid,
					      .thread = (u32)(t - m->threads.v)};
	}
	t = &m->threads.v[known->thread];
	*comm = known->comm ? known->comm : thread_cache_comm(r, m, t, tid);
	return !known->comm && r->comm.failed ? NULL : t;
}

void thread_cache_free(struct thread_cache *r)
{
	buf_free(&r->comm);
}
