// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/annotate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf-lite/flamegraph_request.h"

#define FUNCTIONS_DEFAULT 5

static const char notes[] =
	"  perf-lite annotate                       the five hottest functions\n"
	"  perf-lite annotate deflate_slow          this function, by its name\n"
	"  perf-lite annotate -d libz.so.1 --full   functions of a file, with every instruction\n"
	"  perf-lite annotate -o hot.html           a page of the 20 hottest functions\n"
	"  perf-lite annotate --json deflate_slow   for other programs\n\n"
	"A sample shows the instruction that the CPU was at, which often is the one behind the slow one.\n\n"
	"Exit codes: 0 complete, 1 wrong usage, unreadable input or nothing to show, 3 the input is damaged\n"
	"or cut (what could be read was counted).\n";

/* A name as it is: those of C++ have commas. */
static int on_symbol(void *value, const char *arg, struct err *err)
{
	struct annotate *c = value;
	const char **name = vec_push(&c->places.symbols);

	if (!name)
		return err_nomem(err);
	*name = arg;
	return 0;
}

static int on_limit(void *value, const char *arg, struct err *err)
{
	char *end;
	double v = strtod(arg, &end);

	if (end == arg || *end || !isfinite(v) || v < 0 || v > 100)
		return err_set(err, EINVAL, "--percent-limit takes 0 to 100, not '%s'", arg);
	((struct annotate *)value)->percent_limit = v;
	return 0;
}

static int on_style(void *value, const char *arg, struct err *err)
{
	struct annotate *c = value;

	c->code.intel = !strcmp(arg, "intel");
	if (c->code.intel || !strcmp(arg, "att"))
		return 0;
	err_set(err, EINVAL, "there is no disassembler style '%s'", arg);
	err_hint(err, "use -M intel or -M att");
	return -EINVAL;
}

static int set_form(void *value, int form, struct err *err)
{
	struct annotate *c = value;

	if (c->form != ANNOTATE_TEXT && (int)c->form != form)
		return err_set(err, EINVAL, "only one of --csv and --json can be printed");
	c->form = form;
	return 0;
}

static int on_csv(void *value, const char *arg, struct err *err)
{
	(void)arg;
	return set_form(value, ANNOTATE_CSV, err);
}

static int on_json(void *value, const char *arg, struct err *err)
{
	(void)arg;
	return set_form(value, ANNOTATE_JSON, err);
}

static int on_percent_type(void *value, const char *arg, struct err *err)
{
	(void)value;
	if (!strcmp(arg, "local-period"))
		return 0;
	err_set(err, ENOTSUP, "shares of instructions are of their function's periods");
	err_hint(err, "other shares can be made of --json, which has samples and periods");
	return -ENOTSUP;
}

#define NO_PREFIX "--symfs DIR: binaries and sources are looked for below DIR"

#define OPT_STRUCT struct annotate

static const struct opt opts[] = {
	OPT_INCLUDE(reading_input_opts, in),
	OPT_INCLUDE(reading_sample_opts, in),
	OPT_INCLUDE(reading_weight_opts, in),
	OPT_STRING(0, "kcore", "FILE", code.kcore,
		   "take the kernel's code from a copy of /proc/kcore"),
	OPT_CALL('s', "symbol", "NAME", on_symbol, "only this function; the same as an operand"),
	OPT_CALL_ON('d', "dso", "FILE,...", in, reading_on_dsos, "same as --dsos"),
	OPT_GROUP("What is shown"),
	OPT_UINT(0, "functions", "N", functions,
		 "the N hottest functions of each event (default 5, on a page 20; 0: all)"),
	OPT_CALL(
		0, "percent-limit", "PERCENT", on_limit,
		"only functions with at least this share of all samples (default 0, on a page 0.5)"),
	OPT_UINT(0, "context", "N", context,
		 "instructions to show beside those with samples (default 6)"),
	OPT_FLAG(0, "full", full, "show all instructions of a function"),
	OPT_FLAG(0, "no-source", no_source, "show no lines of source"),
	OPT_FLAG('P', "full-paths", text.full_paths, "show full paths of source files"),
	OPT_FLAG('n', "show-nr-samples", text.samples, "show the number of samples"),
	OPT_FLAG(0, "show-total-period", text.period, "show the sum of periods"),
	OPT_CALL('M', "disassembler-style", "STYLE", on_style, "of x86 code: att, intel"),
	OPT_FLAG(0, "no-demangle", in.session.resolve.no_demangle, "do not demangle names"),
	OPT_CALL(0, "csv", NULL, on_csv, "print CSV, a row for each instruction"),
	OPT_CALL(0, "json", NULL, on_json, "print one JSON object"),
	OPT_STRING('o', "output", "FILE", output,
		   "write to FILE instead of standard output; .html: an HTML page"),
	OPT_CALL_ON(0, "color", "WHEN", colour, terminal_colour_option, "auto, always, never",
		    OPT_ARG_OPTIONAL),
	OPT_CALL_ON(0, "stdio-color", "WHEN", colour, terminal_colour_option, NULL,
		    OPT_HIDDEN | OPT_ARG_OPTIONAL),
	OPT_IGNORED(0, "stdio", NULL),
	OPT_IGNORED(0, "stdio2", NULL),
	OPT_IGNORED(0, "tui", NULL),
	OPT_IGNORED(0, "gtk", NULL),
	OPT_IGNORED('S', "source", NULL),
	OPT_IGNORED('l', "print-line", NULL),
	OPT_IGNORED(0, "skip-missing", NULL),
	OPT_IGNORED('v', "verbose", NULL),
	OPT_IGNORED(0, "demangle", NULL),
	OPT_IGNORED(0, "demangle-kernel", NULL),
	OPT_IGNORED('m', "modules", NULL),
	OPT_IGNORED(0, "group", NULL),
	OPT_IGNORED(0, "ignore-vmlinux", NULL),
	OPT_CALL(0, "percent-type", "TYPE", on_percent_type, NULL, OPT_HIDDEN),
	OPT_REFUSED(0, "objdump",
		    "to use objdump: perf-lite convert --to perf.data, then perf annotate"),
	OPT_REFUSED('D', "dump-raw-trace", "perf-lite script -D has them"),
	OPT_REFUSED(0, "itrace", "traces of hardware are decoded by perf annotate"),
	OPT_REFUSED(0, "prefix", NO_PREFIX),
	OPT_REFUSED(0, "prefix-strip", NO_PREFIX),
	OPT_REFUSED(0, "asm-raw", "--json has the address and the size of each instruction"),
	OPT_INCLUDE(reading_other_opts, in),
	OPT_END,
};

static const struct opt_table table = {
	.command = "annotate",
	.summary = "show which instructions and lines of source time went to",
	.usage = {"[-i FILE] [options] [SYMBOL...]"},
	.opts = opts,
	.notes = notes,
};

/* Shares are of all samples, whatever functions are asked for. */
static void split_filters(struct annotate *c)
{
	struct place_filter *asked = &c->in.select.places;
	u32 i;

	/* names given with -S are in an arena of their list */
	for (i = 0; i < asked->symbols.nr; i++)
		if (on_symbol(c, asked->symbols.v[i], NULL))
			return;
	c->places.symbols.except = asked->symbols.nr && asked->symbols.except;
	asked->symbols.nr = 0;
	c->places.dsos = asked->dsos;
	asked->dsos = (struct name_list){0};
}

static int settle(struct annotate *c, struct err *err)
{
	if (c->output && !strcmp(c->output, "-"))
		c->output = NULL;
	if (flamegraph_picture_is_html(c->output)) {
		if (c->form != ANNOTATE_TEXT)
			return err_set(err, EINVAL, "%s is a page: %s cannot be written to it",
				       c->output, c->form == ANNOTATE_CSV ? "CSV" : "JSON");
		c->form = ANNOTATE_HTML;
	}
	if (c->percent_limit < 0)
		c->percent_limit = c->form == ANNOTATE_HTML ? ANNOTATION_HTML_PERCENT : 0;
	if (!c->functions_given)
		c->functions =
			c->form == ANNOTATE_HTML ? ANNOTATION_HTML_FUNCTIONS : FUNCTIONS_DEFAULT;
	if (c->context > UINT32_MAX - 1)
		return err_set(err, EINVAL, "--context takes a number of instructions");
	c->text.context = c->full ? UINT32_MAX : (u32)c->context;
	c->code.no_lines = c->no_source;
	c->code.vmlinux = c->in.session.vmlinux;
	c->export.csv = c->form == ANNOTATE_CSV;
	c->export.path = c->in.session.path;
	return 0;
}

int annotate_options(struct annotate *c, int argc, char **argv, struct opt_rest *rest,
		     struct err *err)
{
	int ret, i;

	*c = (struct annotate){
		.functions = UINT64_MAX, .context = ANNOTATION_TEXT_CONTEXT, .percent_limit = -1};
	reading_init(&c->in);
	c->in.what = "Reading samples";
	ret = cmd_options(&table, c, argc, argv, rest, err);
	if (ret || rest->help)
		return ret;
	for (i = 0; i < rest->argc && !ret; i++)
		ret = on_symbol(c, rest->argv[i], err);
	if (!ret && c->places.symbols.nr && c->in.select.places.symbols.except)
		ret = err_set(err, EINVAL,
			      "functions are named, and others left out by -S: give one of them");
	split_filters(c);
	c->functions_given = c->functions != UINT64_MAX;
	return ret ? ret : settle(c, err);
}

void annotate_options_free(struct annotate *c)
{
	place_filter_free(&c->places);
}
