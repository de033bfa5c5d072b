// SPDX-License-Identifier: GPL-2.0
#include "util/stat/stat_events.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PMUS "sys/bus/event_source/devices/"

static bool has_file(const struct ev_env *env, const char *path)
{
	return !faccessat(env->root->fd, path, F_OK, 0);
}

static int add_default(struct ev_list *list, struct ev_env *env, bool system_wide, struct err *err)
{
	static const char *const hardware[] = {"cycles",
					       "stalled-cycles-frontend",
					       "stalled-cycles-backend",
					       "instructions",
					       "branches",
					       "branch-misses"};
	char path[128];
	int ret;
	u32 i;

	ret = ev_parse(list,
		       system_wide ? "cpu-clock,context-switches,cpu-migrations,page-faults"
				   : "task-clock,context-switches,cpu-migrations,page-faults",
		       env, err);
	for (i = 0; i < ARRAY_SIZE(hardware) && !ret; i++) {
		snprintf(path, sizeof(path), PMUS "cpu/events/%s", hardware[i]);
		/* few processors have these two, and those name them */
		if (!strncmp(hardware[i], "stalled", 7) && !has_file(env, path))
			continue;
		ret = ev_parse(list, hardware[i], env, err);
	}
	return ret;
}

int stat_events_default(struct ev_list *list, struct ev_env *env, bool system_wide,
			unsigned int detailed, struct err *err)
{
	static const char *const more[] = {
		"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
		"L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,iTLB-load-misses",
		"L1-dcache-prefetches,L1-dcache-prefetch-misses"};
	int ret = 0;
	u32 i;

	if (!list->specs.nr)
		ret = add_default(list, env, system_wide, err);
	for (i = 0; i < ARRAY_SIZE(more) && i < detailed && !ret; i++)
		ret = ev_parse(list, more[i], env, err);
	return ret;
}

int stat_events_check(const struct ev_list *list, u32 first, struct err *err)
{
	static const struct {
		u32 term;
		const char *name;
	} terms[] = {{EV_FREQ, "freq"},
		     {EV_TIME, "time"},
		     {EV_CALLGRAPH, "call-graph"},
		     {EV_STACK_SIZE, "stack-size"},
		     {EV_MAX_STACK, "max-stack"},
		     {EV_NR, "nr"},
		     {EV_INHERIT, "inherit"},
		     {EV_OVERWRITE, "overwrite"},
		     {EV_BRANCH, "branch_type"},
		     {EV_AUX_OUTPUT, "aux-output"},
		     {EV_AUX_SAMPLE, "aux-sample-size"}};
	u32 i, j;

	for (i = first; i < list->specs.nr; i++)
		for (j = 0; j < ARRAY_SIZE(terms); j++) {
			if (!(list->specs.v[i].terms.has & terms[j].term))
				continue;
			err_set(err, EINVAL, "%s: '%s' says how to record, and nothing is recorded",
				list->specs.v[i].name, terms[j].name);
			err_hint(err, "leave it out; recording is: perf-lite record -e '%s'",
				 list->specs.v[i].text);
			return -EINVAL;
		}
	return 0;
}

/* A copy of the first `nr` specs, in a cgroup; their groups are groups of their own. */
static int add_copy(struct ev_list *list, u32 nr, u32 nr_groups, const char *cgroup,
		    struct err *err)
{
	struct ev_spec *s;
	u32 i;

	for (i = 0; i < nr; i++) {
		s = ev_spec_add(list);
		if (!s)
			return err_nomem(err);
		*s = list->specs.v[i];
		s->cgroup = cgroup;
		if (s->group != ID_NONE)
			s->group += list->nr_groups;
	}
	list->nr_groups += nr_groups;
	return 0;
}

int stat_events_each_cgroup(struct ev_list *list, const char *names, struct err *err)
{
	u32 nr = list->specs.nr, nr_groups = list->nr_groups, i;
	bool first = true;
	const char *name;
	size_t len;
	int ret = 0;

	for (; *names && !ret; names += len + (names[len] == ',')) {
		len = strcspn(names, ",");
		if (!len)
			continue;
		name = arena_strndup(&list->arena, names, len);
		if (!name)
			return err_nomem(err);
		list->nr_cgroups++;
		if (!first) {
			ret = add_copy(list, nr, nr_groups, name, err);
			continue;
		}
		first = false;
		for (i = 0; i < nr; i++)
			list->specs.v[i].cgroup = name;
	}
	if (!ret && first) {
		err_set(err, EINVAL, "--for-each-cgroup names no cgroup");
		err_hint(err,
			 "--for-each-cgroup a,b: paths below the place where cgroup2 is mounted");
		return -EINVAL;
	}
	return ret;
}
