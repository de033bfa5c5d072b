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

static int check(struct top *t, struct err *err)
{
	struct sampling *s = &t->w.what;
	struct name_list *symbols = &t->w.in.select.places.symbols;
	int ret;
	u32 i;

	if (s->attrs.all_user && s->attrs.all_kernel)
		return err_refuse(err, "user code only and kernel code only leave nothing",
				  "give one of -K and -U");
	ret = watching_events(&t->w, err);
	if (!ret && !s->any_event)
		ret = sampling_take_default(s, "cycles", err);
	s->any_event = true;
	/* a tracepoint is of interest wherever it is hit */
	for (i = 0; i < s->list.specs.nr; i++)
		t->idle |= s->list.specs.v[i].attr.type == PERF_TYPE_TRACEPOINT;
	/* nor are functions that were asked for by name left out */
	t->idle |= symbols->nr && !symbols->except;
	return ret || t->idle ? ret : place_filter_no_idle(&t->w.in.select.places, err);
}

/* What perf top has, and a recording here. */
#define RECORDED     "perf-lite record "
#define INSTRUCTIONS RECORDED "-a, then annotate SYMBOL"
#define RUNNING      "leave it out: the names are those of the running kernel"

static const struct opt_mistaken mistaken[] = {{'k', RUNNING}, {0}};

#define OPT_STRUCT struct top

static const struct opt opts[] = {
	OPT_GROUP("What is sampled"),
	OPT_INCLUDE(sampling_event_opts, w.what),
	OPT_INCLUDE(sampling_rate_opts, w.what),
	OPT_INCLUDE(sampling_stack_opts, w.what),
	OPT_FLAG('K', "all-user", w.what.attrs.all_user, "user code only"),
	OPT_FLAG('U', "all-kernel", w.what.attrs.all_kernel, "kernel code only"),
	OPT_FLAG(0, "hide_kernel_symbols", w.what.attrs.all_user, NULL, OPT_HIDDEN),
	OPT_FLAG(0, "hide_user_symbols", w.what.attrs.all_kernel, NULL, OPT_HIDDEN),
	OPT_FLAG(0, "idle", idle, "include idle CPUs"),
	OPT_GROUP("Targets (default: the whole system, until Ctrl-C)"),
	OPT_INCLUDE(sampling_target_opts, w.what),
	OPT_FLAG('i', "no-inherit", w.what.no_inherit, "leave out child processes and new threads"),
	OPT_CALL_ON(0, "comms", "NAME,...", w.in, reading_on_comms,
		    "only these commands; '!LIST': all others"),
	OPT_CALL_ON(0, "dsos", "FILE,...", w.in, reading_on_dsos, "only these files"),
	OPT_CALL_ON(0, "symbols", "NAME,...", w.in, reading_on_symbols, "only these functions"),
	OPT_GROUP("Duration"),
	OPT_CALL('d', "delay", "SEC", on_interval,
		 "refresh the table every SEC seconds (default 2)"),
	OPT_DURATION(0, "duration", "TIME", w.duration_ns, "stop after TIME: 10s, 500ms, 2m"),
	OPT_FLAG(0, "once", once, "print one table and exit"),
	OPT_GROUP("The table"),
	OPT_STRING('s', "sort", "KEY,...", r.how.asked.sort,
		   "group by these keys of report (default comm,dso,symbol)"),
	OPT_STRING(0, "by", "KEY,...", r.how.asked.sort, "same as --sort"),
	OPT_STRING(0, "fields", "KEY,...", r.how.asked.fields,
		   "show these columns: keys, overhead, overhead_children, sample, period"),
	OPT_INCLUDE(reading_weight_opts, w.in),
	OPT_FLAG('n', "show-nr-samples", r.how.asked.nr_samples, "show the number of samples"),
	OPT_FLAG(0, "show-total-period", r.how.asked.period, "show the sum of periods"),
	OPT_UINT('E', "entries", "N", r.max_rows,
		 "show N rows (default: those that fit the terminal, else 30)"),
	OPT_CALL_ON(0, "percent-limit", "PERCENT", r, report_on_limit,
		    "hide rows below this percentage"),
	OPT_CALL_ON(0, "color", "WHEN", r.colour, terminal_colour_option, "auto, always, never",
		    OPT_ARG_OPTIONAL),
	OPT_UINT(0, "max-stack", "N", w.in.max_stack,
		 "use at most N frames of each stack (default all)"),
	OPT_INCLUDE(reading_name_opts, w.in),
	OPT_GROUP("Other"),
	OPT_INCLUDE(sampling_buffer_opts, w.what),
	OPT_FLAG('q', "quiet", w.in.quiet, "print no notes on standard error"),
	OPT_IGNORED(0, "force", NULL),
	OPT_IGNORED(0, "stdio", NULL),
	OPT_IGNORED(0, "tui", NULL),
	OPT_IGNORED('z', "zero", NULL),
	OPT_IGNORED('v', "verbose", NULL),
	OPT_IGNORED(0, "demangle-kernel", NULL),
	OPT_IGNORED(0, "ignore-vmlinux", NULL),
	OPT_IGNORED(0, "no-bpf-event", NULL),
	OPT_IGNORED(0, "num-thread-synthesize", "N"),
	OPT_IGNORED(0, "overwrite", NULL),
	OPT_IGNORED(0, "proc-map-timeout", "MS"),
	OPT_REFUSED('b', "branch-any", RECORDED "-b, then report -b"),
	OPT_REFUSED('j', "branch-filter", RECORDED "-j KIND,..., then report -b"),
	OPT_REFUSED(0, "all-cgroups", RECORDED "-a --all-cgroups, then report -s cgroup"),
	OPT_REFUSED(0, "namespaces", RECORDED "-a --namespaces, then report -s cgroup_id"),
	OPT_REFUSED(0, "hierarchy", RECORDED "-a, then report --hierarchy"),
	OPT_REFUSED(0, "group", RECORDED "-a, then report --group"),
	OPT_REFUSED(0, "switch-on", RECORDED "-a, then report --switch-on EVENT"),
	OPT_REFUSED(0, "switch-off", RECORDED "-a, then report --switch-off EVENT"),
	OPT_REFUSED(0, "children", "-g --fields overhead_children,overhead,comm,symbol"),
	OPT_REFUSED('f', "count-filter", "--percent-limit PERCENT"),
	OPT_REFUSED('w', "column-widths", RECORDED "-a, then report -w N,..."),
	OPT_REFUSED(0, "vmlinux", RUNNING),
	OPT_REFUSED(0, "kallsyms", RUNNING),
	OPT_REFUSED('M', "disassembler-style", INSTRUCTIONS),
	OPT_REFUSED(0, "sym-annotate", INSTRUCTIONS),
	OPT_REFUSED(0, "source", INSTRUCTIONS),
	OPT_REFUSED(0, "asm-raw", INSTRUCTIONS),
	OPT_REFUSED(0, "objdump", INSTRUCTIONS),
	OPT_END,
};

static const struct opt_table table = {
	.command = "top",
	.summary = "show where CPU time goes now, function by function",
	.usage = {"[-e EVENT] [-s KEY,...] [options]", "[options] -p PID",
		  "[options] [--] COMMAND [ARG...]"},
	.opts = opts,
	.mistaken = mistaken,
	.notes = notes,
	.stop_at_operand = true,
};

int top_options(struct top *t, int argc, char **argv, struct opt_rest *rest, struct err *err)
{
	struct report *r = &t->r;
	int ret;

	t->interval_ns = INTERVAL_NS;
	/* graphs below rows would leave no room for the next ones */
	r->how.graph = (struct call_graph_options){.type = CALL_GRAPH_NONE};
	r->brief = true;
	ret = cmd_options(&table, t, argc, argv, rest, err);
	if (ret || rest->help)
		return ret;
	return check(t, err);
}
