// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/diff.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/io.h"
#include "util/base/text.h"

static const char notes[] =
	"OLD and NEW are recordings, or folded stacks; - is standard input. Without OLD,\n"
	"perf-lite.data.old is compared, without both, with perf-lite.data.\n\n"
	"  perf-lite record -F 999 -g -o old.data -- ./program\n"
	"  perf-lite record -F 999 -g -o new.data -- ./program --faster\n"
	"  perf-lite diff old.data new.data\n\n"
	"Exit codes: 0 compared, 1 wrong usage, unreadable, or nothing in common, 3 compared without\n"
	"what is damaged.\n";

struct word {
	const char *name;
	unsigned int value;
};

/* The value of a word; -EINVAL with the nearest one as the hint. */
static int find_word(const struct word *words, u32 nr, const char *arg, const char *what,
		     struct err *err)
{
	struct text_suggest suggest;
	struct buf names = {0};
	u32 i;

	text_suggest_init(&suggest, arg);
	for (i = 0; i < nr; i++) {
		if (!strcmp(words[i].name, arg)) {
			buf_free(&names);
			return (int)words[i].value;
		}
		text_suggest_add(&suggest, words[i].name);
		buf_addf(&names, "%s%s", i ? ", " : "", words[i].name);
	}
	err_set(err, EINVAL, "%s: unknown '%s'", what, arg);
	err_hint(err, suggest.best ? "did you mean '%s'?" : "it takes %s",
		 suggest.best ? suggest.best : buf_str(&names));
	buf_free(&names);
	return -EINVAL;
}

static int on_by(void *by, const char *arg, struct err *err)
{
	static const struct word words[] = {{"comm", DIFF_BY_COMM},
					    {"dso", DIFF_BY_FILE},
					    {"sym", DIFF_BY_NAME},
					    {"symbol", DIFF_BY_NAME}};
	char *list = strdup(arg), *at = list, *key;
	int ret = list ? 0 : err_nomem(err);
	unsigned int bits = 0;

	while (!ret && (key = strsep(&at, ","))) {
		ret = find_word(words, ARRAY_SIZE(words), key, "--by", err);
		if (ret > 0) {
			bits |= (unsigned int)ret;
			ret = 0;
		}
	}
	free(list);
	if (!ret)
		*(unsigned int *)by = bits;
	return ret;
}

static int on_sort(void *sort, const char *arg, struct err *err)
{
	static const struct word words[] = {{"change", DIFF_SORT_CHANGE},
					    {"old", DIFF_SORT_OLD},
					    {"new", DIFF_SORT_NEW},
					    {"name", DIFF_SORT_NAME}};
	int ret = find_word(words, ARRAY_SIZE(words), arg, "--sort", err);

	if (ret < 0)
		return ret;
	*(enum diff_sort *)sort = (enum diff_sort)ret;
	return 0;
}

static int on_normalise(void *scale, const char *arg, struct err *err)
{
	static const struct word words[] = {{"share", STACK_DIFF_SHARE},
					    {"second", STACK_DIFF_SECOND},
					    {"none", STACK_DIFF_NONE}};
	int ret = find_word(words, ARRAY_SIZE(words), arg, "--normalise", err);

	if (ret < 0)
		return ret;
	*(enum stack_diff_scale *)scale = (enum stack_diff_scale)ret;
	return 0;
}

static int on_per_second(void *scale, const char *arg, struct err *err)
{
	(void)arg;
	(void)err;
	*(enum stack_diff_scale *)scale = STACK_DIFF_SECOND;
	return 0;
}

static int on_number(const char *arg, double *v, const char *option, double low, double high,
		     struct err *err)
{
	char *end;

	*v = strtod(arg, &end);
	if (end != arg && !*end && *v >= low && *v <= high)
		return 0;
	return err_set(err, EINVAL, "%s takes a number from %g to %g, not '%s'", option, low, high,
		       arg);
}

static int on_percent_limit(void *limit, const char *arg, struct err *err)
{
	return on_number(arg, limit, "--percent-limit", 0, 100, err);
}

static int on_burst(void *burst, const char *arg, struct err *err)
{
	return on_number(arg, burst, "--burst", 1, 1e9, err);
}

/* The options of a side are its own: each command line is parsed once for either. */
static int parse(struct diff *d, struct reading *in, int argc, char **argv, struct opt_rest *rest,
		 bool *help, struct err *err)
{
	struct diff_view *v = &d->view;
	const struct opt opts[] = {
		{OPT_GROUP, 0, NULL, NULL, NULL, "What to compare", NULL, 0},
		{OPT_CALL, 's', "by", "KEY,...", &v->by,
		 "group by comm, dso, sym (default dso,sym)", on_by, 0},
		{OPT_FLAG, 0, "children", NULL, &v->children, "include callees", NULL, 0},
		{OPT_FLAG, 0, "stacks", NULL, &v->stacks, "compare stacks as well", NULL, 0},
		{OPT_CALL, 0, "normalise", "share|second|none", &v->scale,
		 "normalise by the total, by the duration, or not at all", on_normalise, 0},
		{OPT_CALL, 0, "normalize", "share|second|none", &v->scale, "", on_normalise,
		 OPT_HIDDEN},
		{OPT_CALL, 0, "per-second", NULL, &v->scale, "same as --normalise=second",
		 on_per_second, 0},
		{OPT_CALL, 0, "burst", "N", &d->burst,
		 "count N samples as one observation, for events that come in bursts", on_burst, 0},
		{OPT_GROUP, 0, NULL, NULL, NULL, "Output", NULL, 0},
		{OPT_FLAG, 'a', "all", NULL, &v->all, "show changes within noise as well", NULL, 0},
		{OPT_UINT, 'n', "rows", "N", &v->limit, "show the first N rows of each table", NULL,
		 0},
		{OPT_CALL, 0, "percent-limit", "PCT", &v->percent_limit,
		 "hide rows below this percentage in both recordings", on_percent_limit, 0},
		{OPT_CALL, 0, "sort", "change|old|new|name", &v->sort,
		 "sort by this (default change)", on_sort, 0},
		{OPT_FLAG, 0, "csv", NULL, &d->csv, "print functions, or stacks, as CSV", NULL, 0},
		{OPT_FLAG, 0, "json", NULL, &d->json, "print everything as one JSON object", NULL,
		 0},
		{OPT_FLAG, 0, "folded", NULL, &d->folded,
		 "print stacks with two counts, for flame graph tools", NULL, 0},
		{OPT_CALL, 0, "color", "WHEN", &d->colour, "auto, always, never", colour_option,
		 OPT_ARG_OPTIONAL},
		READING_SAMPLE_OPTS(in),
		READING_STACK_OPTS(in, "default all"),
		{OPT_GROUP, 0, NULL, NULL, NULL, "Names", NULL, 0},
		{OPT_STRING, 0, "symfs", "DIR", &in->session.symfs,
		 "look for binaries under DIR instead of /", NULL, 0},
		{OPT_FLAG, 0, "debuginfod", NULL, &in->session.debuginfod,
		 "fetch missing debug files from the servers in DEBUGINFOD_URLS", NULL, 0},
		{OPT_STRING, 0, "kallsyms", "FILE", &in->session.kallsyms,
		 "read kernel symbols from FILE", NULL, 0},
		{OPT_STRING, 'k', "vmlinux", "FILE", &in->session.vmlinux,
		 "read kernel symbols from this image", NULL, 0},
		{OPT_GROUP, 0, NULL, NULL, NULL, "Other", NULL, 0},
		READING_OTHER_OPTS(in),
	};
	const struct opt_table table = {
		.command = "diff",
		.summary = "compare two recordings: what changed beyond noise",
		.usage = {"[options] [[OLD] NEW]"},
		.opts = opts,
		.nr = ARRAY_SIZE(opts),
		.notes = notes,
	};
	int ret = opt_parse(&table, argc, argv, rest, err);

	if (!ret && rest->help && help)
		*help = true;
	return !ret && rest->help ? cmd_help(&table, err) : ret;
}

/* The one that record left beside the file that perf-lite.data stands for. */
static int find_older(struct diff *d, struct err *err)
{
	char *file;
	int ret = io_link_target("perf-lite.data", &file);

	if (ret == -ENOMEM || asprintf(&d->older, "%s.old", ret ? "perf-lite.data" : file) < 0) {
		d->older = NULL;
		ret = err_nomem(err);
	} else {
		ret = 0;
	}
	free(file);
	d->sides[STACK_DIFF_OLD].in.session.path = d->older;
	return ret;
}

static int check(struct diff *d, const struct opt_rest *rest, struct err *err)
{
	struct diff_side *old = &d->sides[STACK_DIFF_OLD], *new = &d->sides[STACK_DIFF_NEW];

	if (rest->argc > 2)
		return err_set(err, EINVAL, "two recordings are compared, but '%s' follows '%s'",
			       rest->argv[2], rest->argv[1]);
	if (d->csv + d->json + d->folded > 1)
		return err_set(err, EINVAL, "--csv, --json and --folded exclude each other");
	if (rest->argc > 1)
		old->in.session.path = rest->argv[0];
	else if (find_older(d, err))
		return -ENOMEM;
	if (rest->argc)
		new->in.session.path = rest->argv[rest->argc - 1];
	if (!strcmp(old->in.session.path, "-") && !strcmp(new->in.session.path, "-"))
		return err_set(err, EINVAL, "only one of both can be standard input");
	return 0;
}

int diff_options(struct diff *d, int argc, char **argv, struct opt_rest *rest, struct err *err)
{
	char **again = malloc(((size_t)argc + 1) * sizeof(*again));
	bool help = false;
	int i, ret = 0;

	*d = (struct diff){.view.by = DIFF_BY_FILE | DIFF_BY_NAME};
	for (i = 0; i < STACK_DIFF_SIDES; i++) {
		reading_init(&d->sides[i].in);
		d->sides[i].which = (enum stack_diff_side)i;
		d->sides[i].in.whose = i == STACK_DIFF_OLD ? "OLD: " : "NEW: ";
		d->sides[i].in.what = i == STACK_DIFF_OLD ? "Reading OLD" : "Reading NEW";
	}
	if (!again)
		return err_nomem(err);
	/* parsing moves the operands */
	memcpy(again, argv, ((size_t)argc + 1) * sizeof(*again));
	ret = parse(d, &d->sides[STACK_DIFF_OLD].in, argc, again, rest, &help, err);
	if (!ret && !help)
		ret = parse(d, &d->sides[STACK_DIFF_NEW].in, argc, argv, rest, NULL, err);
	if (!ret && !help)
		ret = check(d, rest, err);
	free(again);
	return ret;
}
