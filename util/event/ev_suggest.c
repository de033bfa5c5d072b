// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_suggest.h"

#include <stdio.h>
#include <string.h>

#include "util/base/glob.h"
#include "util/base/text.h"
#include "util/event/ev_names.h"

static void add_table(struct text_suggest *s, enum ev_class class)
{
	const struct ev_name *t;
	u32 i, nr;

	t = ev_names_table(class, &nr);
	for (i = 0; i < nr; i++) {
		text_suggest_add(s, t[i].name);
		if (t[i].alias)
			text_suggest_add(s, t[i].alias);
	}
}

/* Names that are made on the fly: `kept` holds the best one. */
static void add_caches(struct text_suggest *s, char kept[EV_CACHE_NAME_MAX])
{
	char name[EV_CACHE_NAME_MAX];
	u64 config;
	u32 i;

	for (i = 0; ev_names_cache_nth(i, name, &config); i++) {
		text_suggest_add(s, name);
		if (s->best == name)
			s->best = strcpy(kept, name);
	}
}

static void add_aliases(struct text_suggest *s, struct ev_env *env)
{
	struct pmu_set *set = ev_env_load_pmus(env, NULL);
	u32 i, j;

	for (i = 0; set && i < set->pmus.nr; i++)
		for (j = 0; j < set->pmus.v[i].aliases.nr; j++)
			text_suggest_add(s, set->pmus.v[i].aliases.v[j].name);
}

static void all_tracepoints(struct ev_env *env, struct tracefs_events *all)
{
	const struct tracefs *t = ev_env_tracefs(env, NULL);

	if (t)
		tracefs_glob(t, "*", "*", all, NULL);
}

/* The event of that name, or the one most like it; of equal ones the first. */
static const struct tracefs_event *nearest_event(const struct tracefs_events *all,
						 const char *system, const char *name,
						 unsigned int *distance)
{
	const struct tracefs_event *best = NULL;
	struct text_suggest s;
	u32 i;

	text_suggest_init(&s, name);
	for (i = 0; i < all->events.nr; i++) {
		const struct tracefs_event *e = &all->events.v[i];
		const char *before = s.best;

		if (system && strcmp(e->system, system))
			continue;
		text_suggest_add(&s, e->name);
		if (s.best != before)
			best = e;
	}
	*distance = s.distance;
	return best;
}

/* The tracepoint at the beginning of the system call of that name. */
static bool suggest_call(struct ev_env *env, const char *word, struct err *err)
{
	const struct tracefs *t = ev_env_tracefs(env, NULL);
	char name[64];
	u32 id;

	if (!t || snprintf(name, sizeof(name), "sys_enter_%s", word) >= (int)sizeof(name) ||
	    tracefs_id(t, "syscalls", name, &id, NULL))
		return false;
	err_hint(err, "did you mean syscalls:%s?", name);
	return true;
}

void ev_suggest_event(struct ev_env *env, const char *word, struct err *err)
{
	char cache[EV_CACHE_NAME_MAX];
	struct tracefs_events all = {0};
	const struct tracefs_event *e;
	unsigned int distance;
	struct text_suggest s;

	if (suggest_call(env, word, err))
		return;
	text_suggest_init(&s, word);
	add_table(&s, EV_HW);
	add_table(&s, EV_SW);
	add_table(&s, EV_TOOL);
	add_caches(&s, cache);
	add_aliases(&s, env);

	all_tracepoints(env, &all);
	e = nearest_event(&all, NULL, word, &distance);
	if (e && (!s.best || distance < s.distance))
		err_hint(err, "did you mean %s:%s?", e->system, e->name);
	else if (s.best)
		err_hint(err, "did you mean %s?", s.best);
	tracefs_events_free(&all);
}

/* The system most like the one typed; itself if it exists. */
static const char *nearest_system(const struct tracefs_events *all, const char *system)
{
	struct text_suggest s;
	u32 i;

	text_suggest_init(&s, system);
	for (i = 0; i < all->events.nr; i++)
		if (!i || strcmp(all->events.v[i].system, all->events.v[i - 1].system))
			text_suggest_add(&s, all->events.v[i].system);
	return s.best;
}

/* Words of bpftrace, perf probe and tracefs for kinds of probes: ours, of the kernel and of programs, or NULL. */
static const struct probe_word {
	const char *theirs, *kernel, *program;
} probe_words[] = {{"k", "kprobe", NULL},      {"kr", "kretprobe", NULL},
		   {"fentry", "kprobe", NULL}, {"fexit", "kretprobe", NULL},
		   {"u", NULL, "uprobe"},      {"ur", NULL, "uretprobe"},
		   {"p", "kprobe", "uprobe"},  {"r", "kretprobe", "uretprobe"},
		   {"U", NULL, "usdt"},        {"probe", "kprobe", "uprobe"}};

static const struct probe_word *probe_word(const char *system)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(probe_words); i++)
		if (!strcmp(probe_words[i].theirs, system))
			return &probe_words[i];
	return NULL;
}

/* Words that bpftrace has before names which need none here. */
static bool is_needless(const char *system)
{
	static const char *const words[] = {"t", "tracepoint", "s", "software", "h", "hardware"};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i], system))
			return true;
	return false;
}

/* Are there probes in the kernel's own code? */
static bool has_kprobes(struct ev_env *env)
{
	struct pmu_set *set = ev_env_pmus(env, NULL);
	u32 i;

	for (i = 0; set && i < set->pmus.nr; i++)
		if (!strcmp(set->pmus.v[i].name, "kprobe"))
			return true;
	return false;
}

static void suggest_probe(struct ev_env *env, const struct probe_word *word, const char *name,
			  struct err *err)
{
	if (!word->kernel)
		err_hint(err, "did you mean %s:FILE:%s?", word->program, name);
	else if (has_kprobes(env))
		err_hint(err, "did you mean %s:%s?", word->kernel, name);
	else
		err_hint(err,
			 "this kernel has no probes in its own code (CONFIG_KPROBE_EVENTS), only "
			 "tracepoints: perf-lite list '*%s*'",
			 name);
}

/* "t:NAME" without the system; else what is in front is too much. */
static void suggest_without(struct ev_env *env, const char *system, const char *name,
			    struct err *err)
{
	struct tracefs_events all = {0};
	const struct tracefs_event *e;
	unsigned int distance;

	all_tracepoints(env, &all);
	e = *system == 't' ? nearest_event(&all, NULL, name, &distance) : NULL;
	if (e && !distance)
		err_hint(err, "did you mean %s:%s?", e->system, e->name);
	else
		err_hint(err, "leave out '%s:'", system);
	tracefs_events_free(&all);
}

void ev_suggest_file_probe(const char *system, const char *place, struct err *err)
{
	const struct probe_word *word = probe_word(system);
	size_t len = strcspn(place, ",{}");

	if (!word || !word->program)
		return;
	if (memchr(place, ':', len))
		err_hint(err, "did you mean %s:%.*s?", word->program, (int)MIN(len, 200u), place);
	else
		err_hint(err, "%s:%.*s:FUNCTION", word->program, (int)MIN(len, 200u), place);
}

void ev_suggest_tracepoint(struct ev_env *env, const char *system, const char *name,
			   struct err *err)
{
	const struct tracefs_event *e = NULL;
	struct tracefs_events all = {0};
	unsigned int distance;
	const struct probe_word *probe = probe_word(system);
	const char *near;

	if (probe) {
		suggest_probe(env, probe, name, err);
		return;
	}
	if (is_needless(system)) {
		suggest_without(env, system, name, err);
		return;
	}
	if (!strncmp(system, "probe_", 6) || !strncmp(system, "sdt_", 4)) {
		err_hint(err, "probes need no setting up: %s:FILE:%s",
			 *system == 's' ? "usdt" : "uprobe", name);
		return;
	}
	all_tracepoints(env, &all);
	near = nearest_system(&all, system);
	if (near && glob_is_pattern(name)) {
		if (strcmp(near, system))
			err_hint(err, "did you mean %s:%s?", near, name);
	} else {
		if (near)
			e = nearest_event(&all, near, name, &distance);
		if (!e)
			e = nearest_event(&all, NULL, name, &distance);
		if (e)
			err_hint(err, "did you mean %s:%s?", e->system, e->name);
		else if (near && !strcmp(near, system))
			err_hint(err, "perf-lite list '%s:*' shows what there is", system);
	}
	tracefs_events_free(&all);
}

void ev_suggest_pmu(struct ev_env *env, const char *name, struct err *err)
{
	struct pmu_set *set = ev_env_pmus(env, NULL);
	struct text_suggest s;
	u32 i;

	text_suggest_init(&s, name);
	for (i = 0; set && i < set->pmus.nr; i++)
		text_suggest_add(&s, set->pmus.v[i].name);
	if (s.best)
		err_hint(err, "did you mean %s/.../?", s.best);
}
