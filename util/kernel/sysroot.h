/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sysroot.h - the directory used as "/".
 *
 * All facts about the machine are read below it: tests hand in a tree of their own. Paths are
 * given to openat(2), thus without the leading slash: "proc/sys/kernel/perf_event_paranoid".
 */
#ifndef KERNEL_SYSROOT_H
#define KERNEL_SYSROOT_H

#include "util/base/arena.h"
#include "util/base/err.h"
#include "util/base/vec.h"

struct sysroot {
	int fd;
};

int sysroot_open(struct sysroot *root, const char *path, struct err *err);
void sysroot_close(struct sysroot *root);

/* Is it this machine's own root? Only there does asking the kernel make sense. */
bool sysroot_is_real(const struct sysroot *root);

struct sysroot_names {
	VEC(const char *) names;
	struct arena arena;
};

/*
 * The entries of a directory, sorted, without those that begin with a dot. Appends to the zeroed
 * or earlier filled `names`; 0 or -errno without a message: the caller knows what is missing.
 */
int sysroot_list(int dirfd, const char *path, struct sysroot_names *names);
void sysroot_names_free(struct sysroot_names *names);

#endif
