// SPDX-License-Identifier: GPL-2.0
#include "util/profile/task_names.h"

#include <linux/perf_event.h>

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

bool task_namespaces_apply(struct task_namespaces *n, const struct rec *rec)
{
	struct task_namespace found = {0}, *to;
	struct cur body = rec_body(rec);
	u32 tid, at;
	u64 nr;

	if (rec->type != PERF_RECORD_NAMESPACES)
		return true;
	cur_u32(&body); /* the process */
	tid = cur_u32(&body);
	nr = cur_u64(&body);
	if (nr > CGROUP_NS_INDEX) {
		cur_skip(&body, CGROUP_NS_INDEX * sizeof(found));
		found.dev = cur_u64(&body);
		found.ino = cur_u64(&body);
	}
	if (body.bad)
		return true;
	at = hmap_get(&n->by_tid, tid);
	if (at != ID_NONE) {
		n->v.v[at] = found;
		return true;
	}
	to = vec_push(&n->v);
	if (to)
		*to = found;
	return to && hmap_set(&n->by_tid, tid, n->v.nr - 1);
}

void task_namespaces_forget(struct task_namespaces *n, const struct process_model *m)
{
	struct task_namespaces rest = {0};
	struct task_namespace *to;
	bool ok = true;
	u32 i;

	for (i = 0; n->v.nr && i <= n->by_tid.mask && ok; i++) {
		const struct hmap_slot *slot = &n->by_tid.slots[i];

		if (!slot->used || !process_find_thread(m, (u32)slot->key))
			continue;
		to = vec_push(&rest.v);
		if (to)
			*to = n->v.v[slot->val];
		ok = to && hmap_set(&rest.by_tid, slot->key, rest.v.nr - 1);
	}
	if (!ok) {
		task_namespaces_free(&rest);
		return;
	}
	task_namespaces_free(n);
	*n = rest;
}

struct task_namespace task_namespaces_find(const struct task_namespaces *n, u32 tid)
{
	u32 at = hmap_get(&n->by_tid, tid);

	return at == ID_NONE ? (struct task_namespace){0} : n->v.v[at];
}

void task_namespaces_free(struct task_namespaces *n)
{
	hmap_free(&n->by_tid);
	vec_free(&n->v);
}

bool cgroup_names_apply(struct cgroup_names *c, const struct rec *rec)
{
	struct cur body = rec_body(rec);
	const char *path;
	size_t len;
	u64 id;
	u32 at;

	if (rec->type != PERF_RECORD_CGROUP)
		return true;
	id = cur_u64(&body);
	path = cur_str(&body, &len);
	if (!path)
		return true;
	at = strtab_add(&c->paths, path, len);
	return at != ID_NONE && hmap_set(&c->by_id, id, at);
}

const char *cgroup_names_find(const struct cgroup_names *c, u64 id, size_t *len)
{
	u32 at = hmap_get(&c->by_id, id);

	if (at == ID_NONE)
		return NULL;
	*len = c->paths.entries[at].len;
	return c->paths.entries[at].s;
}

void cgroup_names_free(struct cgroup_names *c)
{
	hmap_free(&c->by_id);
	strtab_free(&c->paths);
}
