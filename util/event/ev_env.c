// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_env.h"

#include <errno.h>

void ev_env_close(struct ev_env *env)
{
	if (env->have_tracefs)
		tracefs_close(&env->tracefs);
	if (env->have_pmus)
		pmu_set_free(&env->pmus);
	if (env->have_btf)
		btf_free(&env->btf);
	env->have_tracefs = env->have_pmus = env->have_btf = false;
}

const struct tracefs *ev_env_tracefs(struct ev_env *env, struct err *err)
{
	if (!env->have_tracefs && tracefs_open(env->root, &env->tracefs, err))
		return NULL;
	env->have_tracefs = true;
	return &env->tracefs;
}

const struct btf *ev_env_btf(struct ev_env *env, struct err *err)
{
	if (!env->have_btf && btf_load(&env->btf, env->root->fd, "sys/kernel/btf/vmlinux", err))
		return NULL;
	env->have_btf = true;
	return &env->btf;
}

struct pmu_set *ev_env_pmus(struct ev_env *env, struct err *err)
{
	if (env->have_pmus)
		return &env->pmus;
	if (pmu_scan(env->root, &env->pmus, err)) {
		pmu_set_free(&env->pmus);
		return NULL;
	}
	env->have_pmus = true;
	return &env->pmus;
}

struct pmu_set *ev_env_load_pmus(struct ev_env *env, struct err *err)
{
	struct pmu_set *set = ev_env_pmus(env, err);
	u32 i;

	for (i = 0; set && i < set->pmus.nr; i++)
		if (pmu_load(set, &set->pmus.v[i], NULL) == -ENOMEM) {
			err_nomem(err);
			return NULL;
		}
	return set;
}
