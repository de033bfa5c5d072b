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
#include "perf-lite/list_detail.h"
#include "perf-lite/list_usdt.h"
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
	const struct list_usdt *usdt; /* a program's probe, or NULL */
};

struct list {
	struct ev_env env;
	struct arena arena;
	VEC(struct entry) entries;
	bool wanted[NR_CLASSES];
	bool asked[NR_CLASSES]; /* by name: then say why there is none */
	char **patterns;        /* of names of events */
	int nr_patterns;
	char **types; /* "struct NAME", "enum NAME", ... */
	int nr_types;
	struct list_usdt_probes probes;
	const char *field; /* of tracepoints, a glob; NULL: any */
	bool raw_dump, json, terminal, verbose;
	struct list_detail detail;
	struct buf notes;  /* why a class is missing, a line each */
	struct err denied; /* there are events, but this user may not see them */
};

/* ---- what there is ---- */

static int add(struct list *l, enum ev_class class, const char *name, const char *alias)
{
	struct entry *e = vec_push(&l->entries);

	if (!e)
		return -ENOMEM;
	*e = (struct entry){name, alias, class, NULL};
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
		const char *trace = pmu_traces(p->name);

		if (trace)
			note(l, EV_PMU,
			     arena_printf(&l->arena, "%s// is %s, which is not recorded", p->name,
					  trace));
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

/* Of the files that patterns name, which then choose among them. */
static int add_probes(struct list *l, struct err *err)
{
	u32 i, first = l->entries.nr;
	int p, ret = 0;

	l->probes.arena = &l->arena;
	for (p = 0; p < l->nr_patterns && !ret; p++)
		if (list_usdt_named(l->patterns[p]))
			ret = list_usdt_add(&l->probes, l->patterns[p], err);
	for (i = 0; i < l->probes.v.nr && !ret; i++) {
		ret = add(l, EV_PMU, l->probes.v.v[i].name, NULL);
		if (!ret)
			l->entries.v[first + i].usdt = &l->probes.v.v[i];
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
	if (!ret)
		ret = add_probes(l, err);
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

static bool has_field(const struct tp_format *f, const char *pattern)
{
	u32 i;

	for (i = 0; i < f->nr_fields; i++)
		if (glob_match(pattern, f->fields[i].name))
			return true;
	return false;
}

/* Keep tracepoints that have the field. */
static int select_by_field(struct list *l, struct err *err)
{
	struct tp_format *f;
	u32 i, kept = 0;

	if (!l->field)
		return 0;
	for (i = 0; i < l->entries.nr; i++) {
		if (l->entries.v[i].class != EV_TRACEPOINT)
			continue;
		f = list_detail_format(&l->detail, l->entries.v[i].name, err);
		if (!f)
			return -EINVAL;
		if (has_field(f, l->field))
			l->entries.v[kept++] = l->entries.v[i];
		tp_format_free(f);
	}
	l->entries.nr = kept;
	return 0;
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
	char *word;
	int i, c, files = 0;

	/* of the words, patterns gather at the front and types at the end */
	l->patterns = rest->argv;
	l->types = rest->argv + rest->argc;
	for (i = 0; i < rest->argc - l->nr_types;) {
		if (!list_detail_is_type(rest->argv[i])) {
			i++;
			continue;
		}
		word = rest->argv[i];
		memmove(rest->argv + i, rest->argv + i + 1,
			(size_t)(rest->argc - 1 - i) * sizeof(*rest->argv));
		rest->argv[rest->argc - 1] = word;
		l->types--;
		l->nr_types++;
	}
	for (i = 0; i < rest->argc - l->nr_types; i++) {
		c = class_of(rest->argv[i]);
		if (c < 0) {
			l->patterns[l->nr_patterns++] = rest->argv[i];
			files += list_usdt_named(rest->argv[i]);
		} else {
			any = l->wanted[c] = l->asked[c] = true;
		}
	}
	/* a program's probes are in none of the classes */
	any |= files && files == l->nr_patterns;
	if (any || (l->nr_types && !l->nr_patterns && !l->field))
		return;
	for (c = 0; c < NR_CLASSES; c++) {
		l->wanted[c] = true;
		l->asked[c] = l->terminal && !l->nr_patterns && !l->field;
	}
}

/* ---- output ---- */

static const char *label(const struct entry *e)
{
	return e->usdt ? "USDT probe" : classes[e->class].label;
}

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
	buf_addf(b, " [%s]\n", label(e));
}

static int put_json(struct list *l, const struct entry *e, struct buf *b, struct err *err)
{
	int ret = 0;

	buf_adds(b, "{\"name\": ");
	json_string(b, e->name, strlen(e->name));
	if (e->alias) {
		buf_adds(b, ", \"alias\": ");
		json_string(b, e->alias, strlen(e->alias));
	}
	buf_addf(b, ", \"class\": \"%s\"", e->usdt ? "usdt" : classes[e->class].name);
	if (l->verbose && e->usdt)
		list_usdt_detail(e->usdt, true, b);
	if (l->verbose && e->class == EV_TRACEPOINT)
		ret = list_detail_event(&l->detail, e->name, b, err);
	buf_addc(b, '}');
	return ret;
}

/* All of an event, over several lines. */
static int put_detail(struct list *l, const struct entry *e, struct buf *b, struct err *err)
{
	put_name(b, e->name);
	if (e->alias)
		buf_addf(b, " OR %s", e->alias);
	buf_addf(b, "  [%s]\n", label(e));
	if (e->usdt)
		list_usdt_detail(e->usdt, false, b);
	return e->class == EV_TRACEPOINT ? list_detail_event(&l->detail, e->name, b, err) : 0;
}

static int put_entry(struct list *l, u32 i, struct buf *b, struct err *err)
{
	const struct entry *e = &l->entries.v[i];
	bool last = i + 1 == l->entries.nr;
	int ret = 0;

	if (l->json) {
		ret = put_json(l, e, b, err);
		buf_adds(b, last && !l->nr_types ? "\n" : ",\n");
	} else if (l->verbose) {
		ret = put_detail(l, e, b, err);
		buf_adds(b, last ? "" : "\n");
	} else if (l->raw_dump) {
		put_name(b, e->name);
		buf_addc(b, last ? '\n' : ' ');
	} else if (l->terminal) {
		put_line(e, b);
	} else {
		put_name(b, e->name);
		buf_addc(b, '\n');
	}
	return ret;
}

static int put_all(struct list *l, struct buf *b, struct err *err)
{
	int ret = 0, t;
	u32 i;

	if (l->json)
		buf_adds(b, "[\n");
	for (i = 0; i < l->entries.nr && !ret; i++)
		ret = put_entry(l, i, b, err);
	for (t = 0; t < l->nr_types && !ret; t++) {
		buf_adds(b, l->json && t ? ",\n" : "");
		ret = list_detail_types(&l->detail, l->types[t], l->verbose, b, err);
	}
	if (l->json)
		buf_adds(b, l->nr_types ? "\n]\n" : "]\n");
	return ret;
}

static int print(struct list *l, struct err *err)
{
	struct pager pager = {0};
	struct buf b = {0};
	int ret;

	ret = put_all(l, &b, err);
	if (ret) {
		buf_free(&b);
		return ret;
	}
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

static int no_field(const struct list *l, struct err *err)
{
	err_set(err, ENOENT, "no tracepoint has a field '%.200s'", l->field);
	err_hint(err, "a part of the name: perf-lite list --field '*%.200s*'", l->field);
	return CMD_USAGE;
}

static int list(struct list *l, struct err *err)
{
	struct err ignored = {0};
	const char *missed;
	int ret;

	ret = gather(l, err);
	if (ret)
		return ret;
	missed = select_entries(l);
	l->detail.root = l->env.root;
	l->detail.json = l->json;
	if (l->wanted[EV_TRACEPOINT])
		l->detail.tracefs = ev_env_tracefs(&l->env, &ignored);
	ret = select_by_field(l, err);
	if (ret)
		return ret;
	if (!l->entries.nr && l->field && !missed && !l->denied.code)
		return no_field(l, err);
	if (!l->entries.nr && (missed || !l->nr_types))
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
		{OPT_FLAG, .letter = 'v', .name = "verbose", .value = &l.verbose,
		 .help = "fields, names of values and print fmt of tracepoints; types of the kernel as C"},
		{OPT_STRING, .name = "field", .arg = "NAME", .value = &l.field,
		 .help = "tracepoints that have this field (a glob)"},
		{OPT_FLAG, .letter = 'j', .name = "json", .value = &l.json,
		 .help = "a JSON array of {name, alias, class}, with -v of all that is told"},
		{OPT_FLAG, .name = "raw-dump", .value = &l.raw_dump,
		 .help = "all names on one line, for shell completion"},
		{OPT_IGNORED, .letter = 'd', .name = "desc",
		 .help = "like --no-desc, accepted for scripts written for perf"},
		{OPT_IGNORED, .name = "no-desc", .flags = OPT_HIDDEN},
	};
	const struct opt_table table = {
		.command = "list",
		.summary = "list the events that can be recorded on this machine",
		.usage = {"[options] [CLASS|GLOB|TEXT]...", "-v 'struct NAME'...",
			  "[-v] usdt:FILE[:PROVIDER:NAME]..."},
		.opts = opts,
		.nr = ARRAY_SIZE(opts),
		.notes = "Classes: hw sw cache tracepoint pmu raw bp. Other words are globs, or\n"
			 "text that the name must hold:\n\n"
			 "  perf-lite list 'net:*'\n"
			 "  perf-lite list sw fault\n"
			 "  perf-lite list -v skb:kfree_skb\n"
			 "  perf-lite list -v 'struct sk_buff'\n"
			 "  perf-lite list -v usdt:/usr/bin/python3\n\n"
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
	list_detail_free(&l.detail);
	ev_env_close(&l.env);
	sysroot_close(&root);
	vec_free(&l.entries);
	vec_free(&l.probes.v);
	arena_free(&l.arena);
	buf_free(&l.notes);
	return ret;
}
