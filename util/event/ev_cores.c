// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_cores.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/event/ev_pmu.h"

/* The PMU of the cores where all are of one sort. */
#define ONLY_SORT "sys/bus/event_source/devices/cpu"

/* No machine has more. */
#define SORTS_MAX 8

struct sorts {
	struct pmu *pmus[SORTS_MAX];
	u32 nr;
};

struct specs {
	VEC(struct ev_spec) all;
};

/* "r1a8"; but "4:0x1a8" names the type that the kernel gave to one of them. */
static bool is_raw(const struct ev_spec *s)
{
	return s->class == EV_RAW && s->attr.type == PERF_TYPE_RAW && s->text[s->at] == 'r';
}

static bool is_generic(const struct ev_spec *s)
{
	if (s->pmu || s->class == EV_TOOL)
		return false;
	if (s->attr.type == PERF_TYPE_HARDWARE || s->attr.type == PERF_TYPE_HW_CACHE)
		return !(s->attr.config >> 32);
	return is_raw(s);
}

static bool has_generic(const struct ev_list *list, u32 from, u32 to)
{
	u32 i;

	for (i = from; i < to; i++)
		if (is_generic(&list->specs.v[i]))
			return true;
	return false;
}

static int find_sorts(struct sorts *s, struct ev_env *env, struct err *err)
{
	struct pmu_set *set = ev_env_pmus(env, err);
	int ret = 0;
	u32 i, k;

	if (!set)
		return err ? -err->code : -EIO;
	for (i = 0; !ret && i < set->pmus.nr && s->nr < SORTS_MAX; i++) {
		ret = pmu_load(set, &set->pmus.v[i], err);
		if (ret || !set->pmus.v[i].of_cores)
			continue;
		/* in the order of their types, as perf has them: cpu_core before cpu_atom */
		for (k = s->nr++; k && s->pmus[k - 1]->type > set->pmus.v[i].type; k--)
			s->pmus[k] = s->pmus[k - 1];
		s->pmus[k] = &set->pmus.v[i];
	}
	return ret;
}

static int bind(struct ev_list *list, struct ev_spec *s, const struct pmu *pmu, struct err *err)
{
	if (is_raw(s))
		s->attr.type = pmu->type;
	else
		s->attr.config |= (u64)pmu->type << 32;
	s->pmu = arena_strdup(&list->arena, pmu->name);
	if (!s->pmu)
		return err_nomem(err);
	s->name = ev_pmu_name(&list->arena, s, s->name, strlen(s->name));
	s->of_sorts = true;
	s->nr_cpus = pmu->cpus.nr;
	s->cpus = arena_memdup(&list->arena, pmu->cpus.v, pmu->cpus.nr * sizeof(*pmu->cpus.v));
	return s->name && s->cpus ? 0 : err_nomem(err);
}

/* One event, or one group, for each of `nr` PMUs; as it is without any. */
static int add_unit(struct specs *out, struct ev_list *list, u32 from, u32 to,
		    struct pmu *const *pmus, u32 nr, struct err *err)
{
	struct ev_spec *s;
	u32 i, k, group = list->specs.v[from].group;
	int ret = 0;

	for (k = 0; !ret && k < MAX(nr, 1u); k++) {
		if (k && group != ID_NONE)
			group = list->nr_groups++;
		for (i = from; !ret && i < to; i++) {
			s = vec_push(&out->all);
			if (!s)
				return err_nomem(err);
			*s = list->specs.v[i];
			s->group = group;
			if (nr && is_generic(s))
				ret = bind(list, s, pmus[k], err);
		}
	}
	return ret;
}

static u32 unit_end(const struct ev_list *list, u32 from)
{
	u32 to = from + 1;

	while (to < list->specs.nr && list->specs.v[from].group != ID_NONE &&
	       list->specs.v[to].group == list->specs.v[from].group)
		to++;
	return to;
}

int ev_cores_expand(struct ev_list *list, struct ev_env *env, struct err *err)
{
	struct sorts sorts = {.nr = 0};
	struct specs out = {0};
	u32 from, to;
	int ret;

	if (!has_generic(list, 0, list->specs.nr) || !faccessat(env->root->fd, ONLY_SORT, F_OK, 0))
		return 0;
	ret = find_sorts(&sorts, env, err);
	if (ret || sorts.nr < 2)
		return ret;
	for (from = 0; !ret && from < list->specs.nr; from = to) {
		to = unit_end(list, from);
		ret = add_unit(&out, list, from, to, sorts.pmus,
			       has_generic(list, from, to) ? sorts.nr : 0, err);
	}
	if (ret) {
		vec_free(&out.all);
		return ret;
	}
	free(list->specs.v);
	list->specs.v = out.all.v;
	list->specs.nr = out.all.nr;
	list->specs.cap = out.all.cap;
	return 0;
}
