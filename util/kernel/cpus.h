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
#include "util/base/types.h"
#include "util/base/vec.h"
#include "util/kernel/sysroot.h"

#define CPUS_MAX 65536u /* no kernel knows more: what is above is a mistake */

struct cpus {
	u32 *v;
	u32 nr, cap;
};

/* Set *c to the list in `text`; blanks around the numbers and an empty text are allowed. */
int cpus_parse(const char *text, struct cpus *c, struct err *err);
/*
 * Of the CPUs that are online those of -C: "0,2-4", or "!0,2-4" for the others. All must be online, and there must be one.
 */
int cpus_choose(const char *text, const struct cpus *online, struct cpus *c, struct err *err);
bool cpus_has(const struct cpus *c, u32 cpu);

/* Set *c to the list in a file: -errno without a message where it cannot be read. */
int cpus_read(int dirfd, const char *path, struct cpus *c);
int cpus_online(const struct sysroot *root, struct cpus *c, struct err *err);
int cpus_possible(const struct sysroot *root, struct cpus *c, struct err *err);
/* How many these are: so many values has an entry of a map of BPF that is of each CPU. */
int cpus_possible_nr(const struct sysroot *root, u32 *nr, struct err *err);

void cpus_free(struct cpus *c);

/* The CPUs that are online, to be asked again and again: one pread(2) while nothing changes. */
struct cpus_watch {
	int fd;
	struct cpus online; /* as of the last reading */
	size_t len;
	char text[4096];
};

/* Also reads them for the first time. */
int cpus_watch_open(struct cpus_watch *w, const struct sysroot *root, struct err *err);
/* 1: w->online has changed; 0: it has not; -errno: it is unknown, and stays as it was. */
int cpus_watch_read(struct cpus_watch *w);
void cpus_watch_close(struct cpus_watch *w);

/*
 * The kernel's messages that a CPU went offline or came online; they also report one that returns at once. A descriptor to
 * poll, or -errno: a network namespace may not hear of devices.
 *
 * Source: kobject_uevent(7) by netlink(7), NETLINK_KOBJECT_UEVENT: "offline@/devices/system/cpu/cpu1".
 */
int cpus_events_open(void);

/* The next that is there: 1 with the CPU and whether it is online now, 0: none. */
int cpus_events_next(int fd, u32 *cpu, bool *online);

/* One message of `len` bytes: true if it is about a CPU. */
bool cpus_events_parse(const char *text, size_t len, u32 *cpu, bool *online);

#endif
