// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_flamegraph.c - perf-lite flamegraph: a recording or stacks as text in, a picture out.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perf-lite/cmd.h"
#include "perf-lite/flamegraph_request.h"
#include "util/base/text.h"

/* The one of several words that `word` is; -EINVAL with err set. */
static int choose(const char *option, const char *word, const char *const *all, u32 nr, u32 *chosen,
		  struct err *err)
{
	struct text_suggest suggest;
	struct buf names = {0};
	u32 i;

	text_suggest_init(&suggest, word);
	for (i = 0; i < nr; i++) {
		if (!strcmp(all[i], word)) {
			*chosen = i;
			buf_free(&names);
			return 0;
		}
		text_suggest_add(&suggest, all[i]);
		buf_addf(&names, "%s%s", i ? " or " : "", all[i]);
	}
	err_set(err, EINVAL, "%s takes %s, not '%s'", option, buf_str(&names), word);
	if (suggest.best)
		err_hint(err, "did you mean %s %s?", option, suggest.best);
	buf_free(&names);
	return -EINVAL;
}

/* "0.5": hundredths of a px. */
static bool hundredths(const char *s, u64 *v)
{
	u64 n = 0, scale = 100;

	if (!isdigit((unsigned char)*s))
		return false;
	for (; isdigit((unsigned char)*s) && n < 1000000; s++)
		n = n * 10 + (u64)(*s - '0') * 100;
	if (*s == '.')
		for (s++; isdigit((unsigned char)*s) && scale > 1; s++) {
			scale /= 10;
			n += (u64)(*s - '0') * scale;
		}
	*v = n;
	return !*s;
}

static int check_sizes(struct flamegraph_request *r, const struct flamegraph_asked *w,
		       struct err *err)
{
	u64 min = FLAMEGRAPH_MIN_WIDTH;

	if (w->width < FLAMEGRAPH_WIDTH_MIN || w->width > FLAMEGRAPH_WIDTH_MAX)
		return err_set(err, EINVAL, "--width takes %u to %u px, not %llu",
			       FLAMEGRAPH_WIDTH_MIN, FLAMEGRAPH_WIDTH_MAX,
			       (unsigned long long)w->width);
	if (w->min_width &&
	    (!hundredths(w->min_width, &min) || !min || min > FLAMEGRAPH_MIN_WIDTH_MAX))
		return err_set(err, EINVAL, "--min-width takes 0.01 to %u px, not %s",
			       FLAMEGRAPH_MIN_WIDTH_MAX / 100, w->min_width);
	r->draw.width = (u32)w->width;
	r->draw.min_width = (u32)min;
	return 0;
}

static int check_words(struct flamegraph_request *r, const struct flamegraph_asked *w,
		       struct err *err)
{
	static const char *const weights[] = {"period", "samples"};
	static const char *const colours[] = {"class", "dso"};
	/* a timeline shows how often, a flame graph how much */
	u32 weight = r->timeline, colour = 0;
	int ret = 0;

	if (r->stacks.by && !*r->stacks.by) {
		err_set(err, EINVAL, "no key is named");
		err_hint(err, "for example --by cpu, or --by a field of the event");
		return -EINVAL;
	}
	if (w->weight)
		ret = choose("--weight", w->weight, weights, ARRAY_SIZE(weights), &weight, err);
	if (!ret && w->colour)
		ret = choose("--colour", w->colour, colours, ARRAY_SIZE(colours), &colour, err);
	r->stacks.count_samples = weight;
	r->draw.colour = colour ? FLAMEGRAPH_BY_FILE : FLAMEGRAPH_BY_CLASS;
	return ret;
}

/* Options that say nothing to folded text; of frames, unless it is compared with a recording. */
static const char *recording_option(const struct flamegraph_request *r,
				    const struct flamegraph_asked *w)
{
	const bool alone = !r->diff;
	const struct {
		const char *option;
		bool given;
	} options[] = {
		{"--timeline", r->timeline},
		{"--per-event", r->stacks.per_event},
		{"--annotate", r->annotate},
		{"--by", r->stacks.by},
		{"--stack-field", r->stacks.top},
		{"--weight", w->weight},
		{"--max-stack", alone && r->in.max_stack != UINT64_MAX},
		{"--inline", alone && r->in.inlines},
		{"--no-inline", alone && r->in.no_inlines},
		{"--no-demangle", alone && r->in.session.resolve.no_demangle},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(options); i++)
		if (options[i].given)
			return options[i].option;
	return reading_needs_recording(&r->in);
}

static int check_together(const struct flamegraph_request *r, struct err *err)
{
	if (r->timeline && r->diff)
		return err_set(err, EINVAL, "--timeline and --diff do not go together");
	if (r->timeline && r->annotate)
		return err_set(err, EINVAL, "--timeline and --annotate do not go together");
	if (r->annotate && !flamegraph_picture_is_html(r->output)) {
		err_set(err, EINVAL, "--annotate is for pages of HTML, which %s is not",
			r->output ? r->output : "standard output");
		err_hint(err, "-o flame.html");
		return -EINVAL;
	}
	if (r->timeline && r->stacks.top)
		return err_set(err, EINVAL,
			       "--timeline shows time: --stack-field is for flame graphs");
	if (r->stacks.count_samples && r->in.session.threads.latency) {
		err_set(err, EINVAL, "--latency weighs samples by wall-clock time");
		err_hint(err, r->timeline ? "leave it out, or --timeline"
					  : "leave it out, or --weight samples");
		return -EINVAL;
	}
	if (r->stacks.per_event && r->in.event)
		return err_set(err, EINVAL, "--per-event and --event do not go together");
	if (r->stacks.per_event && !r->output) {
		err_set(err, EINVAL, "--per-event writes several pictures");
		err_hint(err, "name them: -o out.svg gives out.EVENT.svg for each event");
		return -EINVAL;
	}
	if (r->diff && !strcmp(r->diff, r->in.session.path) && !strcmp(r->diff, "-"))
		return err_set(err, EINVAL, "both recordings cannot be standard input");
	return 0;
}

/* The file to read: an operand, -i, what comes on standard input, or the default. */
static int find_input(struct flamegraph_request *r, const struct opt_rest *rest, struct err *err)
{
	const char **path = &r->in.session.path;
	struct stat st;

	if (rest->argc > 1)
		return err_set(err, EINVAL, "one FILE at most, but '%s' follows '%s'",
			       rest->argv[1], rest->argv[0]);
	if (rest->argc && *path)
		return err_set(err, EINVAL, "one FILE at most, but -i names '%s' and '%s' follows",
			       *path, rest->argv[0]);
	if (rest->argc)
		*path = rest->argv[0];
	if (*path)
		return 0;
	*path = "-";
	/* nobody sends stacks from a terminal, or from /dev/null */
	if (!fstat(STDIN_FILENO, &st) && !S_ISCHR(st.st_mode))
		return 0;
	*path = "perf-lite.data";
	if (!access(*path, F_OK))
		return 0;
	err_set(err, EINVAL, "no FILE is given, and there is no perf-lite.data here");
	err_hint(err, "perf-lite flamegraph -i FILE -o flame.svg");
	return -EINVAL;
}

static int check(struct flamegraph_request *r, const struct opt_rest *rest, struct err *err)
{
	const struct flamegraph_asked *w = &r->asked;
	int ret = find_input(r, rest, err);

	if (r->output && !strcmp(r->output, "-"))
		r->output = NULL;
	if (!ret)
		ret = flamegraph_picture_check(r->output, err);
	if (!ret)
		ret = check_sizes(r, w, err);
	if (!ret)
		ret = check_words(r, w, err);
	if (!ret)
		ret = check_together(r, err);
	if (!ret && !r->output && isatty(STDOUT_FILENO)) {
		err_set(err, EINVAL, "the picture would go to the terminal");
		err_hint(err, "add -o flame.svg, or > flame.svg");
		return -EINVAL;
	}
	r->needs_recording = recording_option(r, w);
	r->draw.html = flamegraph_picture_is_html(r->output);
	return ret;
}

static void init_reading(struct reading *in, const struct flamegraph_request *r)
{
	in->what = "Reading samples";
	in->judges = true;
	in->session.want.no_raw =
		!r->stacks.top && (!r->stacks.by || flamegraph_root_is_key(r->stacks.by));
	in->session.want.raw_event = r->stacks.by ? NULL : FLAMEGRAPH_ROOT_EVENT;
	in->session.want.grouped = in->session.want.no_raw && !r->timeline;
	in->session.resolve.inlines = INLINES_ALL;
	in->session.want.addresses = r->annotate;
}

#define OPT_STRUCT struct flamegraph_request

static const struct opt opts[] = {
	OPT_INCLUDE(reading_input_opts, in),
	OPT_INCLUDE(reading_sample_opts, in),
	OPT_GROUP("What to draw"),
	OPT_STRING(
		0, "by", "KEY", stacks.by,
		"put stacks on their comm (default; for drops, the reason), cpu, pid, tid, a FIELD, or none"),
	OPT_STRING(0, "stack-field", "FIELD", stacks.top,
		   "put this tracepoint field on top of its stacks"),
	OPT_INCLUDE(reading_weight_opts, in),
	OPT_STRING(0, "weight", "WHAT", asked.weight,
		   "weigh stacks by period (default) or by samples"),
	OPT_STRING(0, "diff", "OLD", diff,
		   "colour the change since this recording: red is more, blue is less"),
	OPT_FLAG(0, "per-event", stacks.per_event,
		 "draw each event to out.EVENT.svg; with --diff, against the same event of OLD"),
	OPT_FLAG(0, "annotate", annotate,
		 "on an HTML page: with the instructions of the hottest functions, by a click"),
	OPT_FLAG(0, "timeline", timeline,
		 "draw a heat map: samples of each CPU (or --by) over time, with losses"),
	OPT_UINT(0, "max-stack", "N", in.max_stack,
		 "use at most N frames of each stack (default all)"),
	OPT_INCLUDE(reading_name_opts, in),
	OPT_GROUP("The picture"),
	OPT_STRING('o', "output", "FILE", output,
		   "write SVG to FILE instead of standard output; .html: an HTML page"),
	OPT_STRING(0, "title", "TEXT", title, "the headline"),
	OPT_UINT(0, "width", "PX", asked.width, "width of the picture (default 1200)"),
	OPT_STRING(0, "min-width", "PX", asked.min_width,
		   "merge frames narrower than this (default 0.1)"),
	OPT_FLAG(0, "inverted", draw.inverted,
		 "put the outermost function at the top (icicle graph)"),
	OPT_STRING(0, "colour", "BY", asked.colour,
		   "colour by class of code (default): user, kernel, inlined, made; or by dso"),
	OPT_STRING(0, "color", "BY", asked.colour, NULL, OPT_HIDDEN),
	OPT_STRING(0, "countname", "WORD", unit, "unit of the counts (default: that of the event)"),
	OPT_GROUP("Other options"),
	OPT_INCLUDE(reading_other_opts, in),
	OPT_END,
};

static const struct opt_table table = {
	.command = "flamegraph",
	.summary = "draw a recording as a flame graph or a heat map over time",
	.usage = {"[options] [FILE]"},
	.opts = opts,
	.notes =
		"FILE is a recording, or text: folded stacks, or what perf script prints. Without\n"
		"it, standard input is read.\n\n"
		"  perf-lite record -F 99 -ag --duration 10s && perf-lite flamegraph -o cpu.svg\n"
		"  perf-lite flamegraph -i new.data --diff old.data -o change.html\n"
		"  perf-lite flamegraph --annotate -o hot.html    a click shows instructions\n"
		"  perf-lite script --folded | grep tcp_ | perf-lite flamegraph -o tcp.svg\n",
};

static int parse(struct flamegraph_request *r, int argc, char **argv, struct opt_rest *rest,
		 struct err *err)
{
	reading_init(&r->in);
	r->in.session.path = NULL;
	return cmd_options(&table, r, argc, argv, rest, err);
}

/* The other recording is read with the same options. */
static int parse_old(struct flamegraph_request *r, int argc, char **words, struct err *err)
{
	struct flamegraph_request again = {0};
	struct opt_rest rest;
	int ret = parse(&again, argc, words, &rest, err);

	r->old = again.in;
	r->old.session.path = r->diff;
	init_reading(&r->old, r);
	return ret;
}

int cmd_flamegraph(int argc, char **argv, struct err *err)
{
	char **again = calloc((size_t)argc + 1, sizeof(*again));
	struct flamegraph_request r = {.asked.width = FLAMEGRAPH_WIDTH};
	struct opt_rest rest;
	int ret;

	if (!again)
		return err_nomem(err);
	memcpy(again, argv, (size_t)argc * sizeof(*again));
	ret = parse(&r, argc, argv, &rest, err);
	if (ret || rest.help)
		goto out;
	init_reading(&r.in, &r);
	ret = check(&r, &rest, err);
	if (!ret && r.diff)
		ret = parse_old(&r, argc, again, err);
	if (!ret)
		ret = flamegraph_run(&r, err);
out:
	reading_end(&r.in);
	if (r.diff)
		reading_end(&r.old);
	free(again);
	return ret;
}
