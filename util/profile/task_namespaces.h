/* SPDX-License-Identifier: GPL-2.0 */
/*
 * task_namespaces.h - the namespaces of control groups that threads are in, by tid.
 *
 * They come from PERF_RECORD_NAMESPACES, and are those of the moment that the records have come to. Zero-initialised, it
 * knows none.
 */
#ifndef PROFILE_TASK_NAMESPACES_H
#define PROFILE_TASK_NAMESPACES_H

#include "util/base/hash.h"
#include "util/base/vec.h"
#include "util/record/rec.h"

struct task_namespace {
	u64 dev, ino; /* of its file */
};

struct task_namespaces {
	struct hmap by_tid; /* -> index in v */
	VEC(struct task_namespace) v;
};

/* Apply a record if it is of that type. False when memory is out. */
bool task_namespaces_apply(struct task_namespaces *n, const struct rec *rec);
/* Zeros: not known. */
struct task_namespace task_namespaces_find(const struct task_namespaces *n, u32 tid);
void task_namespaces_free(struct task_namespaces *n);

#endif
