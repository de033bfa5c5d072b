/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cgroups.h - the control groups that perf events know: their hierarchy, where it is mounted.
 *
 * Events are sorted into version 2's groups, unless a hierarchy of version 1 has the controller
 * perf_event.
 *
 * Source: Documentation/admin-guide/cgroup-v2.rst; name_to_handle_at(2): the file handle of a
 * group's folder is its id, that of PERF_SAMPLE_CGROUP.
 */
#ifndef KERNEL_CGROUPS_H
#define KERNEL_CGROUPS_H

#include "util/base/err.h"
#include "util/kernel/sysroot.h"

#define CGROUPS_PATH_MAX 4096

/* Are they those of version 2? */
bool cgroups_are_unified(const struct sysroot *root);

/* The folder of one, by its path below there, opened. -ENOENT with a hint. */
int cgroups_open(const struct sysroot *root, const char *name, struct err *err);

/*
 * Call `each` for every group, parents first: its id and its path, "/" for the one above all. What
 * cannot be read is passed over.
 */
void cgroups_each(const struct sysroot *root, void (*each)(void *arg, u64 id, const char *path),
		  void *arg);

#endif
