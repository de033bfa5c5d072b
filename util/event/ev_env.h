/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_env.h - the machine that events are looked up on: opened and read when first asked for.
 *
 * Zero-initialise it and set the root, which must outlive it; the last two are the caller's choice.
 */
#ifndef EVENT_EV_ENV_H
#define EVENT_EV_ENV_H

#include "util/btf/btf.h"
#include "util/btf/btf_modules.h"
#include "util/kernel/pmu.h"
#include "util/kernel/tracefs.h"

struct ev_env {
	const struct sysroot *root;
	struct tracefs tracefs;
	struct pmu_set pmus;
	struct btf btf;
	struct btf_modules modules;
	bool have_tracefs, have_pmus, have_btf, have_modules;
	bool comms_known;  /* filters that are run on samples know the names of tasks */
	bool raw_syscalls; /* patterns of system calls become two events (ev_tracepoint.h) */
};

void ev_env_close(struct ev_env *env);

/* NULL and the reason where there is none. */
const struct tracefs *ev_env_tracefs(struct ev_env *env, struct err *err);
/* The types of the running kernel; what was made of them may point to them. NULL and the reason where there are none. */
const struct btf *ev_env_btf(struct ev_env *env, struct err *err);
/* Those of its modules, once the kernel's own are there. NULL: memory is out. */
const struct btf_modules *ev_env_modules(struct ev_env *env, struct err *err);

/* A function of the kernel or of a module, by its types. */
struct ev_env_function {
	const struct btf *btf; /* NULL: there are no types */
	u32 id;                /* FUNC; 0: none has that name */
	const char *module;    /* NULL: of the kernel itself */
	const char *another;   /* NULL, or a second module that has one of that name */
};
/* The kernel's own, else that of any module; or, unless `module` is NULL, of this one alone. -ENOMEM. */
int ev_env_function(struct ev_env *env, const char *module, const char *name,
		    struct ev_env_function *f, struct err *err);
/* The types of what has that tracepoint, the kernel or a module; the kernel's if none has. NULL and the reason as above. */
const struct btf *ev_env_tracepoint(struct ev_env *env, const char *name, struct err *err);

/* All PMUs; formats and aliases only with pmu_load() or ev_env_load_pmus(), which passes over those that cannot be read. */
struct pmu_set *ev_env_pmus(struct ev_env *env, struct err *err);
struct pmu_set *ev_env_load_pmus(struct ev_env *env, struct err *err);

#endif
