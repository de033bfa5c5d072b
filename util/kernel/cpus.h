/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cpus.h - sets of CPUs, as the kernel and the command line write them: "0-3,8".
 *
 * A zero-initialised struct cpus is empty and ready; v is sorted, each CPU once.
 *
 * Source: Documentation/admin-guide/cputopology.rst; /sys/devices/system/cpu.
 */
#ifndef KERNEL_CPUS_H
#define KERNEL_CPUS_H

#include "util/base/buf.h"
#include "util/base/err.h"
#include "util/base/vec.h"
#include "util/kernel/sysroot.h"

#define CPUS_MAX 65536u /* no kernel knows more: what is above is a mistake */

struct cpus {
	u32 *v;
	u32 nr, cap;
};

/* Set *c to the list in `text`; blanks around the numbers and an empty text are allowed. */
int cpus_parse(const char *text, struct cpus *c, struct err *err);
/* Append as the shortest such list. */
void cpus_print(const struct cpus *c, struct buf *b);
bool cpus_has(const struct cpus *c, u32 cpu);

/* Set *c to the list in a file: -errno without a message where it cannot be read. */
int cpus_read(int dirfd, const char *path, struct cpus *c);
int cpus_online(const struct sysroot *root, struct cpus *c, struct err *err);
int cpus_possible(const struct sysroot *root, struct cpus *c, struct err *err);
/* How many are in the machine, online or not; -errno. */
int cpus_configured(const struct sysroot *root, struct err *err);

void cpus_free(struct cpus *c);

#endif
