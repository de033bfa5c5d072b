// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/top.h"

#include <errno.h>

#include "perf-lite/report.h"
#include "util/base/num.h"

#define INTERVAL_NS 2000000000ull

static const char notes[] =
	"Examples:\n"
	"  perf-lite top                          where CPU time goes, of everybody\n"
	"  perf-lite top -p 1234 -g               of a process, with what each function calls\n"
	"  perf-lite top -s comm                  by command\n"
	"  perf-lite top -e skb:kfree_skb -s reason,comm    who drops packets, and why\n"
	"  perf-lite top --once -d 5 > busy.txt   a table of 5 seconds\n\n"
	"Exit codes: that of the command, or 0; 1 wrong usage, 2 it could not begin.\n";

static int on_interval(void *value, const char *arg, struct err *err)
{
	struct top *t = value;

	if (num_duration(arg, &t->interval_ns) && t->interval_ns >= 10000000)
		return 0;
	err_set(err, EINVAL, "-d: '%s' is not a time of 10 milliseconds or more", arg);
	err_hint(err, "seconds, as in -d 1 or -d 0.5, or with their unit: -d 500ms");
	return -EINVAL;
}

static int refuse(struct err *err, const char *message, const char *hint)
{
	err_set(err, EINVAL, "%s", message);
	err_hint(err, "%s", hint);
	return -EINVAL;
}

static int check(struct top *t, struct err *err)
{
	struct sampling *s = &t->w.what;
	struct name_list *symbols = &t->w.in.select.places.symbols;
	int ret = 0;
	u32 i;

	if (s->attrs.all_user && s->attrs.all_kernel)
		return refuse(err, "user code only and kernel code only leave nothing",
			      "give one of -K and -U");
	if (!s->any_event)
		ret = ev_parse(&s->list, "cycles", &s->env, err);
	s->any_event = true;
	/* a tracepoint is of interest wherever it is hit */
	for (i = 0; i < s->list.specs.nr; i++)
		t->idle |= s->list.specs.v[i].attr.type == PERF_TYPE_TRACEPOINT;
	/* nor are functions that were asked for by name left out */
	t->idle |= symbols->nr && !symbols->except;
	return ret || t->idle ? ret : place_filter_no_idle(&t->w.in.select.places, err);
}

int top_options(struct top *t, int argc, char **argv, struct opt_rest *rest, struct err *err)
{
	struct watching *w = &t->w;
	struct report *r = &t->r;
	struct sampling *s = &w->what;
	const struct opt opts[] = {
		{OPT_GROUP, .help = "What is sampled"},
		SAMPLING_EVENT_OPTS(s),
		SAMPLING_RATE_OPTS(s),
		SAMPLING_STACK_OPTS(s),
		{OPT_FLAG, .letter = 'K', .name = "all-user", .value = &s->attrs.all_user,
		 .help = "user code only"},
		{OPT_FLAG, .letter = 'U', .name = "all-kernel", .value = &s->attrs.all_kernel,
		 .help = "kernel code only"},
		{OPT_FLAG, .name = "idle", .value = &t->idle, .help = "include idle CPUs"},
		{OPT_GROUP, .help = "Targets (default: the whole system, until Ctrl-C)"},
		SAMPLING_TARGET_OPTS(s),
		{OPT_FLAG, .letter = 'i', .name = "no-inherit", .value = &s->no_inherit,
		 .help = "leave out child processes"},
		{OPT_CALL, .name = "comms", .arg = "NAME,...", .value = &w->in,
		 .call = reading_on_comms, .help = "only these commands; '!LIST': all others"},
		{OPT_CALL, .name = "dsos", .arg = "FILE,...", .value = &w->in,
		 .call = reading_on_dsos, .help = "only these files"},
		{OPT_CALL, .name = "symbols", .arg = "NAME,...", .value = &w->in,
		 .call = reading_on_symbols, .help = "only these functions"},
		{OPT_GROUP, .help = "Duration"},
		{OPT_CALL, .letter = 'd', .name = "delay", .arg = "SEC", .value = t,
		 .call = on_interval, .help = "refresh the table every SEC seconds (default 2)"},
		{OPT_DURATION, .name = "duration", .arg = "TIME", .value = &w->duration_ns,
		 .help = "stop after TIME: 10s, 500ms, 2m"},
		{OPT_FLAG, .name = "once", .value = &t->once, .help = "print one table and exit"},
		{OPT_GROUP, .help = "The table"},
		{OPT_STRING, .letter = 's', .name = "sort", .arg = "KEY,...",
		 .value = &r->asked.sort,
		 .help = "group by these keys of report (default comm,dso,symbol)"},
		{OPT_STRING, .name = "by", .arg = "KEY,...", .value = &r->asked.sort,
		 .help = "same as --sort"},
		{OPT_STRING, .name = "fields", .arg = "KEY,...", .value = &r->asked.fields,
		 .help = "show these columns: keys, overhead, overhead_children, sample, period"},
		{OPT_FLAG, .letter = 'n', .name = "show-nr-samples", .value = &r->asked.nr_samples,
		 .help = "show the number of samples"},
		{OPT_FLAG, .name = "show-total-period", .value = &r->asked.period,
		 .help = "show the sum of periods"},
		{OPT_UINT, .letter = 'E', .name = "entries", .arg = "N", .value = &r->max_rows,
		 .help = "show N rows (default: those that fit the terminal, else 30)"},
		{OPT_CALL, .name = "percent-limit", .arg = "PERCENT", .value = r,
		 .call = report_on_limit, .help = "hide rows below this percentage"},
		{OPT_CALL, .name = "color", .arg = "WHEN", .value = &r->colour,
		 .call = colour_option, .flags = OPT_ARG_OPTIONAL, .help = "auto, always, never"},
		READING_STACK_OPTS(&w->in, "default all"),
		{OPT_GROUP, .help = "Other"},
		SAMPLING_BUFFER_OPTS(s),
		READING_OTHER_OPTS(&w->in),
		{OPT_IGNORED, .name = "stdio", .flags = OPT_HIDDEN},
		{OPT_IGNORED, .name = "tui", .flags = OPT_HIDDEN},
		{OPT_IGNORED, .letter = 'z', .name = "zero", .flags = OPT_HIDDEN},
		{OPT_IGNORED, .letter = 'v', .name = "verbose", .flags = OPT_HIDDEN},
	};
	const struct opt_table table = {
		.command = "top",
		.summary = "show where CPU time goes now, function by function",
		.usage = {"[-e EVENT] [-s KEY,...] [options]", "[options] -p PID",
			  "[options] [--] COMMAND [ARG...]"},
		.opts = opts,
		.nr = ARRAY_SIZE(opts),
		.notes = notes,
		.stop_at_operand = true,
	};
	int ret;

	t->interval_ns = INTERVAL_NS;
	/* graphs below rows would leave no room for the next ones */
	r->graph = (struct call_graph_options){.type = CALL_GRAPH_NONE};
	r->brief = true;
	ret = opt_parse(&table, argc, argv, rest, err);
	if (ret)
		return ret;
	if (rest->help)
		return cmd_help(&table, err);
	return check(t, err);
}
