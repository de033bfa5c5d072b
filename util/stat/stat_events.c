// SPDX-License-Identifier: GPL-2.0
#include "util/stat/stat_events.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/text.h"
#include "util/event/ev_record.h"
#include "util/kernel/pmu.h"

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

/* It opens, and counts nothing. */
static int refuse_tracer(const struct ev_spec *s, struct err *err)
{
	err_set(err, EINVAL, "%s: %s writes %s into an area of its own (AUX), and counts nothing",
		s->name, s->pmu.name, pmu_traces(s->pmu.name));
	err_hint(err,
		 "count branches or instructions: -e branches,instructions; "
		 "traces are recorded and decoded by: perf record -e %s//",
		 s->pmu.name);
	return -EINVAL;
}

static int refuse_expressions(const struct ev_spec *s, struct err *err)
{
	err_set(err, EINVAL, "%s: a program makes samples of this event, and counting makes none",
		s->name);
	err_hint(err, "count the samples: perf-lite count -e %s%s", TEXT_SHELL(s->text),
		 strchr(s->text, '(') ? "; or leave (...) out" : "");
	return -EINVAL;
}

static int refuse_term(const struct ev_spec *s, const char *term, struct err *err)
{
	const char *unheeded = ev_record_unheeded(&s->terms);

	err_set(err, EINVAL, "%s: '%s' says how to record, and nothing is recorded", s->name, term);
	if (unheeded)
		err_hint(err, "leave it out; perf-lite record has no '%s'", unheeded);
	else
		err_hint(err, "leave it out; recording is: perf-lite record -e %s",
			 TEXT_SHELL(s->text));
	return -EINVAL;
}

static int refuse_percore(const struct ev_spec *s, struct err *err)
{
	err_set(err, EINVAL, "%s: 'percore', to sum the counts of a core, is no term here",
		s->name);
	err_hint(err, "leave it out; all events by core are: perf-lite stat -a --per-core");
	return -EINVAL;
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

	for (i = first; i < list->specs.nr; i++) {
		if (list->specs.v[i].tp.expr)
			return refuse_expressions(&list->specs.v[i], err);
		if (list->specs.v[i].pmu.name && pmu_traces(list->specs.v[i].pmu.name))
			return refuse_tracer(&list->specs.v[i], err);
		if (list->specs.v[i].terms.has & EV_PERCORE)
			return refuse_percore(&list->specs.v[i], err);
		for (j = 0; j < ARRAY_SIZE(terms); j++) {
			if (list->specs.v[i].terms.has & terms[j].term)
				return refuse_term(&list->specs.v[i], terms[j].name, err);
		}
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

/* The PMU that holds an event to CPUs of its own, "" the cores', NULL: it counts beside any. */
static const char *pmu_of(const struct ev_spec *s)
{
	const struct perf_event_attr *a = &s->attr;

	if (s->pmu.nr_cpus)
		return s->pmu.name;
	return a->type == PERF_TYPE_HARDWARE || a->type == PERF_TYPE_HW_CACHE ||
			       a->type == PERF_TYPE_RAW
		       ? ""
		       : NULL;
}

static bool same_pmu(const char *a, const char *b)
{
	return !a || !b || !strcmp(a, b);
}

/* The first PMU from spec `from` on that is no event's before it in the group; NULL: none is. */
static const char *next_pmu(const struct ev_spec *v, u32 first, u32 *from, u32 end)
{
	const char *pmu;
	u32 i;

	for (; *from < end; (*from)++) {
		pmu = pmu_of(&v[*from]);
		for (i = first; pmu && i < *from; i++)
			if (pmu_of(&v[i]) && !strcmp(pmu_of(&v[i]), pmu))
				pmu = NULL;
		if (pmu)
			return pmu;
	}
	return NULL;
}

/* The specs first..end, sorted by PMU; what counts beside any goes with the first. */
static void sort_group(struct ev_list *list, struct ev_spec *sorted, u32 first, u32 end)
{
	struct ev_spec *v = list->specs.v;
	const char *pmu, *leading = NULL;
	u32 nr = 0, from = first, i, group = v[first].group;

	while ((pmu = next_pmu(v, first, &from, end))) {
		for (i = first; i < end; i++) {
			if (!same_pmu(pmu_of(&v[i]), pmu) || (!pmu_of(&v[i]) && leading))
				continue;
			sorted[nr] = v[i];
			sorted[nr].group = group;
			sorted[nr].leader = !nr || sorted[nr - 1].group != group;
			nr++;
		}
		leading = pmu;
		from++;
		group = list->nr_groups++;
	}
	/* the last number was taken for nobody */
	list->nr_groups--;
	memcpy(v + first, sorted, nr * sizeof(*v));
}

/* Several units, and nothing but what was typed of them in one word? */
static bool all_of_boxes(const struct ev_list *list, u32 first, u32 end)
{
	u32 i;

	for (i = first; i < end; i++)
		if (pmu_of(&list->specs.v[i]) && !list->specs.v[i].pmu.of_boxes)
			return false;
	return true;
}

int stat_events_split_groups(struct ev_list *list, struct buf *notes, struct err *err)
{
	struct ev_spec *sorted = calloc(MAX(list->specs.nr, 1u), sizeof(*sorted));
	u32 first, end, from, nr;

	if (!sorted)
		return err_nomem(err);
	for (first = 0; first < list->specs.nr; first = end) {
		const struct ev_spec *s = &list->specs.v[first];

		for (end = first + 1; end < list->specs.nr && s->group != ID_NONE &&
				      list->specs.v[end].group == s->group;)
			end++;
		for (nr = 0, from = first; next_pmu(list->specs.v, first, &from, end); from++)
			nr++;
		if (nr < 2)
			continue;
		if (!all_of_boxes(list, first, end))
			buf_addf(notes, "%s: its group is of several PMUs: one group of each\n",
				 s->name);
		sort_group(list, sorted, first, end);
	}
	free(sorted);
	return 0;
}
