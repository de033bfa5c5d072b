// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/latency.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/num.h"

#define WAKER "waker." /* keys of the event by which a thread is woken */

static const char notes[] =
	"A point is EVENT[:KEY[+KEY]...][ if FILTER]; KEY is a field of the event, tid, pid or cpu.\n"
	"Presets are points and keys too: perf-lite latency --list shows them.\n\n"
	"Examples:\n"
	"  perf-lite latency run-queue --duration 5s           who waits for a CPU, and how long\n"
	"  perf-lite latency off-cpu -p 1234 -g --top 5        where a program sleeps\n"
	"  perf-lite latency block-io --hist                   how fast the disks are\n"
	"  perf-lite latency syscalls --min 10ms --trace       slow system calls as they end\n"
	"  perf-lite latency --from sched:sched_process_fork:child_pid --to sched:sched_process_exit:pid\n\n"
	"Exit codes: that of the command (128 + signal; 126, 127: it cannot be run), else 0; 1 wrong usage,\n"
	"2 could not start, 3 a recording is damaged (what could be read was used).\n";

static int refuse(struct err *err, const char *message, const char *hint)
{
	err_set(err, EINVAL, "%s", message);
	err_hint(err, "%s", hint);
	return -EINVAL;
}

static int on_min(void *value, const char *arg, struct err *err)
{
	struct latency *l = value;

	if (num_duration(arg, &l->min_ns))
		return 0;
	err_set(err, EINVAL, "--min: '%s' is not a time", arg);
	err_hint(err, "--min 10ms shows spans of 10 ms and more");
	return -EINVAL;
}

/* --- what goes together --- */

/* The one span of a thread lasts as long as the thread. */
static int check_whole(const struct latency *l, struct err *err)
{
	if (l->trace || l->open || l->min_ns || l->states.names_wakers)
		return refuse(
			err,
			"states of threads are sums: they have no --trace, --open, --min and --waker",
			"-I prints them for each interval");
	if (l->spans.repeat != SPANS_FIRST || l->files[LATENCY_FLAMEGRAPH] ||
	    l->q.w.what.attrs.call_chain)
		return refuse(
			err,
			"states of threads have no begins: --latest, --nested and call chains mean nothing",
			"where threads sleep: perf-lite latency off-cpu -g");
	return 0;
}

static int choose_points(struct latency *l, struct err *err)
{
	int ret = 0;

	if (l->preset && (l->from || l->to || l->on || l->until || l->stages.thens.nr))
		return refuse(
			err,
			"a preset has its points: it cannot be combined with --from, --then, --to, --on and --until",
			"give either the preset or the points");
	if (!l->preset && !(l->from && l->to))
		return refuse(
			err,
			l->from ? "--to is missing: at which event do spans end?"
			: l->to ? "--from is missing: at which event do spans begin?"
				: "which time? No preset and no events are given",
			"perf-lite latency run-queue, or --from EVENT --to EVENT --on KEY; --list shows the presets");
	if (l->latest && l->nested)
		return refuse(err, "--latest and --nested are two answers to a second begin",
			      "give one of them");
	l->spans.repeat = l->nested   ? SPANS_NESTED
			  : l->latest ? SPANS_LATEST
			  : l->preset ? l->preset->repeat
				      : SPANS_FIRST;
	l->whole = l->preset && l->preset->whole;
	if (l->whole && l->wanted.filter)
		return refuse(
			err,
			"--filter is of the events that spans begin with, and here all time counts",
			"choose threads by -p, -t or --comm");
	l->states.splits |= l->whole;
	l->states.names_wakers |= l->q.by.len && strstr(buf_str(&l->q.by), WAKER) != NULL;
	l->states.on = l->states.splits || l->states.names_wakers;
	if (l->whole)
		ret = check_whole(l, err);
	if (ret)
		return ret;
	ret = latency_presets_in_file(&l->presets, l->preset, latency_points_parse(l, err), err);
	if (ret || !l->states.on || (l->by_task && (l->nr_keys == 1 || !l->states.names_wakers)))
		return ret;
	if (l->by_task)
		return refuse(err, "--waker needs spans whose key is a thread alone",
			      "their key has further parts: leave these out");
	return refuse(err,
		      l->states.splits ? "--split needs spans of threads: the key of these is none"
				       : "--waker needs spans of threads: the key of these is none",
		      "--on tid, or another field that is a thread's number");
}

static int check_there(const struct targets_ids *ids, const char *what, struct err *err)
{
	char path[32];
	u32 i;

	for (i = 0; i < ids->nr; i++) {
		snprintf(path, sizeof(path), "/proc/%u", ids->v[i]);
		if (access(path, F_OK))
			return err_set(err, ESRCH, "there is no %s %u", what, ids->v[i]);
	}
	return 0;
}

/*
 * Where the two ends are events of different threads or CPUs, everybody's events are read, and spans are chosen by the
 * thread that they are of.
 */
static int choose_threads(struct latency *l, bool command, struct err *err)
{
	struct sampling *s = &l->q.w.what;
	bool live = !l->q.w.input;

	/* who switches to a thread, and who wakes it, is not the thread */
	l->others |= l->states.on;
	if (l->has_records && s->cpu_list && strcmp(l->points.v[0].keys[0], "cpu") != 0)
		return refuse(err, "threads may come back on another CPU: -C would miss it",
			      "leave out -C; --by cpu shows times by the CPU that a thread left");
	if (!l->others)
		return 0;
	if (s->cpu_list || s->targets.by_user || sampling_has_asked(s, SAMPLING_CGROUP))
		return refuse(
			err,
			l->states.on
				? "--split and --waker follow threads over all CPUs: -C, -u and -G would miss switches"
				: "these spans may end on another CPU, or by another thread: -C, -u and -G would miss their ends",
			"choose spans by -p, -t or --comm, or group them: --by cpu,comm");
	if (live && (check_there(&s->pids, "process", err) || check_there(&s->tids, "thread", err)))
		return -EINVAL;
	l->pids = s->pids;
	l->tids = s->tids;
	l->comm = s->targets.comm;
	l->follows = live && command && !s->all_cpus && !l->pids.nr && !l->tids.nr && !l->comm;
	s->pids = s->tids = (struct targets_ids){0};
	s->targets.comm = NULL;
	s->all_cpus = true;
	/* a switch from perf-lite to another thread is an event of perf-lite */
	if (live && !s->include_self)
		l->self = (u32)getpid();
	s->include_self = true;
	return 0;
}

/* Is a call chain of the span's own thread among the keys? */
static bool names_stack(const char *by)
{
	static const char *const names[] = {"stack", "kstack", "ustack"};
	size_t i, len;

	for (; *by; by += len + (by[len] != '\0')) {
		len = strcspn(by, ", ");
		for (i = 0; i < ARRAY_SIZE(names); i++)
			if (strcspn(by, ":, ") == strlen(names[i]) &&
			    !strncmp(by, names[i], strlen(names[i])))
				return true;
	}
	return false;
}

/* The stack of the waker comes behind that of the thread, its name is at the top. */
static void add_waker_keys(struct latency *l)
{
	struct buf *by = &l->q.by;

	if (!l->states.names_wakers || strstr(buf_str(by), WAKER))
		return;
	if (l->q.w.what.attrs.call_chain) {
		buf_adds(by, names_stack(buf_str(by)) ? "" : ",stack");
		buf_adds(by, "," WAKER "stack");
	}
	buf_adds(by, "," WAKER "comm");
}

/* There is no table whose rows could be chosen, sorted and described. */
static int check_trace(const struct latency *l, struct err *err)
{
	const struct count_request *q = &l->q;
	const char *option = q->top           ? "--top"
			     : q->order_given ? "--sort"
			     : q->hist        ? "--hist"
			     : q->quantiled   ? "--quantiles"
					      : NULL;

	if (q->form == COUNT_FORM_CSV || q->form == COUNT_FORM_FOLDED || q->interval_ns)
		return refuse(
			err, "--trace prints lines instead of a table",
			"leave out --csv, --folded and -I; --json is an object for each span");
	if (l->open)
		return refuse(err, "--trace shows spans as they end, --open those that have not",
			      "give one of them");
	if (!option)
		return 0;
	err_set(err, EINVAL, "--trace prints lines instead of a table: %s has no effect", option);
	err_hint(err, "leave out %s, or --trace", option);
	return -EINVAL;
}

static int choose_view(struct latency *l, struct err *err)
{
	struct count_request *q = &l->q;
	int ret;

	if (q->hist && q->quantiled)
		return refuse(err, "--hist and --quantiles are two views of the same numbers",
			      "give one of them");
	if (q->hist && q->form == COUNT_FORM_FOLDED)
		return refuse(err, "--folded prints stacks, --hist is a table", "give one of them");
	if (l->trace && check_trace(l, err))
		return -EINVAL;
	if (l->slowest && q->form != COUNT_FORM_TEXT)
		return refuse(
			err, "--slowest prints lines below the table",
			"leave out --json, --csv and --folded; --trace --json is an object for each span");
	q->w.what.attrs.call_chain |= l->files[LATENCY_FLAMEGRAPH] != NULL;
	ret = latency_files_check(l, err);
	if (!ret)
		ret = count_options_form(q, err);
	q->of = "period"; /* a number of our own takes its place */
	/* the picture has the stacks */
	if (l->files[LATENCY_FLAMEGRAPH] && !q->top && q->form == COUNT_FORM_TEXT)
		q->top = 1;
	if (!q->hist)
		q->table.what = COUNT_QUANTILES;
	if (!q->order_given)
		q->order = COUNT_ORDER_SUM;
	l->by_given = q->by.len;
	if (!l->by_given)
		buf_adds(&q->by, l->preset && l->preset->by ? l->preset->by
				 : l->by_task               ? "comm"
							    : "event");
	add_waker_keys(l);
	q->keys.other = WAKER;
	latency_stages_by(l);
	if (!ret && q->by.failed)
		ret = err_nomem(err);
	if (!ret)
		ret = latency_presets_in_file(&l->presets, l->by_given ? NULL : l->preset,
					      count_options_keys(q, err), err);
	latency_stages_keys(l);
	if (!ret)
		q->keys.of.name = "latency";
	return ret;
}

static int check(struct latency *l, const struct opt_rest *rest, struct err *err)
{
	static const double quantiles[] = {0.5, 0.9, 0.99, 1};
	int ret = choose_points(l, err);

	if (!ret)
		ret = choose_threads(l, rest->argc, err);
	/* a control group limits the events before it */
	if (!ret && !l->q.w.input) {
		l->q.w.what.collects = false;
		ret = latency_presets_in_file(&l->presets, l->preset, latency_points_open(l, err),
					      err);
	}
	if (!ret)
		ret = watching_events(&l->q.w, err);
	if (!ret)
		ret = choose_view(l, err);
	if (!l->q.nr_quantiles) {
		memcpy(l->q.quantiles, quantiles, sizeof(quantiles));
		l->q.nr_quantiles = ARRAY_SIZE(quantiles);
	}
	if (rest->argc)
		l->q.command = rest->argv;
	return ret;
}

#define OPT_STRUCT struct latency

static const struct opt opts[] = {
	OPT_GROUP("What"),
	OPT_STRING(0, "from", "POINT,...", from, "spans begin at these events"),
	OPT_CALL(0, "then", "POINT,...", latency_stages_then,
		 "and pass these in between: a row for each stage; may be given several times"),
	OPT_STRING(0, "to", "POINT,...", to, "and end at these, if they have the same key"),
	OPT_STRING(0, "on", "KEY,...", on,
		   "the key of points without one; a=b: other names (default tid)"),
	OPT_STRING(0, "until", "POINT,...", until, "spans of this key will not end any more"),
	OPT_FLAG(0, "latest", latest,
		 "a second begin starts the span anew (default: it is ignored)"),
	OPT_FLAG(0, "nested", nested, "a second begin is a span inside the first"),
	OPT_FLAG(0, "list", list, "list the presets"),
	OPT_STRING(0, "presets", "FILE", presets.option,
		   "presets of your own, as --list prints them (~/.config/perf-lite/latency)"),
	OPT_INCLUDE(watching_input_opts, q.w),
	OPT_GROUP("Which spans, and how they are grouped"),
	OPT_STRING(0, "filter", "FILTER", wanted.filter,
		   "only spans that begin with an event which passes: 'path ~ \"/var/*\"'"),
	OPT_CALL(0, "min", "TIME", on_min, "only spans of this time and longer: 10ms"),
	OPT_CALL_ON(0, "by", "KEY,...", q, count_options_on_by,
		    "group by these keys of the event at which spans begin, as count does"),
	OPT_INCLUDE(sampling_stack_opts, q.w.what),
	OPT_CALL_ON(0, "hist", "HOW", q, count_options_on_hist,
		    "print a histogram, by powers of two or linear[:FROM:TO:STEP] (ns)",
		    OPT_ARG_OPTIONAL),
	OPT_CALL_ON(0, "quantiles", "P,...", q, count_options_on_quantiles,
		    "print these exact quantiles (default 50,90,99,max)", OPT_ARG_OPTIONAL),
	OPT_FLAG(0, "waker", states.names_wakers,
		 "group by who woke the thread last, too; with -g by its call chain"),
	OPT_FLAG(0, "split", states.splits,
		 "show what the threads of the spans did: ran, waited for a CPU, slept"),
	OPT_INCLUDE(watching_target_opts, q.w),
	OPT_GROUP("Output"),
	OPT_CALL_ON('I', "interval", "SEC", q, count_options_on_interval,
		    "print a table for each interval instead of one for the whole"),
	OPT_UINT(0, "top", "N", q.top, "print the first N rows, and one line for the others"),
	OPT_CALL_ON(0, "sort", "BY", q, count_options_on_sort,
		    "sort rows by sum (default), count, mean or max"),
	OPT_UINT(0, "slowest", "N", slowest, "print the N longest spans, too"),
	OPT_FLAG(0, "trace", trace, "print a line for each span as it ends, and no table"),
	OPT_FLAG(0, "open", open,
		 "print the ages of spans that have not ended, instead of the others"),
	OPT_CALL_ON(0, "json", NULL, q, count_options_on_json,
		    "print a JSON object for each table"),
	OPT_CALL_ON(0, "csv", NULL, q, count_options_on_csv, "print comma-separated values, in ns"),
	OPT_CALL_ON(0, "folded", NULL, q, count_options_on_folded,
		    "print folded stacks with their sums in ns, for flame graphs"),
	OPT_STRING(0, "flamegraph", "FILE", files[LATENCY_FLAMEGRAPH],
		   "draw the stacks with their sums into FILE, as SVG or HTML; implies -g"),
	OPT_STRING(0, "timeline", "FILE", files[LATENCY_TIMELINE],
		   "draw how long spans took over time into FILE, as SVG or HTML"),
	OPT_STRING(0, "chrome", "FILE", files[LATENCY_CHROME],
		   "write the spans into FILE as a trace: for Perfetto and chrome://tracing"),
	OPT_STRING(0, "gecko", "FILE", files[LATENCY_GECKO],
		   "write them as markers of their threads: for profiler.firefox.com"),
	OPT_STRING(0, "pprof", "FILE", files[LATENCY_PPROF],
		   "write the rows of the table with their stacks: for pprof"),
	OPT_CALL_ON(0, "color", "WHEN", q.colour, terminal_colour_option, "auto, always, never",
		    OPT_ARG_OPTIONAL),
	OPT_UINT(0, "max-stack", "N", q.w.in.max_stack, "use at most N frames of each stack (all)"),
	OPT_INCLUDE(reading_name_opts, q.w.in),
	OPT_GROUP("Other"),
	OPT_INCLUDE(sampling_buffer_opts, q.w.what),
	OPT_CALL_ON(
		0, "engine", "WHICH", q, count_options_on_engine,
		"pair samples (perf), or in the kernel (bpf; the default with --min where that works)"),
	OPT_FLAG('v', "verbose", q.verbose, "say under the table why the kernel does not pair"),
	OPT_INCLUDE(reading_other_opts, q.w.in),
	OPT_END,
};

static const struct opt_table table = {
	.command = "latency",
	.summary = "show how long it takes from one event to another",
	.usage = {"PRESET [options] [--] [COMMAND [ARG...]]",
		  "--from EVENT --to EVENT --on KEY [options] [--] [COMMAND [ARG...]]",
		  "... -i FILE"},
	.opts = opts,
	.notes = notes,
	.stop_at_operand = true,
};

/* The first operand is the preset, if no points are given; what follows is the rest of the command line. */
static int parse(struct latency *l, int argc, char **argv, struct opt_rest *rest, struct err *err)
{
	int ret;

	if (argc > 1 && argv[1][0] != '-') {
		l->name = argv[1];
		argv[1] = argv[0];
		argv++;
		argc--;
	}
	ret = cmd_options(&table, l, argc, argv, rest, err);
	/* options, then the preset, then perhaps further ones */
	if (!ret && !rest->help && !l->name && !l->from && !l->to && !l->list && rest->argc) {
		l->name = rest->argv[0];
		ret = cmd_options(&table, l, rest->argc, rest->argv, rest, err);
	}
	if (!ret && !rest->help && (l->name || l->list))
		ret = latency_presets_read(&l->presets, err);
	if (ret || rest->help || !l->name)
		return ret;
	l->preset = latency_presets_find(&l->presets, l->name, err);
	return l->preset ? 0 : -EINVAL;
}

int latency_options(struct latency *l, int argc, char **argv, struct opt_rest *rest,
		    struct err *err)
{
	struct buf out = {0};
	int ret = parse(l, argc, argv, rest, err);

	if (!ret && !rest->help && !l->list)
		return check(l, rest, err);
	if (ret || (rest->help && !cmd_is_completing()))
		return ret;
	if (rest->help)
		latency_presets_complete(&l->presets, &out);
	else
		latency_presets_list(&l->presets, &out);
	rest->help = true;
	return cmd_write(&out, err);
}
