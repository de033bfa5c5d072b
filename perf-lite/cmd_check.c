// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_check.c - perf-lite check: what this user can record on this machine, and what to type about the rest.
 */
#include "perf-lite/cmd.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "perf-lite/check.h"
#include "util/base/json.h"
#include "util/base/text.h"
#include "util/cli/terminal.h"

/* Where what is checked begins, and how to enable it; room that a column of text needs. */
#define THING_COLUMN 11
#define HINT_COLUMN  13
#define ROOM_MIN     30

struct check {
	struct check_env env;
	bool json;
	enum colour_when colour_when;
	bool colour;
	size_t width; /* of lines */
	u32 missing;  /* of what was asked for */
	struct buf out;
};

static const char *const words[] = {
	[CHECK_YES] = "yes", [CHECK_LIMITED] = "limited", [CHECK_NO] = "no"};

/* Of a message that shows the place of a mistake, what the mistake is; without perf's first sentence. */
static const char *message(const struct check_result *r)
{
	static const char limited[] = "observability operations is limited. ";
	const char *mark = strstr(r->why.msg, "\\___ "), *reason;

	reason = mark ? NULL : strstr(r->why.msg, limited);
	if (reason)
		return reason + strlen(limited);
	return mark ? mark + 5 : r->why.msg;
}

/* The command at the end of a hint stays in one piece, to be copied. */
static void put_hint(const struct check *c, const char *hint, struct buf *b)
{
	const char *command = NULL, *colon = hint;
	struct buf before = {0};
	size_t len = strlen(hint);

	while ((colon = strstr(colon, ": ")))
		command = colon += 2;
	/* "(qemu: -cpu host), or ..." goes on behind it */
	if (command && strchr(command, ')'))
		command = NULL;
	buf_pad(b, ' ', HINT_COLUMN);
	if (!command || HINT_COLUMN + len <= c->width) {
		terminal_wrap(b, hint, HINT_COLUMN, HINT_COLUMN, command ? SIZE_MAX : c->width);
	} else {
		buf_add(&before, hint, (size_t)(command - hint) - 1);
		terminal_wrap(b, buf_str(&before), HINT_COLUMN, HINT_COLUMN, c->width);
		buf_pad(b, ' ', HINT_COLUMN);
		buf_addf(b, "%s\n", command);
	}
	buf_free(&before);
}

static void put_text(const struct check *c, const char *what, const struct check_result *r,
		     struct buf *b)
{
	static const enum colour colours[] = {[CHECK_YES] = COLOUR_GREEN,
					      [CHECK_LIMITED] = COLOUR_YELLOW,
					      [CHECK_NO] = COLOUR_RED};
	struct buf text = {0};
	size_t start, column;

	buf_addf(b, "  %s%-7s%s  ", terminal_colour(c->colour, colours[r->state]), words[r->state],
		 terminal_colour(c->colour, COLOUR_OFF));
	start = b->len;
	text_escape(b, what, strlen(what));
	if (r->state != CHECK_YES || *r->note) {
		buf_pad(b, ' ', b->len - start < 34 ? 34 - (b->len - start) : 1);
		column = THING_COLUMN + b->len - start;
		if (r->state == CHECK_YES)
			buf_adds(&text, r->note);
		else
			text_escape(&text, message(r), strlen(message(r)));
		/* beside a long name, or on a narrow terminal, there is no room */
		terminal_wrap(b, buf_str(&text), column,
			      column + ROOM_MIN <= c->width ? column : HINT_COLUMN, c->width);
	} else {
		buf_addc(b, '\n');
	}
	if (r->state != CHECK_YES && *r->why.hint)
		put_hint(c, r->why.hint, b);
	b->failed |= text.failed;
	buf_free(&text);
}

static void put_json(const char *name, const struct check_result *r, struct buf *b)
{
	json_open_item(b, '{');
	json_put_string(b, "name", name);
	json_put_string(b, "state", words[r->state]);
	if (*r->note)
		json_put_string(b, "note", r->note);
	if (r->state != CHECK_YES) {
		json_put_string(b, "why", message(r));
		json_put_string(b, "fix", r->why.hint);
	}
	buf_addc(b, '}');
}

static void put(struct check *c, const char *name, const char *what, const struct check_result *r)
{
	c->missing += r->state == CHECK_NO;
	if (c->json)
		put_json(name, r, &c->out);
	else
		put_text(c, what, r, &c->out);
}

static void put_title(const struct check *c, struct buf *b)
{
	struct buf title = {0};
	struct utsname u;

	uname(&u);
	buf_addf(&title, geteuid() ? "What user %u can" : "What root can", (unsigned int)geteuid());
	buf_addf(&title, " record on %s %s (%s), perf_event_paranoid %d:", u.sysname, u.release,
		 u.machine, c->env.limits.paranoid);
	terminal_wrap(b, buf_str(&title), 0, 0, c->width);
	buf_addc(b, '\n');
	b->failed |= title.failed;
	buf_free(&title);
}

static const struct check_item *find_item(const char *name)
{
	const struct check_item *items;
	u32 i, nr;

	items = check_items(&nr);
	for (i = 0; i < nr; i++)
		if (!strcmp(items[i].name, name))
			return &items[i];
	return NULL;
}

static int unknown(const char *name, struct err *err)
{
	const struct check_item *items;
	struct text_suggest suggest;
	struct buf names = {0};
	u32 i, nr;

	text_suggest_init(&suggest, name);
	items = check_items(&nr);
	for (i = 0; i < nr; i++) {
		text_suggest_add(&suggest, items[i].name);
		buf_addf(&names, "%s%s", i ? ", " : "", items[i].name);
	}
	err_set(err, EINVAL, "there is nothing called '%.100s' to check", name);
	if (!strcmp(name, "feature"))
		err_hint(err,
			 "nothing is left out of a build: perf-lite check says what works here");
	else if (suggest.best)
		err_hint(err, "did you mean '%s'?", suggest.best);
	else
		err_hint(err, "an event, as SYSTEM:NAME, or one of: %s", buf_str(&names));
	buf_free(&names);
	return -EINVAL;
}

static int check_named(struct check *c, char **names, int nr, struct err *err)
{
	const struct check_item *item;
	int i;

	for (i = 0; i < nr; i++) {
		struct check_result r = {0};

		item = find_item(names[i]);
		if (!item && !strpbrk(names[i], ":/") && !check_items_is_event(&c->env, names[i]))
			return unknown(names[i], err);
		if (item)
			item->run(&c->env, &r);
		else
			check_items_event(&c->env, names[i], &r);
		put(c, names[i], item ? item->what : names[i], &r);
	}
	return 0;
}

static void check_all(struct check *c)
{
	const struct check_item *items;
	u32 i, nr;

	items = check_items(&nr);
	for (i = 0; i < nr; i++) {
		struct check_result r = {0};

		items[i].run(&c->env, &r);
		put(c, items[i].name, items[i].what, &r);
	}
}

static int run(struct check *c, const struct opt_rest *rest, struct err *err)
{
	int ret;

	ret = limits_read(&c->env.root, &c->env.limits, err);
	if (!ret)
		ret = cpus_online(&c->env.root, &c->env.online, err);
	if (ret)
		return ret;
	c->env.events.root = &c->env.root;
	if (c->json)
		json_open(&c->out, '[');
	else if (!rest->argc)
		put_title(c, &c->out);
	if (rest->argc)
		ret = check_named(c, rest->argv, rest->argc, err);
	else
		check_all(c);
	if (c->json)
		buf_adds(&c->out, "]\n");
	if (ret)
		return ret;
	ret = cmd_write(&c->out, err);
	/* of all things some are always missing; of those that were asked for none should be */
	return ret ? ret : rest->argc && c->missing ? CMD_USAGE : CMD_OK;
}

#define OPT_STRUCT struct check

static const struct opt opts[] = {
	OPT_GROUP("Options:"),
	OPT_FLAG('j', "json", json, "print a JSON array of {name, state, note, why, fix}"),
	OPT_CALL_ON(0, "color", "WHEN", colour_when, terminal_colour_option,
		    "auto (a terminal, the default), always or never", OPT_ARG_OPTIONAL),
	OPT_END,
};

static const struct opt_table table = {
	.command = "check",
	.summary = "show what can be recorded here, and how to enable the rest",
	.usage = {"[options] [NAME|EVENT]..."},
	.opts = opts,
	.notes =
		"Without names, all is checked: user kernel all tracepoints hardware breakpoints\n"
		"uprobes kprobes symbols types stacks idle rings priority bpf. An event\n"
		"(sched:sched_switch) is opened, and BPF programs that may hide it are named.\n\n"
		"Exit code: 0 checked; 1 wrong usage, or what was named cannot be recorded.\n",
};

int cmd_check(int argc, char **argv, struct err *err)
{
	struct check c = {0};
	struct opt_rest rest;
	int ret;

	ret = cmd_options(&table, &c, argc, argv, &rest, err);
	if (!ret && !rest.help)
		ret = sysroot_open(&c.env.root, "/", err);
	if (ret || rest.help)
		return ret;
	c.width = terminal_width(STDOUT_FILENO);
	c.colour = terminal_has_colour(c.colour_when, STDOUT_FILENO);
	ret = run(&c, &rest, err);
	ev_env_close(&c.env.events);
	cpus_free(&c.env.online);
	sysroot_close(&c.env.root);
	buf_free(&c.out);
	return ret;
}
