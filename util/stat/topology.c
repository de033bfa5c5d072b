// SPDX-License-Identifier: GPL-2.0
#include "util/stat/topology.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/io.h"
#include "util/base/num.h"
#include "util/kernel/cpus.h"

#define NODES "sys/devices/system/node"
#define PMUS  "sys/bus/event_source/devices"

/* "No such thing", as the kernel writes it in the 16 bits of cluster_id. */
#define NO_ID 65535

static u32 read_id(const struct sysroot *root, u32 cpu, const char *name)
{
	char path[128];
	s64 id;

	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/topology/%s", cpu, name);
	if (io_read_s64(root->fd, path, &id) || id < 0 || id > INT32_MAX || id == NO_ID)
		return 0;
	return (u32)id;
}

static struct stat_cpu *find(const struct stat_topology *t, u32 cpu)
{
	u32 lo = 0, hi = t->cpus.nr, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (t->cpus.v[mid].cpu == cpu)
			return &t->cpus.v[mid];
		if (t->cpus.v[mid].cpu < cpu)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

/* "node12" */
static bool node_number(const char *name, u32 *node)
{
	u64 n;

	if (strncmp(name, "node", 4) || !num_u64(name + 4, &n) || n > INT32_MAX)
		return false;
	*node = (u32)n;
	return true;
}

static int set_node(struct stat_topology *t, const struct sysroot *root, const char *name)
{
	struct cpus cpus = {0};
	struct stat_cpu *c;
	char path[512];
	u32 i, node;
	int ret;

	if (!node_number(name, &node))
		return 0;
	snprintf(path, sizeof(path), NODES "/%s/cpulist", name);
	ret = cpus_read(root->fd, path, &cpus);
	for (i = 0; !ret && i < cpus.nr; i++) {
		c = find(t, cpus.v[i]);
		if (c)
			c->node = node;
	}
	cpus_free(&cpus);
	return ret;
}

/* A kernel without NUMA has no such folder: all are in node 0 then. */
static int read_nodes(struct stat_topology *t, const struct sysroot *root, struct err *err)
{
	struct sysroot_names names = {0};
	int ret;
	u32 i;

	ret = sysroot_list(root->fd, NODES, &names);
	for (i = 0; ret != -ENOMEM && i < names.names.nr; i++)
		ret = set_node(t, root, names.names.v[i]);
	sysroot_names_free(&names);
	return ret == -ENOMEM ? err_nomem(err) : 0;
}

static int set_type(struct stat_topology *t, const struct cpus *cpus, const char *pmu)
{
	const char *type = arena_strdup(&t->arena, pmu);
	struct stat_cpu *c;
	u32 i;

	if (!type)
		return -ENOMEM;
	for (i = 0; i < cpus->nr; i++) {
		c = find(t, cpus->v[i]);
		if (c)
			c->type = type;
	}
	return 0;
}

/* Only where cores are of several sorts do their PMUs say which CPUs are theirs. */
static int read_types(struct stat_topology *t, const struct sysroot *root, struct err *err)
{
	struct sysroot_names names = {0};
	struct cpus cpus = {0};
	char path[512];
	int ret;
	u32 i;

	ret = sysroot_list(root->fd, PMUS, &names);
	for (i = 0; ret != -ENOMEM && i < names.names.nr; i++) {
		snprintf(path, sizeof(path), PMUS "/%s/cpus", names.names.v[i]);
		ret = cpus_read(root->fd, path, &cpus);
		if (!ret)
			ret = set_type(t, &cpus, names.names.v[i]);
	}
	cpus_free(&cpus);
	sysroot_names_free(&names);
	return ret == -ENOMEM ? err_nomem(err) : 0;
}

int stat_topology_read(struct stat_topology *t, const struct sysroot *root, struct err *err)
{
	struct cpus online = {0};
	struct stat_cpu *c;
	int ret;
	u32 i;

	ret = cpus_online(root, &online, err);
	if (!ret && !vec_reserve(&t->cpus, online.nr))
		ret = err_nomem(err);
	for (i = 0; !ret && i < online.nr; i++) {
		c = vec_push(&t->cpus);
		*c = (struct stat_cpu){
			.cpu = online.v[i],
			.socket = read_id(root, online.v[i], "physical_package_id"),
			.die = read_id(root, online.v[i], "die_id"),
			.cluster = read_id(root, online.v[i], "cluster_id"),
			.core = read_id(root, online.v[i], "core_id"),
		};
	}
	cpus_free(&online);
	if (!ret)
		ret = read_nodes(t, root, err);
	return ret ? ret : read_types(t, root, err);
}

const struct stat_cpu *stat_topology_find(const struct stat_topology *t, u32 cpu)
{
	return find(t, cpu);
}

void stat_topology_free(struct stat_topology *t)
{
	vec_free(&t->cpus);
	arena_free(&t->arena);
}
