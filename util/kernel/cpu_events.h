/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cpu_events.h - the kernel's word that a CPU went offline or came online, as it happens: one that
 * goes and returns at once looks as if nothing had been.
 *
 * Source: kobject_uevent(7) by netlink(7), NETLINK_KOBJECT_UEVENT: "offline@/devices/system/cpu/cpu1".
 */
#ifndef KERNEL_CPU_EVENTS_H
#define KERNEL_CPU_EVENTS_H

#include "util/base/types.h"

/* A descriptor to poll, or -errno: a network namespace may not hear of devices. */
int cpu_events_open(void);

/* The next that is there: 1 with the CPU and whether it is online now, 0: none. */
int cpu_events_next(int fd, u32 *cpu, bool *online);

/* One message of `len` bytes: true if it tells of a CPU. */
bool cpu_events_parse(const char *text, size_t len, u32 *cpu, bool *online);

#endif
