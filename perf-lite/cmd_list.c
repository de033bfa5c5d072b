// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_list.c - perf-lite list: the events that can be recorded on this machine.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf-lite/cmd.h"
#include "perf-lite/list.h"
#include "util/base/glob.h"
#include "util/base/json.h"
#include "util/base/text.h"
#include "util/event/ev_names.h"

struct list {
	struct list_events events;
	char **types; /* "struct NAME", "enum NAME", ..., probes, and events with an expression */
	int nr_types;
	const char *field; /* of tracepoints, a glob; NULL: any */
	bool raw_dump, json, terminal, verbose;
	struct list_detail detail;
};

/* ---- what was asked for ---- */

static bool has_field(const struct tp_format *f, const char *pattern)
{
	u32 i;

	for (i = 0; i < f->nr_fields; i++)
		if (glob_match(pattern, f->fields[i].name))
			return true;
	return false;
}

/* The tracepoint of a probe may be removed after its name was read: of several, it is left out. */
static bool removed_since(const struct list *l, struct err *err)
{
	bool removed = err->code == ENOENT && l->events.v.nr > 1;

	if (removed)
		*err = (struct err){0};
	return removed;
}

/* Keep tracepoints that have the field. */
static int select_by_field(struct list *l, struct err *err)
{
	struct tp_format *f;
	u32 i, kept = 0;

	if (!l->field)
		return 0;
	for (i = 0; i < l->events.v.nr; i++) {
		if (l->events.v.v[i].class != EV_TRACEPOINT)
			continue;
		f = list_detail_format(&l->detail, l->events.v.v[i].name, err);
		if (!f && removed_since(l, err))
			continue;
		if (!f)
			return -err->code;
		if (has_field(f, l->field))
			l->events.v.v[kept++] = l->events.v.v[i];
		tp_format_free(f);
	}
	l->events.v.nr = kept;
	return 0;
}

/* Words that name classes say where to look, all others what for. */
static void read_words(struct list *l, const struct opt_rest *rest)
{
	bool any = false;
	char *word;
	int i, c, files = 0;

	/* of the words, patterns gather at the front and types at the end */
	l->events.patterns = rest->argv;
	l->types = rest->argv + rest->argc;
	for (i = 0; i < rest->argc - l->nr_types;) {
		if (!list_detail_is_type(rest->argv[i]) && !list_members_named(rest->argv[i])) {
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
		c = list_events_class(rest->argv[i]);
		if (c < 0) {
			l->events.patterns[l->events.nr_patterns++] = rest->argv[i];
			files += list_usdt_named(rest->argv[i]);
		} else {
			any = l->events.wanted[c] = l->events.asked[c] = true;
		}
	}
	/* a program's probes are in none of the classes */
	any |= files && files == l->events.nr_patterns;
	if (any || (l->nr_types && !l->events.nr_patterns && !l->field))
		return;
	for (c = 0; c < LIST_EVENTS_CLASSES; c++) {
		l->events.wanted[c] = true;
		l->events.asked[c] = l->terminal && !l->events.nr_patterns && !l->field;
	}
}

/* ---- output ---- */

static void put_name(struct buf *b, const char *name)
{
	text_escape(b, name, strlen(name));
}

static void put_line(const struct list_event *e, struct buf *b)
{
	size_t start;

	buf_adds(b, "  ");
	start = b->len;
	put_name(b, e->name);
	if (e->alias)
		buf_addf(b, " OR %s", e->alias);
	if (b->len - start < 50)
		buf_pad(b, ' ', 50 - (b->len - start));
	buf_addf(b, " [%s]\n", list_events_label(e));
}

static int put_json(struct list *l, const struct list_event *e, struct buf *b, struct err *err)
{
	int ret = 0;

	buf_adds(b, "{\"name\": ");
	json_string(b, e->name, strlen(e->name));
	if (e->alias) {
		buf_adds(b, ", \"alias\": ");
		json_string(b, e->alias, strlen(e->alias));
	}
	buf_addf(b, ", \"class\": \"%s\"", list_events_class_name(e));
	if (l->verbose && e->usdt)
		list_usdt_detail(e->usdt, true, b);
	if (l->verbose && e->class == EV_TRACEPOINT)
		ret = list_detail_event(&l->detail, e->name, b, err);
	buf_addc(b, '}');
	return ret;
}

/* All of an event, over several lines. */
static int put_detail(struct list *l, const struct list_event *e, struct buf *b, struct err *err)
{
	int ret;

	put_name(b, e->name);
	if (e->alias)
		buf_addf(b, " OR %s", e->alias);
	buf_addf(b, "  [%s]\n", list_events_label(e));
	if (e->usdt)
		list_usdt_detail(e->usdt, false, b);
	if (e->class != EV_TRACEPOINT)
		return 0;
	ret = list_detail_event(&l->detail, e->name, b, err);
	/* more would be too much of several */
	return ret || l->events.v.nr > 1 ? ret
					 : list_members_tracepoint(&l->detail, e->name, b, err);
}

static int put_entry(struct list *l, u32 i, struct buf *b, struct err *err)
{
	const struct list_event *e = &l->events.v.v[i];

	if (l->json)
		return put_json(l, e, b, err);
	if (l->verbose)
		return put_detail(l, e, b, err);
	if (l->terminal) {
		put_line(e, b);
	} else {
		put_name(b, e->name);
		buf_adds(b, l->raw_dump ? "" : "\n");
	}
	return 0;
}

static int put_events(struct list *l, struct buf *b, struct err *err)
{
	const char *between = l->json ? ",\n" : l->raw_dump ? " " : l->verbose ? "\n" : "";
	u32 i, nr = 0;
	size_t start;
	int ret = 0;

	for (i = 0; i < l->events.v.nr && !ret; i++) {
		start = b->len;
		buf_adds(b, nr ? between : "");
		ret = put_entry(l, i, b, err);
		if (ret && removed_since(l, err)) {
			b->len = start;
			ret = 0;
		} else {
			nr++;
		}
	}
	buf_adds(b, nr && l->raw_dump ? "\n" : "");
	buf_adds(b, nr && l->json ? l->nr_types ? ",\n" : "\n" : "");
	return ret;
}

static int put_all(struct list *l, struct buf *b, struct err *err)
{
	int ret, t;

	if (l->json)
		buf_adds(b, "[\n");
	ret = put_events(l, b, err);
	for (t = 0; t < l->nr_types && !ret; t++) {
		buf_adds(b, l->json && t ? ",\n" : "");
		ret = list_members_named(l->types[t])
			      ? list_members_word(&l->detail, l->types[t], b, err)
			      : list_detail_types(&l->detail, l->types[t], l->verbose, b, err);
	}
	if (l->json)
		buf_adds(b, l->nr_types ? "\n]\n" : "]\n");
	return ret;
}

static int print(struct list *l, struct err *err)
{
	struct buf b = {0};
	int ret = put_all(l, &b, err);

	if (!ret)
		return cmd_write_paged(0, &b, err);
	buf_free(&b);
	return ret;
}

/* ---- the command ---- */

/* Is it a type of the kernel? */
static bool suggest_type(struct list *l, const char *word, struct err *err)
{
	static const char *const kinds[] = {"struct", "union", "enum", "typedef"};
	struct err ignored = {0};
	struct buf out = {0};
	char type[256];
	bool is = false;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds) && !is && !glob_is_pattern(word); i++) {
		snprintf(type, sizeof(type), "%s %.200s", kinds[i], word);
		is = !list_detail_types(&l->detail, type, false, &out, &ignored);
	}
	if (is)
		err_hint(err, "a type of the kernel: perf-lite list -v %s", TEXT_SHELL(type));
	buf_free(&out);
	return is;
}

static void suggest(struct list *l, const char *pattern, struct err *err)
{
	const char *colon = strchr(pattern, ':');
	char *system;

	err_hint(err, "perf-lite list shows all");
	if (!strncmp(pattern, "metric", 6)) {
		err_hint(err, "perf-lite stat --metric list shows them");
		return;
	}
	if (!strcmp(pattern, "sdt")) {
		err_hint(err, "perf-lite list usdt:FILE shows those of a program or library");
		return;
	}
	if (!colon && suggest_type(l, pattern, err))
		return;
	if (!colon) {
		ev_suggest_event(&l->events.env, pattern, err);
		return;
	}
	system = strndup(pattern, (size_t)(colon - pattern));
	if (system)
		ev_suggest_tracepoint(&l->events.env, system, colon + 1, err);
	free(system);
}

/* What kept us from seeing all is worth more than that nothing was found. */
static int nothing(struct list *l, const char *missed, struct err *err)
{
	if (l->events.denied.code) {
		*err = l->events.denied;
		return CMD_USAGE;
	}
	if (l->events.notes.len) {
		err_set(err, ENOENT, "%s", buf_str(&l->events.notes));
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
	if (glob_is_pattern(l->field))
		err_hint(err, "perf-lite list -v EVENT shows the fields of a tracepoint");
	else
		err_hint(err, "a part of the name: perf-lite list --field '*%.200s*'", l->field);
	return CMD_USAGE;
}

static int list(struct list *l, struct err *err)
{
	struct err ignored = {0};
	const char *missed;
	int ret;

	ret = list_events_gather(&l->events, err);
	if (ret)
		return ret;
	missed = list_events_select(&l->events);
	l->detail.env = &l->events.env;
	l->detail.json = l->json;
	if (l->events.wanted[EV_TRACEPOINT])
		l->detail.tracefs = ev_env_tracefs(&l->events.env, &ignored);
	ret = select_by_field(l, err);
	if (ret)
		return ret;
	if (!l->events.v.nr && l->field && !missed && !l->events.denied.code)
		return no_field(l, err);
	if (!l->events.v.nr && (missed || !l->nr_types))
		return nothing(l, missed, err);
	ret = print(l, err);
	if (ret)
		return ret;
	if (missed)
		return nothing(l, missed, err);
	if (l->events.denied.code) {
		*err = l->events.denied;
		return CMD_PARTIAL;
	}
	if (l->events.notes.len)
		err_set(err, ENOENT, "%s", buf_str(&l->events.notes));
	return CMD_OK;
}

#define OPT_STRUCT struct list

static const struct opt opts[] = {
	OPT_GROUP("Options:"),
	OPT_FLAG(
		'v', "verbose", verbose,
		"print fields, names of values and print fmt of tracepoints; types of the kernel as C"),
	OPT_STRING(0, "field", "NAME", field, "only tracepoints with this field (a glob)"),
	OPT_FLAG('j', "json", json,
		 "print a JSON array of {name, alias, class}, with -v of everything"),
	OPT_FLAG(0, "raw-dump", raw_dump, "print all names on one line, for shell completion"),
	{.type = OPT_TYPE_IGNORED,
	 .letter = 'd',
	 .name = "desc",
	 .help = "like --no-desc, accepted for scripts written for perf"},
	OPT_IGNORED(0, "no-desc", NULL),
	OPT_REFUSED('o', "output", "the list goes to standard output: > FILE"),
	OPT_REFUSED(0, "details", "-v"),
	OPT_REFUSED('e', NULL, "without it: perf-lite list 'sched:*'"),
	OPT_END,
};

static const struct opt_table table = {
	.command = "list",
	.summary = "list the events of this machine and their fields",
	.usage = {"[options] [CLASS|GLOB|TEXT]...", "-v 'struct NAME'...",
		  "[-v] usdt:FILE[:PROVIDER:NAME]...", "PROBE|'EVENT(EXPRESSION)'..."},
	.opts = opts,
	.notes = "Classes: hw sw cache tracepoint pmu raw bp. Other words are globs, or\n"
		 "text that the name must hold:\n\n"
		 "  perf-lite list 'net:*'\n"
		 "  perf-lite list sw fault\n"
		 "  perf-lite list -v skb:kfree_skb\n"
		 "  perf-lite list -v 'struct sk_buff'\n"
		 "  perf-lite list -v usdt:/usr/bin/python3\n"
		 "  perf-lite list uprobe:./server:handle 'skb:kfree_skb(skb->dev)'\n\n"
		 "Exit code: 0 found, 1 nothing matches, 3 some events may not be seen.\n",
};

int cmd_list(int argc, char **argv, struct err *err)
{
	struct list l = {.terminal = isatty(STDOUT_FILENO)};
	struct opt_rest rest;
	struct sysroot root;
	int ret;

	ret = cmd_options(&table, &l, argc, argv, &rest, err);
	if (!ret && !rest.help)
		ret = sysroot_open(&root, "/", err);
	if (ret || rest.help)
		return ret;
	l.events.env.root = &root;
	read_words(&l, &rest);
	ret = list(&l, err);
	list_events_free(&l.events);
	sysroot_close(&root);
	return ret;
}
