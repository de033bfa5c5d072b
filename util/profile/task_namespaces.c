// SPDX-License-Identifier: GPL-2.0
#include "util/profile/task_namespaces.h"

#include <linux/perf_event.h>

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
