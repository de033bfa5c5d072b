/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cgroup_names.h - the paths of control groups, by the ids that samples carry.
 *
 * They come from PERF_RECORD_CGROUP. Zero-initialised, it knows none.
 */
#ifndef PROFILE_CGROUP_NAMES_H
#define PROFILE_CGROUP_NAMES_H

#include "util/base/hash.h"
#include "util/base/vec.h"
#include "util/record/rec.h"

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
