// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/latency_request.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "perf-lite/perf_commands.h"

static const char notes[] =
	"A point is EVENT[:KEY[+KEY]...][ if FILTER[ else KEY]];\n"
	"KEY is a field of the event, tid, pid or cpu.\n"
	"Presets are points and keys too: perf-lite latency --list shows them.\n\n"
	"Examples:\n"
	"  perf-lite latency run-queue --duration 5s           who waits for a CPU, and how long\n"
	"  perf-lite latency off-cpu -p 1234 -g --top 5        where a program sleeps\n"
	"  perf-lite latency block-io --hist                   how fast the disks are\n"
	"  perf-lite latency syscalls --min 10ms --trace       slow system calls as they end\n"
	"  perf-lite latency --from sched:sched_process_fork:child_pid --to sched:sched_process_exit:pid\n\n"
	"Exit codes: that of the command (128 + signal; 126, 127: it cannot be run), else 0; 1 wrong usage,\n"
	"2 could not start, 3 a recording is damaged (what could be read was used).\n";

/* --- what goes together --- */

/* There is no table whose rows could be chosen, sorted and described. */
static int check_trace(const struct latency_request *req, struct err *err)
{
	const struct count_request *q = &req->q;
	const char *option = q->top           ? "--top"
			     : q->order_given ? "--sort"
			     : q->hist        ? "--hist"
			     : q->quantiled   ? "--quantiles"
					      : NULL;

	if ((q->form != COUNT_FORM_TEXT && q->form != COUNT_FORM_JSON) || q->interval_ns)
		return err_refuse(
			err, "--trace prints lines instead of a table",
			"leave out --csv, --folded, --openmetrics and -I; --json is an object for each span");
	if (req->l.asked.open)
		return err_refuse(err,
				  "--trace shows spans as they end, --open those that have not",
				  "give one of them");
	if (!option)
		return 0;
	err_set(err, EINVAL, "--trace prints lines instead of a table: %s has no effect", option);
	err_hint(err, "leave out %s, or --trace", option);
	return -EINVAL;
}

/* What has ended since the start can only grow: what is open, and parts of what has, are no counters. */
static int check_metrics(const struct latency_request *req, struct err *err)
{
	const char *what = req->l.asked.open      ? "--open"
			   : req->l.whole         ? "a table of whole times"
			   : req->l.states.splits ? "--split"
						  : NULL;

	if (req->q.form != COUNT_FORM_METRICS || !what)
		return 0;
	err_set(err, EINVAL, "--openmetrics writes counters of spans that ended, and %s is no such",
		what);
	err_hint(err, "--json -I has an object for each interval");
	return -EINVAL;
}

/* Options that contradict each other, whatever can be recorded here. */
static int check_view(struct latency_request *req, struct err *err)
{
	struct count_request *q = &req->q;

	if (watching_check(&q->w, err) || check_metrics(req, err))
		return -EINVAL;
	if (q->hist && q->quantiled)
		return err_refuse(err, "--hist and --quantiles are two views of the same numbers",
				  "give one of them");
	if (q->hist && q->form == COUNT_FORM_FOLDED)
		return err_refuse(err, "--folded prints stacks, --hist is a table",
				  "give one of them");
	if (req->l.asked.trace && check_trace(req, err))
		return -EINVAL;
	if (req->l.asked.slowest && q->form == COUNT_FORM_JSON && req->l.asked.trace)
		return err_refuse(err, "--slowest is part of the table, and --trace prints none",
				  "leave out --slowest, or --trace");
	if (req->l.asked.slowest && q->form != COUNT_FORM_TEXT && q->form != COUNT_FORM_JSON)
		return err_refuse(
			err, "--slowest prints lines below the table",
			"leave out --csv, --folded and --openmetrics; --json has them, too");
	return 0;
}

static int choose_view(struct latency_request *req, struct err *err)
{
	struct count_request *q = &req->q;
	int ret;

	q->w.what.attrs.call_chain |= req->files[LATENCY_FLAMEGRAPH] != NULL;
	ret = latency_files_check(req, err);
	if (!ret)
		ret = count_options_form(q, err);
	q->w.own_output |=
		latency_files_on_stdout(req) || (req->l.asked.trace && q->form == COUNT_FORM_JSON);
	q->of = "period"; /* a number of our own takes its place */
	/* the picture has the stacks */
	if (req->files[LATENCY_FLAMEGRAPH] && !q->top && q->form == COUNT_FORM_TEXT)
		q->top = 1;
	if (!q->hist)
		q->table.what = COUNT_QUANTILES;
	if (!q->order_given)
		q->order = COUNT_ORDER_SUM;
	if (!ret)
		ret = latency_by(&req->l, &q->by, err);
	if (!ret)
		ret = latency_presets_in_file(&req->l.presets,
					      req->l.asked.by ? NULL : req->l.asked.preset,
					      count_options_keys(q, err), err);
	latency_stages_keys(&req->l);
	if (!ret)
		q->keys.of.name = "latency";
	return ret;
}

static int check(struct latency_request *req, const struct opt_rest *rest, struct err *err)
{
	static const double quantiles[] = {0.5, 0.9, 0.99, 1};
	struct latency *l = &req->l;
	int ret = 0;

	l->asked.chains = req->q.w.what.attrs.call_chain || req->files[LATENCY_FLAMEGRAPH];
	if (req->q.by.len) {
		l->asked.by = arena_strdup(&l->points.arena, buf_str(&req->q.by));
		ret = l->asked.by ? 0 : err_nomem(err);
	}
	if (!ret)
		ret = latency_choose(l, rest->argc, err);
	if (!ret)
		ret = check_view(req, err);
	/* a control group limits the events before it */
	if (!ret && !req->q.w.input) {
		req->q.w.what.collects = false;
		ret = latency_presets_in_file(&l->presets, l->asked.preset,
					      latency_points_open(l, err), err);
	}
	if (!ret)
		ret = watching_events(&req->q.w, err);
	if (!ret)
		ret = choose_view(req, err);
	if (!req->q.nr_quantiles) {
		memcpy(req->q.quantiles, quantiles, sizeof(quantiles));
		req->q.nr_quantiles = ARRAY_SIZE(quantiles);
	}
	if (rest->argc)
		req->q.command = rest->argv;
	return ret;
}

#define ORDER   "--sort sum, count, mean or max"
#define SUMMARY "a summary: the table, without --trace"
#define THREADS "a row for each thread: --by comm,tid"

static const struct opt_mistaken mistaken[] = {{'k', ORDER}, {'p', THREADS}, {'t', THREADS}, {0}};

#define OPT_STRUCT struct latency_request

static const struct opt opts[] = {
	OPT_GROUP("What"),
	OPT_INCLUDE(latency_point_opts, l),
	OPT_FLAG(0, "list", list, "list the presets"),
	OPT_STRING(0, "presets", "FILE", l.presets.option,
		   "presets of your own, as --list prints them (~/.config/perf-lite/latency)"),
	OPT_INCLUDE(watching_input_opts, q.w),
	OPT_GROUP("Which spans, and how they are grouped"),
	OPT_INCLUDE(latency_span_opts, l),
	OPT_CALL_ON(0, "by", "KEY,...", q, count_options_on_by,
		    "group by these keys of the event at which spans begin, as count does"),
	OPT_INCLUDE(sampling_stack_opts, q.w.what),
	OPT_CALL_ON(0, "hist", "HOW", q, count_options_on_hist,
		    "print a histogram, by powers of two or linear[:FROM:TO:STEP]: 0:1ms:100us",
		    OPT_ARG_OPTIONAL),
	OPT_CALL_ON(0, "quantiles", "P,...", q, count_options_on_quantiles,
		    "print these exact quantiles (default 50,90,99,max)", OPT_ARG_OPTIONAL),
	OPT_INCLUDE(latency_thread_opts, l),
	OPT_INCLUDE(watching_target_opts, q.w),
	OPT_CALL_ON(0, "time", "FROM,TO", q.w.in, reading_on_time,
		    "with -i, only between these times, in seconds, or a part: 10%/2, 0%-10%"),
	OPT_GROUP("Output"),
	OPT_CALL_ON('I', "interval", "SEC", q, count_options_on_interval,
		    "print a table for each interval instead of one for the whole"),
	OPT_UINT(0, "top", "N", q.top, "print the first N rows, and one line for the others"),
	OPT_CALL_ON(0, "sort", "BY", q, count_options_on_sort,
		    "sort rows by sum (default), count, mean or max"),
	OPT_UINT(0, "slowest", "N", l.asked.slowest, "print the N longest spans, too"),
	OPT_FLAG(0, "trace", l.asked.trace, "print a line for each span as it ends, and no table"),
	OPT_FLAG(0, "open", l.asked.open,
		 "print the ages of spans that have not ended, instead of the others"),
	OPT_CALL_ON(0, "json", NULL, q, count_options_on_json,
		    "print a JSON object for each table"),
	OPT_CALL_ON(0, "csv", NULL, q, count_options_on_csv, "print comma-separated values, in ns"),
	OPT_CALL_ON(0, "openmetrics", "FILE", q, count_options_on_metrics,
		    "write all since the start to FILE for Prometheus, every 10 s or -I"),
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
	OPT_INCLUDE(sampling_busy_buffer_opts, q.w.what),
	OPT_CALL_ON(
		0, "engine", "WHICH", q, count_options_on_engine,
		"pair samples (perf), or in the kernel (bpf; the default with --min or --hist, where that works)"),
	OPT_FLAG('v', "verbose", q.verbose, "say under the table why the kernel does not pair"),
	OPT_INCLUDE(reading_other_opts, q.w.in),
	/* of perf sched, lock and kwork */
	OPT_REFUSED('E', "entries", "--top N"),
	OPT_REFUSED('F', "field", "a row has them all; --csv, to choose some"),
	OPT_REFUSED('M', "migrations", "perf-lite count -e sched:sched_migrate_task --by comm"),
	OPT_REFUSED('S', "with-summary", SUMMARY),
	OPT_REFUSED('V', "cpu-visual", "a picture: --chrome FILE, for Perfetto"),
	OPT_REFUSED('l', "lock-addr", "--by lock_addr"),
	OPT_REFUSED('n', "next", "--by comm,next_comm"),
	OPT_REFUSED(0, "state", "--split"),
	OPT_REFUSED('s', "summary", ORDER "; " SUMMARY),
	OPT_REFUSED('w', "wakeups", "--waker"),
	OPT_END,
};

static const struct opt_table table = {
	.command = "latency",
	.summary = "show how long it takes from one event to another",
	.usage = {"PRESET [options] [--] [COMMAND [ARG...]]",
		  "--from EVENT --to EVENT --on KEY [options] [--] [COMMAND [ARG...]]",
		  "... -i FILE"},
	.opts = opts,
	.mistaken = mistaken,
	.notes = notes,
	.stop_at_operand = true,
};

/* The first operand is the preset, if no points are given; what follows is the rest of the command line. */
static int parse(struct latency_request *req, int argc, char **argv, struct opt_rest *rest,
		 struct err *err)
{
	int ret;

	if (argc > 1 && argv[1][0] != '-') {
		req->name = argv[1];
		argv[1] = argv[0];
		argv++;
		argc--;
	}
	ret = cmd_options(&table, req, argc, argv, rest, err);
	/* options, then the preset, then perhaps further ones */
	if (!ret && !rest->help && !req->name && !req->l.asked.from && !req->l.asked.to &&
	    !req->list && rest->argc) {
		req->name = rest->argv[0];
		ret = cmd_options(&table, req, rest->argc, rest->argv, rest, err);
	}
	if (!ret && !rest->help && (req->name || req->list))
		ret = latency_presets_read(&req->l.presets, err);
	if (ret || rest->help || !req->name)
		return ret;
	req->l.asked.preset = latency_presets_find(&req->l.presets, req->name, err);
	if (!req->l.asked.preset && perf_commands_instead(req->name))
		err_hint(err, "%s", perf_commands_instead(req->name));
	return req->l.asked.preset ? 0 : -EINVAL;
}

int latency_options(struct latency_request *req, int argc, char **argv, struct opt_rest *rest,
		    struct err *err)
{
	struct buf out = {0};
	int ret = parse(req, argc, argv, rest, err);

	if (!ret && !rest->help && !req->list)
		return check(req, rest, err);
	if (ret || (rest->help && !cmd_is_completing()))
		return ret;
	if (rest->help)
		latency_presets_complete(&req->l.presets, &out);
	else
		latency_presets_list(&req->l.presets, &out);
	rest->help = true;
	return cmd_write(&out, err);
}
