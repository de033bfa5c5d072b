// SPDX-License-Identifier: GPL-2.0
#include "util/profile/cgroup_names.h"

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
