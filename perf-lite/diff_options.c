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
	"OLD and NEW are recordings, folded stacks, or what perf script prints; - is standard\n"
	"input. Without OLD, perf-lite.data.old is compared, without both, with perf-lite.data.\n\n"
	"  perf-lite record -F 999 -g -o old.data -- ./program\n"
	"  perf-lite record -F 999 -g -o new.data -- ./program --faster\n"
	"  perf-lite diff old.data new.data\n\n"
	"Exit codes: 0 compared, 1 wrong usage, unreadable, or nothing in common, 3 compared without\n"
	"what is damaged.\n";

#define BY_DEFAULT (DIFF_BY_FILE | DIFF_BY_NAME)

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

#define COMPUTED "each row has both shares, their difference and their ratio; --sort orders them"

static int on_by(void *by, const char *arg, struct err *err)
{
	static const struct word words[] = {{"comm", DIFF_BY_COMM},
					    {"dso", DIFF_BY_FILE},
					    {"sym", DIFF_BY_NAME},
					    {"symbol", DIFF_BY_NAME}};
	char *list, *at, *key;
	unsigned int bits = 0;
	int ret;

	if (!*arg) {
		err_set(err, EINVAL, "no key is named");
		err_hint(err, "for example --by comm,sym");
		return -EINVAL;
	}
	list = at = strdup(arg);
	ret = list ? 0 : err_nomem(err);

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
	unsigned int by;

	if (ret < 0) {
		if (!on_by(&by, arg, NULL))
			err_hint(err, "to group by it: -s %s", arg);
		return ret;
	}
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

/* perf diff -c says how to compare; here it is the same in all readers. */
static int on_comms(void *in, const char *arg, struct err *err)
{
	static const char *const computed[] = {"delta", "delta-abs", "ratio", "cycles"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(computed) && strcmp(arg, computed[i]) != 0; i++)
		;
	if (i == ARRAY_SIZE(computed) && strncmp(arg, "wdiff", 5) != 0)
		return reading_on_comms(in, arg, err);
	err_set(err, EINVAL, "-c %s: -c names commands", arg);
	err_hint(err, COMPUTED);
	return -EINVAL;
}

static const struct opt_mistaken mistaken[] = {{'C', "commands: -c NAME,..."}, {0}};

#define OPT_STRUCT struct diff

static const struct opt opts[] = {
	OPT_GROUP("What to compare"),
	OPT_CALL_ON('s', "by", "KEY,...", view.by, on_by,
		    "group by comm, dso, sym (default dso,sym)"),
	OPT_FLAG(0, "children", view.children, "include callees"),
	OPT_FLAG(0, "stacks", view.stacks, "compare stacks as well"),
	OPT_CALL_ON(0, "normalise", "share|second|none", view.scale, on_normalise,
		    "normalise by the total, by the duration, or not at all"),
	OPT_CALL_ON(0, "normalize", "share|second|none", view.scale, on_normalise, "", OPT_HIDDEN),
	OPT_CALL_ON(0, "per-second", NULL, view.scale, on_per_second, "same as --normalise=second"),
	OPT_CALL_ON(0, "burst", "N", burst, on_burst,
		    "count N samples as one observation, for events that come in bursts"),
	OPT_GROUP("Output"),
	OPT_FLAG('a', "all", view.all, "show changes within noise as well"),
	OPT_UINT('n', "rows", "N", view.limit, "show the first N rows of each table", OPT_POSITIVE),
	OPT_CALL_ON(0, "percent-limit", "PCT", view.percent_limit, on_percent_limit,
		    "hide rows below this percentage in both recordings"),
	OPT_CALL_ON(0, "sort", "change|old|new|name", view.sort, on_sort,
		    "sort by this (default change)"),
	OPT_FLAG(0, "csv", csv, "print functions, or stacks, as CSV"),
	OPT_FLAG(0, "json", json, "print everything as one JSON object"),
	OPT_FLAG(0, "folded", folded, "print stacks with two counts, for flame graph tools"),
	OPT_CALL_ON(0, "color", "WHEN", colour, terminal_colour_option, "auto, always, never",
		    OPT_ARG_OPTIONAL),
	OPT_CALL_ON('c', NULL, "NAME,...", in, on_comms, NULL, OPT_HIDDEN),
	OPT_CALL_ON('d', NULL, "FILE,...", in, reading_on_dsos, NULL, OPT_HIDDEN),
	OPT_INCLUDE(reading_sample_opts, in),
	OPT_INCLUDE(reading_weight_opts, in),
	OPT_UINT(0, "max-stack", "N", in.max_stack,
		 "use at most N frames of each stack (default all)"),
	OPT_INCLUDE(reading_name_opts, in),
	OPT_GROUP("Names"),
	OPT_INCLUDE(reading_symbol_opts, in.session),
	OPT_GROUP("Other"),
	OPT_INCLUDE(reading_other_opts, in),
	OPT_REFUSED('i', "input", "without -i: perf-lite diff BEFORE AFTER"),
	OPT_REFUSED(0, "compute", COMPUTED),
	OPT_REFUSED('o', "order", "--sort change|old|new|name"),
	OPT_REFUSED('b', "baseline-only", "--sort old: rows that only NEW has come last"),
	OPT_REFUSED('p', "period", "--csv or --json: old_weight and new_weight"),
	OPT_REFUSED('F', "formula", "--csv or --json: old_weight and new_weight"),
	OPT_REFUSED('t', "field-separator", "--csv"),
	OPT_REFUSED('D', "dump-raw-trace", "perf-lite script -D -i FILE has them"),
	OPT_REFUSED(0, "stream", "--stacks compares call chains"),
	OPT_REFUSED(0, "cycles-hist",
		    "cycles by branch: perf-lite report -b -s symbol_from,cycles"),
	OPT_IGNORED('m', "modules", NULL),
	OPT_IGNORED('v', "verbose", NULL),
	OPT_END,
};

static const struct opt_table table = {
	.command = "diff",
	.summary = "compare two recordings: what changed beyond noise",
	.usage = {"[options] [[OLD] NEW]"},
	.opts = opts,
	.mistaken = mistaken,
	.notes = notes,
};

/* The options of a side are its own: the command line is parsed once for each. */
static int parse_side(struct diff *d, enum stack_diff_side which, int argc, char **argv,
		      struct opt_rest *rest, struct err *err)
{
	struct diff_side *side = &d->sides[which];
	int ret;

	reading_init(&d->in);
	ret = cmd_options(&table, d, argc, argv, rest, err);
	side->in = d->in;
	side->in.whose = which == STACK_DIFF_OLD ? "OLD: " : "NEW: ";
	side->in.what = which == STACK_DIFF_OLD ? "Reading OLD" : "Reading NEW";
	return ret;
}

/* The previous recording, which record kept beside the file that perf-lite.data points to. */
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

/* Options that say nothing to stacks with their counts. */
static const char *table_option(const struct diff *d)
{
	const struct diff_view *v = &d->view;
	const struct {
		const char *option;
		bool given;
	} options[] = {
		{"--by", v->by != BY_DEFAULT},
		{"--children", v->children},
		{"--normalise", v->scale != STACK_DIFF_SHARE},
		{"--burst", d->burst != 0},
		{"--rows", v->limit},
		{"--percent-limit", v->percent_limit > 0},
		{"--sort", v->sort != DIFF_SORT_CHANGE},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(options); i++)
		if (options[i].given)
			return options[i].option;
	return NULL;
}

static int check(struct diff *d, const struct opt_rest *rest, struct err *err)
{
	const char *option = d->folded ? table_option(d) : NULL;
	struct diff_side *old = &d->sides[STACK_DIFF_OLD], *new = &d->sides[STACK_DIFF_NEW];

	if (rest->argc > 2) {
		err_set(err, EINVAL, "two recordings are compared, but '%s' follows '%s'",
			rest->argv[2], rest->argv[1]);
		err_hint(err, "one after the other: perf-lite diff %s %s",
			 TEXT_SHELL(rest->argv[0]), TEXT_SHELL(rest->argv[2]));
		return -EINVAL;
	}
	if (d->csv + d->json + d->folded > 1)
		return err_set(err, EINVAL, "--csv, --json and --folded exclude each other");
	if (option) {
		err_set(err, EINVAL, "--folded prints stacks with both counts: %s is for tables",
			option);
		err_hint(err, "leave out %s", option);
		return -EINVAL;
	}
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
	int i, ret;

	*d = (struct diff){.view.by = BY_DEFAULT};
	for (i = 0; i < STACK_DIFF_SIDES; i++) {
		reading_init(&d->sides[i].in);
		d->sides[i].which = (enum stack_diff_side)i;
	}
	if (!again)
		return err_nomem(err);
	/* parsing moves the operands */
	memcpy(again, argv, ((size_t)argc + 1) * sizeof(*again));
	ret = parse_side(d, STACK_DIFF_OLD, argc, again, rest, err);
	if (!ret && !rest->help)
		ret = parse_side(d, STACK_DIFF_NEW, argc, argv, rest, err);
	if (!ret && !rest->help)
		ret = check(d, rest, err);
	free(again);
	return ret;
}
