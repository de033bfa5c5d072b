// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/num.h"
#include "util/base/text.h"
#include "util/format/brief.h"

static const char notes[] =
	"  perf-lite report                         what took most, by command, file, function\n"
	"  perf-lite report -s comm,cpu -g none     by command and CPU, without call graphs\n"
	"  perf-lite report -s prev_comm,prev_state by fields of a tracepoint\n"
	"  perf-lite report --csv --percent-limit 1 for other programs\n"
	"  perf-lite report --brief                 the finding in 20 lines: for a ticket, a chat, a program\n\n"
	"Keys: comm, pid, tid (threads), tgid (processes), cpu, time, dso, symbol, srcline, srcfile,\n"
	"trace, trace_fields, and every field of a tracepoint: FIELD, or EVENT.FIELD. Of branches and\n"
	"accesses to memory: symbol_from, dso_to, mispredict, ..., mem, tlb, symbol_daddr, ...\n\n"
	"Exit codes: 0 complete, 1 wrong usage or unreadable input, 3 the input is damaged or cut\n"
	"(what could be read was counted).\n";

static int set_graph(struct report *r, const char *words, struct err *err)
{
	r->how.graph_given = true;
	return words ? call_graph_options_parse(&r->how.graph, words, err) : 0;
}

static int on_graph(void *value, const char *arg, struct err *err)
{
	struct report *r = value;

	r->bare_graph = !arg;
	r->limit_after = false;
	return set_graph(r, arg, err);
}

static int on_inverted(void *value, const char *arg, struct err *err)
{
	(void)arg;
	return set_graph(value, "caller", err);
}

static int on_children(void *value, const char *arg, struct err *err)
{
	(void)arg, (void)err;
	((struct report *)value)->how.children = REPORT_WITH_CALLERS;
	return 0;
}

static int on_no_children(void *value, const char *arg, struct err *err)
{
	(void)arg, (void)err;
	((struct report *)value)->how.children = REPORT_WITHOUT;
	return 0;
}

int report_on_limit(void *value, const char *arg, struct err *err)
{
	struct report *r = value;
	char *end;
	double v = strtod(arg, &end);

	if (!strcmp(end, "%"))
		end++;
	if (end == arg || *end || !isfinite(v) || v < 0 || v > 100)
		return err_set(err, EINVAL, "--percent-limit takes 0 to 100, not '%s'", arg);
	r->percent_limit = r->how.graph.threshold = v;
	r->limit_after = r->bare_graph;
	return 0;
}

static int on_percentage(void *value, const char *arg, struct err *err)
{
	struct report *r = value;

	r->percentage_given = true;
	r->how.relative = !strcmp(arg, "relative");
	if (r->how.relative || !strcmp(arg, "absolute"))
		return 0;
	err_set(err, EINVAL, "--percentage takes relative or absolute, not '%s'", arg);
	err_hint(err, "relative: to the samples that the filters leave");
	return -EINVAL;
}

static int on_widths(void *value, const char *arg, struct err *err)
{
	struct report *r = value;
	char *list = strdup(arg), *at = list, *word;
	int ret = list ? 0 : err_nomem(err);
	u64 width;
	u32 *to;

	r->widths.nr = 0;
	while (!ret && (word = strsep(&at, ","))) {
		width = 0;
		if (*word && (!num_u64(word, &width) || width > 1000)) {
			ret = err_set(err, EINVAL, "-w takes widths up to 1000, not '%s'", word);
			break;
		}
		to = vec_push(&r->widths);
		if (to)
			*to = (u32)width;
		else
			ret = err_nomem(err);
	}
	free(list);
	return ret;
}

static int on_separator(void *value, const char *arg, struct err *err)
{
	struct report *r = value;

	/* as perf, which no shell gives a tabulator */
	r->separator = !strcmp(arg, "\\t") ? "\t" : arg;
	if (*arg && !strchr(arg, '.'))
		return 0;
	err_set(err, EINVAL, "a separator is text without '.', not '%s'", arg);
	err_hint(err, "in a value, write '.' instead");
	return -EINVAL;
}

static int set_form(struct report *r, enum report_form form, struct err *err)
{
	if (r->form != REPORT_TEXT && r->form != form)
		return err_set(err, EINVAL,
			       "only one of --csv, --json, --stats and --tasks can be printed");
	r->form = form;
	return 0;
}

static int on_brief(void *value, const char *arg, struct err *err)
{
	struct report *r = value;

	r->brief_lines = BRIEF_LINES_DEFAULT;
	if (!arg ||
	    (num_u64(arg, &r->brief_lines) && r->brief_lines && r->brief_lines <= BRIEF_LINES_MAX))
		return 0;
	err_set(err, EINVAL, "--brief takes 1 to %d lines, not '%s'", BRIEF_LINES_MAX, arg);
	err_hint(err,
		 "--brief=5 prints the five most important ones; without a number there are %d",
		 BRIEF_LINES_DEFAULT);
	return -EINVAL;
}

static int on_csv(void *value, const char *arg, struct err *err)
{
	(void)arg;
	return set_form(value, REPORT_CSV, err);
}

static int on_json(void *value, const char *arg, struct err *err)
{
	(void)arg;
	return set_form(value, REPORT_JSON, err);
}

static int on_stats(void *value, const char *arg, struct err *err)
{
	(void)arg;
	return set_form(value, REPORT_STATS, err);
}

static int on_tasks(void *value, const char *arg, struct err *err)
{
	(void)arg;
	return set_form(value, REPORT_TASKS, err);
}

static int on_mmaps(void *value, const char *arg, struct err *err)
{
	((struct report *)value)->mmaps = true;
	return on_tasks(value, arg, err);
}

static int on_compat(void *value, const char *arg, struct err *err)
{
	struct report *r = value;

	if (strcmp(arg, "6.1") != 0 && strcmp(arg, "6.12") != 0) {
		err_set(err, EINVAL, "--compat: there is no reading of '%s'", arg);
		err_hint(err, "use --compat=6.1 or --compat=6.12");
		return -EINVAL;
	}
	r->how.compat = true;
	r->in.session.as_perf = true;
	r->in.session.resolve.unmapped_hv = true;
	r->in.session.resolve.ip_as_is = r->in.session.resolve.breaks_as_perf = true;
	r->in.session.resolve.files_first = r->in.session.resolve.dwarf_names =
		r->in.session.resolve.show_cut = true;
	return 0;
}

static int on_group(void *value, const char *arg, struct err *err)
{
	(void)arg, (void)err;
	((struct report *)value)->grouping = REPORT_GROUP;
	return 0;
}

static int on_no_group(void *value, const char *arg, struct err *err)
{
	(void)arg, (void)err;
	((struct report *)value)->grouping = REPORT_NO_GROUPS;
	return 0;
}

static int set_rows(struct report *r, int rows, struct err *err)
{
	if (r->how.rows != REPORT_AS_RECORDED && (int)r->how.rows != rows)
		return err_set(err, EINVAL, "rows are of samples, branches or memory accesses");
	r->how.rows = rows;
	return 0;
}

static int on_branches(void *value, const char *arg, struct err *err)
{
	(void)arg;
	return set_rows(value, REPORT_BRANCH_ROWS, err);
}

static int on_samples(void *value, const char *arg, struct err *err)
{
	(void)arg;
	return set_rows(value, REPORT_SAMPLE_ROWS, err);
}

static int on_memory(void *value, const char *arg, struct err *err)
{
	(void)arg;
	return set_rows(value, REPORT_MEMORY_ROWS, err);
}

static int on_parent(void *value, const char *arg, struct err *err)
{
	struct report *r = value;
	char why[128];
	int ret;

	if (r->how.has_parent)
		regfree(&r->how.parent);
	ret = regcomp(&r->how.parent, arg, REG_EXTENDED | REG_NOSUB);
	r->how.has_parent = !ret;
	if (!ret)
		return 0;
	regerror(ret, &r->how.parent, why, sizeof(why));
	return err_set(err, EINVAL, "--parent takes a regular expression, not '%s': %s", arg, why);
}

/* Who is of interest decides which rows there are; when and where, which samples there are. */
static void split_filters(struct report *r)
{
	struct sample_filter *f = &r->in.filter;

	if (r->how.relative)
		return;
	r->how.shown.pids = f->pids;
	r->how.shown.tids = f->tids;
	r->how.shown.comms = f->comms;
	r->how.places = r->in.select.places;
	memset(&f->pids, 0, sizeof(f->pids));
	memset(&f->tids, 0, sizeof(f->tids));
	memset(&f->comms, 0, sizeof(f->comms));
	/* what is left out of all is so of shares, too */
	r->in.select.places = (struct place_filter){.idle = r->how.places.idle};
	r->how.places.idle = (struct name_list){0};
}

void report_options_free(struct report *r)
{
	if (r->how.has_parent)
		regfree(&r->how.parent);
	vec_free(&r->widths);
	vec_free(&r->how.shown.pids);
	vec_free(&r->how.shown.tids);
	name_list_free(&r->how.shown.comms);
	place_filter_free(&r->how.places);
}

/* A brief chooses rows and columns itself. */
static int agree_brief(const struct report *r, struct err *err)
{
	const struct {
		const char *option;
		bool given;
	} others[] = {
		{"--csv", r->form == REPORT_CSV},
		{"--stats", r->form == REPORT_STATS},
		{"--tasks and --mmaps", r->form == REPORT_TASKS},
		{"--hierarchy", r->how.hierarchy},
		{"-s", r->how.asked.sort},
		{"-F", r->how.asked.fields},
		{"-n", r->how.asked.nr_samples},
		{"--show-total-period", r->how.asked.period},
		{"--show-cpu-utilization", r->how.asked.cpu_modes},
		{"-g", r->how.graph_given},
		{"-p", r->how.has_parent},
		{"-b", r->how.rows == REPORT_BRANCH_ROWS},
		{"--mem-mode", r->how.rows == REPORT_MEMORY_ROWS},
		{"--group and --no-group", r->grouping != REPORT_GROUPS_RECORDED},
		{"--percentage", r->percentage_given},
		{"--header", r->header || r->header_only},
		{"-t", r->separator},
		{"-w", r->widths.nr},
		{"--compat", r->how.compat},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(others); i++) {
		if (!others[i].given)
			continue;
		err_set(err, EINVAL,
			"--brief chooses rows and columns itself, and has no use for %s",
			others[i].option);
		err_hint(err, "leave out one of them: without --brief there is a table; with it, "
			      "--comm, --time, --event, ... choose samples");
		return -EINVAL;
	}
	return 0;
}

static int agree(const struct report *r, struct err *err)
{
	bool table = r->form == REPORT_TEXT || r->form == REPORT_CSV || r->form == REPORT_JSON;

	if (r->form != REPORT_TEXT && (r->separator || r->widths.nr))
		return err_set(err, EINVAL, "-t and -w are for the table");
	if (!table && (r->how.asked.sort || r->how.asked.fields || r->how.graph_given))
		return err_set(err, EINVAL, "--stats and --tasks have no rows to sort");
	if (r->how.exclude_other && !r->how.has_parent)
		return err_set(err, EINVAL, "--exclude-other needs --parent");
	if (r->how.hierarchy && r->how.asked.fields) {
		err_set(err, EINVAL,
			"--hierarchy has a level for each key of -s, and no use for -F");
		err_hint(err, "use -s, and -n or --show-total-period for more columns");
		return -EINVAL;
	}
	if (r->how.hierarchy && r->how.children == REPORT_WITH_CALLERS) {
		err_set(err, EINVAL,
			"--hierarchy adds up rows, which --children would count twice");
		err_hint(err, "leave out one of them");
		return -EINVAL;
	}
	if ((r->form == REPORT_CSV || r->form == REPORT_JSON) && (r->header || r->header_only))
		return err_set(err, EINVAL, "--header is for the table");
	return 0;
}

/* These words are parsed last although they came before --percent-limit, which also sets the threshold. */
static int graph_words(struct report *r, const char *words, struct err *err)
{
	int ret = call_graph_options_parse(&r->how.graph, words, err);

	if (r->limit_after)
		r->how.graph.threshold = r->percent_limit;
	return ret;
}

static int operands(struct report *r, struct opt_rest *rest, bool bare_graph, struct err *err)
{
	int ret;

	/* -g also takes its words like any other option: -g caller */
	if (bare_graph && !rest->argc)
		return graph_words(r, "graph,0.5,caller", err);
	if (bare_graph && rest->argc == 1 &&
	    (strchr(rest->argv[0], ',') || !strpbrk(rest->argv[0], "./")))
		return graph_words(r, rest->argv[0], err);
	ret = cmd_no_operand("report", rest, err);
	if (ret && strchr(rest->argv[0], ','))
		err_hint(err, "keys are chosen with -s: perf-lite report -s %s",
			 TEXT_SHELL(rest->argv[0]));
	return ret;
}

/* What to do instead. */
#define NO_ANNOTATION "for instructions: perf-lite annotate; for lines of the source: -s srcline"

#define OPT_STRUCT struct report

static const struct opt opts[] = {
	OPT_INCLUDE(reading_input_opts, in),
	OPT_INCLUDE(reading_sample_opts, in),
	OPT_CALL_ON('d', NULL, "FILE,...", in, reading_on_dsos, "same as --dsos"),
	OPT_FLAG('U', "hide-unresolved", how.hide_unresolved,
		 "only samples in functions with a known name"),
	OPT_GROUP("What is counted"),
	OPT_INCLUDE(reading_weight_opts, in),
	OPT_STRING('s', "sort", "KEY,...", how.asked.sort,
		   "group by these keys (default comm,dso,symbol); +KEY adds one"),
	OPT_STRING('F', "fields", "KEY,...", how.asked.fields,
		   "show these columns: keys, overhead, overhead_children, sample, period"),
	OPT_FLAG('n', "show-nr-samples", how.asked.nr_samples, "show the number of samples"),
	OPT_FLAG(0, "show-total-period", how.asked.period, "show the sum of periods"),
	OPT_FLAG(0, "show-cpu-utilization", how.asked.cpu_modes,
		 "show the shares of kernel and user code"),
	OPT_FLAG(0, "showcpuutilization", how.asked.cpu_modes, NULL, OPT_HIDDEN),
	OPT_CALL(0, "children", NULL, on_children,
		 "include callees (default if the recording has call chains)"),
	OPT_CALL(0, "no-children", NULL, on_no_children,
		 "count only samples in the function itself"),
	OPT_CALL(
		'g', "call-graph", "WORDS", on_graph,
		"print call graphs: graph, fractal, flat, folded, none; caller, callee; a threshold; ...",
		OPT_ARG_OPTIONAL),
	OPT_CALL('G', "inverted", NULL, on_inverted, "call graphs from the caller down: -g caller"),
	OPT_CALL(0, "percent-limit", "PERCENT", report_on_limit, "hide rows below this percentage"),
	OPT_CALL(
		0, "percentage", "OF", on_percentage,
		"percentages of all samples (absolute) or of those that pass the filters (relative)"),
	OPT_CALL('p', "parent", "REGEX", on_parent,
		 "key parent: the innermost function on the stack that matches"),
	OPT_FLAG('x', "exclude-other", how.exclude_other,
		 "with --parent: leave out samples without a match"),
	OPT_CALL('b', "branch-stack", NULL, on_branches,
		 "count recorded branches instead of samples"),
	OPT_CALL(0, "no-branch-stack", NULL, on_samples,
		 "count samples even if branches were recorded"),
	OPT_CALL(0, "mem-mode", NULL, on_memory, "sort memory accesses by their cost"),
	OPT_FLAG(0, "hierarchy", how.hierarchy,
		 "nest rows by key, with a sum for each level; not with --children"),
	OPT_CALL(0, "group", NULL, on_group,
		 "one table for the events of a group, or for all events"),
	OPT_CALL(0, "no-group", NULL, on_no_group, "one table for each event"),
	OPT_UINT(0, "group-sort-idx", "N", group_sort,
		 "sort rows of groups by this event (default 0, the leader)"),
	OPT_DURATION(0, "time-quantum", "TIME", how.time_quantum,
		     "width of the intervals of the key time (default 100ms)"),
	OPT_UINT(0, "max-stack", "N", in.max_stack,
		 "use at most N frames of each stack (default all)"),
	OPT_INCLUDE(reading_name_opts, in),
	OPT_CALL(0, "compat", "VERSION", on_compat,
		 "read chains and names like perf 6.1 or 6.12, including their defects"),
	OPT_GROUP("How it is shown"),
	OPT_CALL(0, "brief", "LINES", on_brief,
		 "print what is most important in so many lines (default 20), or with --json",
		 OPT_ARG_OPTIONAL),
	OPT_CALL(0, "csv", NULL, on_csv, "print CSV"),
	OPT_CALL(0, "json", NULL, on_json, "print one JSON object"),
	OPT_CALL(0, "stats", NULL, on_stats, "print the number of records of each type"),
	OPT_CALL(0, "tasks", NULL, on_tasks, "print the tree of threads"),
	OPT_CALL(0, "mmaps", NULL, on_mmaps, "print the tree of threads with their mappings"),
	OPT_FLAG(0, "header", header, "print the header of the recording first"),
	OPT_FLAG('I', "show-info", show_info, "with --header: print CPUs, memory and caches"),
	OPT_FLAG(0, "header-only", header_only, "print only the header"),
	OPT_CALL('t', "field-separator", "TEXT", on_separator,
		 "print TEXT between columns; in values it becomes '.'"),
	OPT_CALL('w', "column-widths", "N,...", on_widths, "use fixed column widths"),
	OPT_CALL_ON(0, "color", "WHEN", colour, terminal_colour_option, "auto, always, never",
		    OPT_ARG_OPTIONAL),
	OPT_IGNORED(0, "stdio", NULL),
	OPT_IGNORED(0, "stdio2", NULL),
	OPT_IGNORED(0, "tui", NULL),
	OPT_IGNORED(0, "gtk", NULL),
	OPT_CALL_ON(0, "stdio-color", "WHEN", colour, terminal_colour_option, NULL,
		    OPT_HIDDEN | OPT_ARG_OPTIONAL),
	OPT_IGNORED('v', "verbose", NULL),
	OPT_IGNORED(0, "demangle", NULL),
	OPT_IGNORED(0, "demangle-kernel", NULL),
	OPT_IGNORED(0, "skip-empty", NULL),
	OPT_REFUSED(0, "branch-history",
		    "-b has a row for each branch; in order: perf-lite script -F brstacksym"),
	OPT_REFUSED(0, "ignore-callees",
		    "-p REGEX counts by the innermost function that matches; "
		    "perf-lite script --stop-bt cuts chains"),
	OPT_REFUSED(0, "socket-filter", "give its CPUs: --cpu 0-15"),
	OPT_REFUSED(0, "symbol-filter",
		    "-S NAME,... takes whole names; -p REGEX counts by names that match"),
	OPT_REFUSED(0, "total-cycles", "-b -s symbol_from,symbol_to,cycles has them by branch"),
	OPT_REFUSED(0, "raw-trace", "perf-lite script --raw-trace, or --json, has their numbers"),
	OPT_REFUSED('D', "dump-raw-trace", "perf-lite script -D has them"),
	OPT_REFUSED(
		'T', "threads",
		"-s tid -n counts samples by thread; perf-lite stat --per-thread counts events"),
	OPT_IGNORED(0, "samples", "N"),
	OPT_IGNORED(0, "ignore-vmlinux", NULL),
	OPT_IGNORED(0, "stitch-lbr", NULL),
	OPT_IGNORED('m', "modules", NULL),
	OPT_IGNORED(0, "pretty", "KEY"),
	OPT_REFUSED(0, "disable-order",
		    "perf-lite script --dump-unsorted-raw-trace has that order"),
	OPT_REFUSED(0, "itrace", "traces of hardware are decoded by perf report"),
	OPT_REFUSED(0, "ns", "perf-lite script --ns has them"),
	OPT_REFUSED(0, "show-ref-call-graph",
		    "each event has the call chains that it was recorded with"),
	OPT_REFUSED(0, "full-source-path", NO_ANNOTATION),
	OPT_REFUSED(0, "objdump", NO_ANNOTATION),
	OPT_REFUSED(0, "percent-type", NO_ANNOTATION),
	OPT_REFUSED(0, "prefix", NO_ANNOTATION),
	OPT_REFUSED(0, "prefix-strip", NO_ANNOTATION),
	OPT_REFUSED(0, "source", NO_ANNOTATION),
	OPT_REFUSED(0, "asm-raw", NO_ANNOTATION),
	OPT_REFUSED('M', "disassembler-style", NO_ANNOTATION),
	OPT_INCLUDE(reading_other_opts, in),
	OPT_END,
};

static const struct opt_table table = {
	.command = "report",
	.summary = "show where time went: samples by function, file or any field",
	.usage = {"[-i FILE] [-s KEY,...] [options]"},
	.opts = opts,
	.notes = notes,
};

int report_options(struct report *r, int argc, char **argv, struct opt_rest *rest, struct err *err)
{
	int ret;

	*r = (struct report){.how.graph = call_graph_options_default()};
	reading_init(&r->in);
	r->in.what = "Reading samples";
	ret = cmd_options(&table, r, argc, argv, rest, err);
	if (ret || rest->help)
		return ret;
	ret = operands(r, rest, r->bare_graph, err);
	if (ret)
		return ret;
	ret = r->brief_lines ? agree_brief(r, err) : 0;
	if (ret)
		return ret;
	/* a brief of some samples is of nothing else */
	r->how.relative |= r->brief_lines != 0;
	split_filters(r);
	r->in.as_perf_inlines = r->how.compat;
	/* in JSON graphs are as long as everything else, so -g must ask for them */
	r->how.no_graphs = r->form == REPORT_CSV || (r->form == REPORT_JSON && !r->how.graph_given);
	return agree(r, err);
}
