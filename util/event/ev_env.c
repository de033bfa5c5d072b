// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_env.h"

#include <errno.h>
#include <string.h>

void ev_env_close(struct ev_env *env)
{
	if (env->have_tracefs)
		tracefs_close(&env->tracefs);
	if (env->have_pmus)
		pmu_set_free(&env->pmus);
	if (env->have_modules)
		btf_modules_free(&env->modules);
	if (env->have_btf)
		btf_free(&env->btf);
	env->have_tracefs = env->have_pmus = env->have_btf = env->have_modules = false;
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
	if (!env->have_btf &&
	    btf_load(&env->btf, NULL, env->root->fd, "sys/kernel/btf/vmlinux", err))
		return NULL;
	env->have_btf = true;
	return &env->btf;
}

const struct btf_modules *ev_env_modules(struct ev_env *env, struct err *err)
{
	if (env->have_modules)
		return &env->modules;
	env->have_modules = true;
	if (!btf_modules_load(&env->modules, &env->btf, env->root->fd))
		return &env->modules;
	btf_modules_free(&env->modules);
	env->modules = (struct btf_modules){0};
	env->have_modules = false;
	err_nomem(err);
	return NULL;
}

int ev_env_function(struct ev_env *env, const char *module, const char *name,
		    struct ev_env_function *f, struct err *err)
{
	const struct btf_modules *m;
	u32 i, id;

	*f = (struct ev_env_function){.btf = ev_env_btf(env, NULL)};
	if (f->btf && !module)
		f->id = btf_find(f->btf, BTF_FUNC, name);
	if (!f->btf || f->id)
		return 0;
	m = ev_env_modules(env, err);
	if (!m)
		return -ENOMEM;
	for (i = 0; i < m->v.nr && !f->another; i++) {
		if (module && strcmp(module, m->v.v[i].name) != 0)
			continue;
		id = btf_find_own(&m->v.v[i].types, BTF_FUNC, name);
		if (!id)
			continue;
		if (f->id) {
			f->another = m->v.v[i].name;
			continue;
		}
		f->btf = &m->v.v[i].types;
		f->id = id;
		f->module = m->v.v[i].name;
	}
	return 0;
}

const struct btf *ev_env_tracepoint(struct ev_env *env, const char *name, struct err *err)
{
	const struct btf *kernel = ev_env_btf(env, err);
	const struct btf_modules *m;
	u32 i;

	if (!kernel || btf_tracepoint(kernel, name).kind == BTF_FUNC_PROTO)
		return kernel;
	m = ev_env_modules(env, err);
	for (i = 0; m && i < m->v.nr; i++)
		if (btf_tracepoint_own(&m->v.v[i].types, name).kind == BTF_FUNC_PROTO)
			return &m->v.v[i].types;
	return m ? kernel : NULL;
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
