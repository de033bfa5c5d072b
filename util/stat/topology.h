/* SPDX-License-Identifier: GPL-2.0 */
/*
 * topology.h - where the CPUs that are online are in the machine: package, die, cluster, core,
 * NUMA node, and of which sort each is where there are several.
 *
 * Numbers are the kernel's own: a core's is unique within its die, a die's within its package.
 * What the kernel does not report (no dies, no NUMA, a package of -1 without ACPI) is 0: one of each.
 *
 * Source: Documentation/ABI/stable/sysfs-devices-system-cpu, cpuN/topology/;
 * /sys/devices/system/node/nodeN/cpulist; the file "cpus" of core PMUs in
 * Documentation/ABI/testing/sysfs-bus-event_source-devices.
 */
#ifndef STAT_TOPOLOGY_H
#define STAT_TOPOLOGY_H

#include "util/base/arena.h"
#include "util/base/err.h"
#include "util/base/vec.h"
#include "util/kernel/sysroot.h"

struct stat_cpu {
	u32 cpu;
	u32 socket, die, cluster, core, node;
	const char *type; /* the PMU of its sort of core, "cpu_atom"; NULL where all are of one */
};

struct stat_topology {
	VEC(struct stat_cpu) cpus; /* by number */
	struct arena arena;
};

/* `t` is zeroed before; stat_topology_free() it whatever the result. */
int stat_topology_read(struct stat_topology *t, const struct sysroot *root, struct err *err);
/* NULL: it was not online. */
const struct stat_cpu *stat_topology_find(const struct stat_topology *t, u32 cpu);
void stat_topology_free(struct stat_topology *t);

#endif
