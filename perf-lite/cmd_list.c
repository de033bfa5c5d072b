// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_list.c - perf-lite list: the events that can be recorded on this machine.
 */
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perf-lite/cmd.h"
#include "util/base/glob.h"
#include "util/base/json.h"
#include "util/base/text.h"
#include "util/cli/pager.h"
#include "util/event/ev_env.h"
#include "util/event/ev_names.h"
#include "util/event/ev_suggest.h"

#define NR_CLASSES (EV_BP + 1)

static const struct {
	const char *name, *alias, *label;
} classes[NR_CLASSES] = {
	[EV_HW] = {"hw", "hardware", "Hardware event"},
	[EV_SW] = {"sw", "software", "Software event"},
	[EV_CACHE] = {"cache", "hwcache", "Hardware cache event"},
	[EV_TRACEPOINT] = {"tracepoint", NULL, "Tracepoint event"},
	[EV_PMU] = {"pmu", "event", "Kernel PMU event"},
	[EV_RAW] = {"raw", NULL, "Raw hardware event descriptor"},
	[EV_BP] = {"bp", "breakpoint", "Hardware breakpoint"},
};

struct entry {
	const char *name, *alias; /* alias may be NULL */
	enum ev_class class;
};

struct list {
	struct ev_env env;
	struct arena arena;
	VEC(struct entry) entries;
	bool wanted[NR_CLASSES];
	bool asked[NR_CLASSES]; /* by name: then say why there is none */
	char **patterns;
	int nr_patterns;
	bool raw_dump, json, terminal;
	struct buf notes;  /* why a class is missing, a line each */
	struct err denied; /* there are events, but this user may not see them */
};

/* ---- what there is ---- */

static int add(struct list *l, enum ev_class class, const char *name, const char *alias)
{
	struct entry *e = vec_push(&l->entries);

	if (!e)
		return -ENOMEM;
	*e = (struct entry){name, alias, class};
	return name ? 0 : -ENOMEM;
}

static void note(struct list *l, enum ev_class class, const char *why)
{
	if (l->asked[class])
		buf_addf(&l->notes, "%s%s: %s", l->notes.len ? "\n" : "", classes[class].name, why);
}

/* Does the kernel know the event? Whatever else it may object to, it does. */
static bool can_open(struct perf_event_attr *a)
{
	int fd;

	a->size = sizeof(*a);
	a->disabled = 1;
	a->exclude_kernel = a->exclude_hv = 1;
	fd = (int)syscall(SYS_perf_event_open, a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0) {
		close(fd);
		return true;
	}
	switch (errno) {
	case ENOENT:
	case ENODEV:
	case ENXIO:
	case EOPNOTSUPP:
	case ENOSYS:
		return false;
	default:
		return true;
	}
}

static bool can_count(u32 type, u64 config)
{
	struct perf_event_attr a = {.type = type, .config = config};

	return can_open(&a);
}

static const char no_hardware[] = "no hardware PMU on this machine (virtual machine?)";

static int add_table(struct list *l, enum ev_class class)
{
	u32 i, nr, first = l->entries.nr;
	const struct ev_name *t;
	int ret = 0;

	t = ev_names_table(class, &nr);
	for (i = 0; !ret && i < nr; i++)
		if (can_count(ev_names_type(class), t[i].config))
			ret = add(l, class, t[i].name, t[i].alias);
	if (l->entries.nr == first)
		note(l, class,
		     class == EV_HW ? no_hardware
				    : "the kernel has no perf events (CONFIG_PERF_EVENTS)");
	return ret;
}

static int add_caches(struct list *l)
{
	char name[EV_CACHE_NAME_MAX];
	u32 i, first = l->entries.nr;
	u64 config;
	int ret = 0;

	for (i = 0; !ret && ev_names_cache_nth(i, name, &config); i++)
		if (can_count(PERF_TYPE_HW_CACHE, config))
			ret = add(l, EV_CACHE, arena_strdup(&l->arena, name), NULL);
	if (l->entries.nr == first)
		note(l, EV_CACHE, no_hardware);
	return ret;
}

static int add_tracepoints(struct list *l)
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
	else if (err.code)
		l->denied = err;
	return err.code ? 0 : ret;
}

static int add_pmus(struct list *l, struct err *err)
{
	struct pmu_set *set = ev_env_load_pmus(&l->env, err);
	u32 i, j, first = l->entries.nr;
	int ret = 0;

	if (!set)
		return -err->code;
	for (i = 0; i < set->pmus.nr; i++) {
		const struct pmu *p = &set->pmus.v[i];

		for (j = 0; !ret && j < p->aliases.nr; j++)
			ret = add(l, EV_PMU,
				  arena_printf(&l->arena, "%s/%s/", p->name, p->aliases.v[j].name),
				  NULL);
	}
	if (l->entries.nr == first)
		note(l, EV_PMU,
		     "no driver names events of its own in /sys/bus/event_source/devices");
	return ret;
}

/* These two are forms, not names: a list for a program has them only if asked for. */
static int add_forms(struct list *l)
{
	char target[8] __attribute__((aligned(8)));
	struct perf_event_attr bp = {.type = PERF_TYPE_BREAKPOINT,
				     .bp_type = HW_BREAKPOINT_W,
				     .bp_addr = (u64)(uintptr_t)target,
				     .bp_len = HW_BREAKPOINT_LEN_4};
	int ret = 0;

	if (l->wanted[EV_RAW] && l->asked[EV_RAW]) {
		if (can_count(PERF_TYPE_RAW, 0) || can_count(PERF_TYPE_HARDWARE, 0))
			ret = add(l, EV_RAW, "rNNN", NULL);
		else
			note(l, EV_RAW, no_hardware);
	}
	if (!ret && l->wanted[EV_BP] && l->asked[EV_BP]) {
		if (can_open(&bp))
			ret = add(l, EV_BP, "mem:ADDR[/LEN][:rwx]", NULL);
		else
			note(l, EV_BP, "this machine has no debug registers for perf");
	}
	return ret;
}

static int gather(struct list *l, struct err *err)
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
	return ret == -ENOMEM ? err_nomem(err) : ret;
}

/* ---- what was asked for ---- */

static bool name_matches(const char *pattern, const char *name)
{
	return name && (glob_is_pattern(pattern) ? glob_match(pattern, name)
						 : strstr(name, pattern) != NULL);
}

static bool matches(const char *pattern, const struct entry *e)
{
	return name_matches(pattern, e->name) || name_matches(pattern, e->alias);
}

/* Keep what matches any pattern. Each must match something: the first that does not is returned. */
static const char *select_entries(struct list *l)
{
	const char *missed = NULL;
	u32 i, kept = 0;
	bool keep, hit;
	int p;

	if (!l->nr_patterns)
		return NULL;
	for (p = l->nr_patterns - 1; p >= 0; p--) {
		for (hit = false, i = 0; i < l->entries.nr && !hit; i++)
			hit = matches(l->patterns[p], &l->entries.v[i]);
		if (!hit)
			missed = l->patterns[p];
	}
	for (i = 0; i < l->entries.nr; i++) {
		for (keep = false, p = 0; p < l->nr_patterns && !keep; p++)
			keep = matches(l->patterns[p], &l->entries.v[i]);
		if (keep)
			l->entries.v[kept++] = l->entries.v[i];
	}
	l->entries.nr = kept;
	return missed;
}

static int class_of(const char *word)
{
	int c;

	for (c = 0; c < NR_CLASSES; c++)
		if (!strcmp(word, classes[c].name) ||
		    (classes[c].alias && !strcmp(word, classes[c].alias)))
			return c;
	return -1;
}

/* Words that name classes say where to look, all others what for. */
static void read_words(struct list *l, const struct opt_rest *rest)
{
	bool any = false;
	int i, c;

	l->patterns = rest->argv;
	for (i = 0; i < rest->argc; i++) {
		c = class_of(rest->argv[i]);
		if (c < 0)
			l->patterns[l->nr_patterns++] = rest->argv[i];
		else
			any = l->wanted[c] = l->asked[c] = true;
	}
	if (any)
		return;
	for (c = 0; c < NR_CLASSES; c++) {
		l->wanted[c] = true;
		l->asked[c] = l->terminal && !l->nr_patterns;
	}
}

/* ---- output ---- */

static void put_name(struct buf *b, const char *name)
{
	text_escape(b, name, strlen(name));
}

static void put_line(const struct entry *e, struct buf *b)
{
	size_t start;

	buf_adds(b, "  ");
	start = b->len;
	put_name(b, e->name);
	if (e->alias)
		buf_addf(b, " OR %s", e->alias);
	if (b->len - start < 50)
		buf_pad(b, ' ', 50 - (b->len - start));
	buf_addf(b, " [%s]\n", classes[e->class].label);
}

static void put_json(const struct entry *e, struct buf *b)
{
	buf_adds(b, "{\"name\": ");
	json_string(b, e->name, strlen(e->name));
	if (e->alias) {
		buf_adds(b, ", \"alias\": ");
		json_string(b, e->alias, strlen(e->alias));
	}
	buf_addf(b, ", \"class\": \"%s\"}", classes[e->class].name);
}

static void put_entries(const struct list *l, struct buf *b)
{
	u32 i, nr = l->entries.nr;

	if (l->json)
		buf_adds(b, "[\n");
	for (i = 0; i < nr; i++) {
		const struct entry *e = &l->entries.v[i];

		if (l->json) {
			put_json(e, b);
			buf_adds(b, i + 1 < nr ? ",\n" : "\n");
		} else if (l->raw_dump) {
			put_name(b, e->name);
			buf_addc(b, i + 1 < nr ? ' ' : '\n');
		} else if (l->terminal) {
			put_line(e, b);
		} else {
			put_name(b, e->name);
			buf_addc(b, '\n');
		}
	}
	if (l->json)
		buf_adds(b, "]\n");
}

static int print(const struct list *l, struct err *err)
{
	struct pager pager = {0};
	struct buf b = {0};
	int ret;

	put_entries(l, &b);
	if (l->terminal)
		pager_start(&pager, NULL);
	ret = cmd_write(&b, err);
	pager_finish(&pager);
	return ret;
}

/* ---- the command ---- */

static void suggest(struct list *l, const char *pattern, struct err *err)
{
	const char *colon = strchr(pattern, ':');
	char *system;

	err_hint(err, "perf-lite list shows all");
	if (!colon) {
		ev_suggest_event(&l->env, pattern, err);
		return;
	}
	system = strndup(pattern, (size_t)(colon - pattern));
	if (system)
		ev_suggest_tracepoint(&l->env, system, colon + 1, err);
	free(system);
}

/* What kept us from seeing all is worth more than that nothing was found. */
static int nothing(struct list *l, const char *missed, struct err *err)
{
	if (l->denied.code) {
		*err = l->denied;
		return CMD_USAGE;
	}
	if (l->notes.len) {
		err_set(err, ENOENT, "%s", buf_str(&l->notes));
		return CMD_USAGE;
	}
	err_set(err, ENOENT, "no event matches '%.200s'", missed ? missed : "");
	if (missed)
		suggest(l, missed, err);
	return CMD_USAGE;
}

static int list(struct list *l, struct err *err)
{
	const char *missed;
	int ret;

	ret = gather(l, err);
	if (ret)
		return ret;
	missed = select_entries(l);
	if (!l->entries.nr)
		return nothing(l, missed, err);
	ret = print(l, err);
	if (ret)
		return ret;
	if (missed)
		return nothing(l, missed, err);
	if (l->denied.code) {
		*err = l->denied;
		return CMD_PARTIAL;
	}
	if (l->notes.len)
		err_set(err, ENOENT, "%s", buf_str(&l->notes));
	return CMD_OK;
}

int cmd_list(int argc, char **argv, struct err *err)
{
	struct list l = {.terminal = isatty(STDOUT_FILENO)};
	const struct opt opts[] = {
		{OPT_GROUP, .help = "Options:"},
		{OPT_FLAG, .letter = 'j', .name = "json", .value = &l.json,
		 .help = "a JSON array of {name, alias, class}"},
		{OPT_FLAG, .name = "raw-dump", .value = &l.raw_dump,
		 .help = "all names on one line, for shell completion"},
		{OPT_IGNORED, .letter = 'd', .name = "desc",
		 .help = "like --no-desc, accepted for scripts written for perf"},
		{OPT_IGNORED, .name = "no-desc", .flags = OPT_HIDDEN},
	};
	const struct opt_table table = {
		.command = "list",
		.summary = "list the events that can be recorded on this machine",
		.usage = {"[options] [CLASS|GLOB|TEXT]..."},
		.opts = opts,
		.nr = ARRAY_SIZE(opts),
		.notes = "Classes: hw sw cache tracepoint pmu raw bp. Other words are globs, or\n"
			 "text that the name must hold:\n\n"
			 "  perf-lite list 'net:*'\n"
			 "  perf-lite list sw fault\n\n"
			 "Exit code: 0 found, 1 nothing matches, 3 some events may not be seen.\n",
	};
	struct opt_rest rest;
	struct sysroot root;
	int ret;

	ret = opt_parse(&table, argc, argv, &rest, err);
	if (!ret && rest.help)
		return cmd_help(&table, err);
	if (!ret)
		ret = sysroot_open(&root, "/", err);
	if (ret)
		return ret;
	l.env.root = &root;
	read_words(&l, &rest);
	ret = list(&l, err);
	ev_env_close(&l.env);
	sysroot_close(&root);
	vec_free(&l.entries);
	arena_free(&l.arena);
	buf_free(&l.notes);
	return ret;
}
