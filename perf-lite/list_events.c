// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/list.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/base/glob.h"
#include "util/event/ev_denied.h"
#include "util/event/ev_names.h"
#include "util/kernel/limits.h"

static const struct {
	const char *name, *alias, *label;
} classes[LIST_EVENTS_CLASSES] = {
	[EV_HW] = {"hw", "hardware", "Hardware event"},
	[EV_SW] = {"sw", "software", "Software event"},
	[EV_CACHE] = {"cache", "hwcache", "Hardware cache event"},
	[EV_TRACEPOINT] = {"tracepoint", NULL, "Tracepoint event"},
	[EV_PMU] = {"pmu", "event", "Kernel PMU event"},
	[EV_RAW] = {"raw", NULL, "Raw hardware event descriptor"},
	[EV_BP] = {"bp", "breakpoint", "Hardware breakpoint"},
};

int list_events_class(const char *word)
{
	int c;

	for (c = 0; c < LIST_EVENTS_CLASSES; c++)
		if (!strcmp(word, classes[c].name) ||
		    (classes[c].alias && !strcmp(word, classes[c].alias)))
			return c;
	return -1;
}

const char *list_events_class_name(const struct list_event *e)
{
	return e->usdt ? "usdt" : classes[e->class].name;
}

const char *list_events_label(const struct list_event *e)
{
	return e->usdt ? "USDT probe" : classes[e->class].label;
}

static int add(struct list_events *l, enum ev_class class, const char *name, const char *alias)
{
	struct list_event *e = vec_push(&l->v);

	if (!e)
		return -ENOMEM;
	*e = (struct list_event){name, alias, class, NULL};
	return name ? 0 : -ENOMEM;
}

static void note(struct list_events *l, enum ev_class class, const char *why)
{
	if (l->asked[class])
		buf_addf(&l->notes, "%s%s: %s", l->notes.len ? "\n" : "", classes[class].name, why);
}

static int try_to_open(struct perf_event_attr *a)
{
	int fd;

	a->size = sizeof(*a);
	a->disabled = 1;
	a->exclude_kernel = a->exclude_hv = 1;
	fd = (int)syscall(SYS_perf_event_open, a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

/* Where what everybody may count is refused too, the refusal tells nothing of the event. */
static bool refuses_all(struct list_events *l, int code)
{
	struct ev_spec clock = {
		.name = "cpu-clock:u",
		.attr = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK}};
	struct limits limits = {0};

	if (!l->tried) {
		l->tried = true;
		l->refusal = try_to_open(&clock.attr);
	}
	if (l->refusal != code)
		return false;
	if (!l->denied.code) {
		limits_read(l->env.root, &limits, NULL);
		ev_denied(&clock, code, ID_NONE, 0, &limits, &l->denied);
	}
	return true;
}

/* Does the kernel know the event? Whatever else it may object to, it does, unless it could not be asked. */
static bool can_open(struct list_events *l, struct perf_event_attr *a)
{
	int code = try_to_open(a);

	switch (code) {
	case ENOENT:
	case ENODEV:
	case ENXIO:
	case EOPNOTSUPP:
	case ENOSYS:
		return false;
	case EMFILE:
	case ENFILE:
	case ENOMEM:
		if (!l->denied.code)
			err_set(&l->denied, code, "cannot ask the kernel for all events: %s",
				strerror(code));
		return false;
	case EPERM:
	case EACCES:
		/* software events are those of every kernel */
		return a->type == PERF_TYPE_SOFTWARE || !refuses_all(l, code);
	default:
		return true;
	}
}

static bool can_count(struct list_events *l, u32 type, u64 config)
{
	struct perf_event_attr a = {.type = type, .config = config};

	return can_open(l, &a);
}

static const char no_hardware[] = "no hardware PMU on this machine (virtual machine?)";

static int add_table(struct list_events *l, enum ev_class class)
{
	u32 i, nr, first = l->v.nr;
	const struct ev_name *t;
	int ret = 0;

	t = ev_names_table(class, &nr);
	for (i = 0; !ret && i < nr; i++)
		if (can_count(l, ev_names_type(class), t[i].config))
			ret = add(l, class, t[i].name, t[i].alias);
	if (l->v.nr == first)
		note(l, class,
		     class == EV_HW ? no_hardware
				    : "the kernel has no perf events (CONFIG_PERF_EVENTS)");
	return ret;
}

static int add_caches(struct list_events *l)
{
	char name[EV_CACHE_NAME_MAX];
	u32 i, first = l->v.nr;
	u64 config;
	int ret = 0;

	for (i = 0; !ret && ev_names_cache_nth(i, name, &config); i++)
		if (can_count(l, PERF_TYPE_HW_CACHE, config))
			ret = add(l, EV_CACHE, arena_strdup(&l->arena, name), NULL);
	if (l->v.nr == first)
		note(l, EV_CACHE, no_hardware);
	return ret;
}

static int add_tracepoints(struct list_events *l)
{
	struct tracefs_events all = {0};
	struct err err = {0};
	const struct tracefs *t;
	int ret = 0;
	u32 i;

	t = ev_env_tracefs(&l->env, &err);
	if (t)
		ret = tracefs_glob(t, "*", "*", &all, &err);
	for (i = 0; !ret && i < all.events.nr; i++)
		ret = add(l, EV_TRACEPOINT,
			  arena_printf(&l->arena, "%s:%s", all.events.v[i].system,
				       all.events.v[i].name),
			  NULL);
	tracefs_events_free(&all);
	if (err.code == ENODEV)
		note(l, EV_TRACEPOINT, err.msg);
	else if (err.code && !l->denied.code)
		l->denied = err;
	return err.code ? 0 : ret;
}

static int add_pmus(struct list_events *l, struct err *err)
{
	struct pmu_set *set = ev_env_load_pmus(&l->env, err);
	u32 i, j, first = l->v.nr;
	int ret = 0;

	if (!set)
		return -err->code;
	for (i = 0; i < set->pmus.nr; i++) {
		const struct pmu *p = &set->pmus.v[i];
		const char *trace = pmu_traces(p->name);

		if (p->unread && !l->denied.code)
			err_set(&l->denied, EIO,
				"not all events of the PMU %s are known: cannot read %s", p->name,
				p->unread);
		if (trace)
			note(l, EV_PMU,
			     arena_printf(&l->arena, "%s// is %s, which is not recorded", p->name,
					  trace));
		for (j = 0; !ret && j < p->aliases.nr; j++)
			ret = add(l, EV_PMU,
				  arena_printf(&l->arena, "%s/%s/", p->name, p->aliases.v[j].name),
				  NULL);
	}
	if (l->v.nr == first)
		note(l, EV_PMU,
		     "no driver names events of its own in /sys/bus/event_source/devices");
	return ret;
}

/* These two are forms, not names: a list for a program has them only if asked for. */
static int add_forms(struct list_events *l)
{
	char target[8] __attribute__((aligned(8)));
	struct perf_event_attr bp = {.type = PERF_TYPE_BREAKPOINT,
				     .bp_type = HW_BREAKPOINT_W,
				     .bp_addr = (u64)(uintptr_t)target,
				     .bp_len = HW_BREAKPOINT_LEN_4};
	int ret = 0;

	if (l->wanted[EV_RAW] && l->asked[EV_RAW]) {
		if (can_count(l, PERF_TYPE_RAW, 0) || can_count(l, PERF_TYPE_HARDWARE, 0))
			ret = add(l, EV_RAW, "rNNN", NULL);
		else
			note(l, EV_RAW, no_hardware);
	}
	if (!ret && l->wanted[EV_BP] && l->asked[EV_BP]) {
		if (can_open(l, &bp))
			ret = add(l, EV_BP, "mem:ADDR[/LEN][:rwx]", NULL);
		else
			note(l, EV_BP, "this machine has no debug registers for perf");
	}
	return ret;
}

/* Of the files that patterns name, which then choose among them. */
static int add_probes(struct list_events *l, struct err *err)
{
	u32 i, first = l->v.nr;
	int p, ret = 0;

	l->probes.arena = &l->arena;
	for (p = 0; p < l->nr_patterns && !ret; p++)
		if (list_usdt_named(l->patterns[p]))
			ret = list_usdt_add(&l->probes, l->patterns[p], err);
	for (i = 0; i < l->probes.v.nr && !ret; i++) {
		ret = add(l, EV_PMU, l->probes.v.v[i].name, NULL);
		if (!ret)
			l->v.v[first + i].usdt = &l->probes.v.v[i];
	}
	return ret;
}

int list_events_gather(struct list_events *l, struct err *err)
{
	int ret = 0;

	if (l->wanted[EV_HW])
		ret = add_table(l, EV_HW);
	if (!ret && l->wanted[EV_SW])
		ret = add_table(l, EV_SW);
	if (!ret && l->wanted[EV_CACHE])
		ret = add_caches(l);
	if (!ret && l->wanted[EV_TRACEPOINT])
		ret = add_tracepoints(l);
	if (!ret && l->wanted[EV_PMU])
		ret = add_pmus(l, err);
	if (!ret)
		ret = add_forms(l);
	if (!ret)
		ret = add_probes(l, err);
	return ret == -ENOMEM ? err_nomem(err) : ret;
}

static bool name_matches(const char *pattern, const char *name)
{
	return name && (glob_is_pattern(pattern) ? glob_match(pattern, name)
						 : strstr(name, pattern) != NULL);
}

static bool matches(const char *pattern, const struct list_event *e)
{
	return name_matches(pattern, e->name) || name_matches(pattern, e->alias);
}

const char *list_events_select(struct list_events *l)
{
	const char *missed = NULL;
	u32 i, kept = 0;
	bool keep, hit;
	int p;

	if (!l->nr_patterns)
		return NULL;
	for (p = l->nr_patterns - 1; p >= 0; p--) {
		for (hit = false, i = 0; i < l->v.nr && !hit; i++)
			hit = matches(l->patterns[p], &l->v.v[i]);
		if (!hit)
			missed = l->patterns[p];
	}
	for (i = 0; i < l->v.nr; i++) {
		for (keep = false, p = 0; p < l->nr_patterns && !keep; p++)
			keep = matches(l->patterns[p], &l->v.v[i]);
		if (keep)
			l->v.v[kept++] = l->v.v[i];
	}
	l->v.nr = kept;
	return missed;
}

void list_events_free(struct list_events *l)
{
	ev_env_close(&l->env);
	vec_free(&l->v);
	vec_free(&l->probes.v);
	arena_free(&l->arena);
	buf_free(&l->notes);
}
