// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/stat.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "perf-lite/cmd.h"
#include "util/base/num.h"
#include "util/base/text.h"
#include "util/stat/stat_events.h"

/* What the kernel cannot test is tested on samples, and counting makes none. */
static int check_filters(const struct ev_list *list, struct err *err)
{
	const struct ev_spec *s;

	for (s = list->specs.v; s < list->specs.v + list->specs.nr; s++) {
		if (!s->tp.here)
			continue;
		err_set(err, EINVAL, "%s: the kernel cannot test %.*s", s->name, 256,
			s->tp.here->here);
		err_hint(err, "count the samples that pass: perf-lite count -e %s --filter %s",
			 s->name, TEXT_SHELL(s->tp.typed_filter));
		return -EINVAL;
	}
	return 0;
}

static int no_time(const char *option, const char *arg, const char *hint, struct err *err)
{
	err_set(err, EINVAL, "%s: '%s' is not a number of milliseconds", option, arg);
	err_hint(err, "%s", hint);
	return -EINVAL;
}

static int on_delay(void *value, const char *arg, struct err *err)
{
	struct stat_command *c = value;

	if (!strcmp(arg, "-1")) {
		c->run.disabled = true;
		return 0;
	}
	return num_milliseconds(arg, &c->run.delay_ns)
		       ? 0
		       : no_time("-D", arg,
				 "-D 500 waits half a second before counting, -D -1 for --control",
				 err);
}

/* Milliseconds, as perf has them, or a time with its unit. */
static bool read_time(const char *arg, u64 *ns)
{
	if (num_milliseconds(arg, ns))
		return *ns;
	return *arg && isalpha((u8)arg[strlen(arg) - 1]) && num_duration(arg, ns) && *ns &&
	       *ns <= INT64_MAX;
}

static int on_interval(void *value, const char *arg, struct err *err)
{
	struct stat_command *c = value;

	if (read_time(arg, &c->run.interval_ns))
		return 0;
	return no_time("-I", arg, "-I 1000 or -I 1s prints the counts of each second", err);
}

static int on_duration(void *value, const char *arg, struct err *err)
{
	struct stat_command *c = value;

	if (num_duration(arg, &c->run.timeout_ns) && c->run.timeout_ns &&
	    c->run.timeout_ns <= INT64_MAX)
		return 0;
	return err_set(err, EINVAL, "--duration takes a duration such as 10s or 100ms, not '%s'",
		       arg);
}

static int on_timeout(void *value, const char *arg, struct err *err)
{
	struct stat_command *c = value;

	if (read_time(arg, &c->run.timeout_ns))
		return 0;
	return no_time("--timeout", arg, "--timeout 2000 counts for two seconds", err);
}

static int on_repeat(void *value, const char *arg, struct err *err)
{
	struct stat_command *c = value;

	c->repeat_given = true;
	if (num_u64(arg, &c->repeat) && c->repeat <= UINT32_MAX)
		return 0;
	err_set(err, EINVAL, "-r: '%s' is not a number of runs", arg);
	err_hint(err, "-r 10 runs the command ten times, -r 0 until ^C");
	return -EINVAL;
}

static int two_forms(struct err *err)
{
	return err_refuse(err, "-x and --json are two forms of one output",
			  "leave out one of them");
}

static int on_json(void *value, const char *arg, struct err *err)
{
	struct stat_command *c = value;

	if (c->output.separator)
		return two_forms(err);
	if (!arg || !strcmp(arg, "v1")) {
		c->output.form = STAT_OUTPUT_JSON;
		return 0;
	}
	if (!strcmp(arg, "v2")) {
		c->output.form = STAT_OUTPUT_JSON_V2;
		return 0;
	}
	err_set(err, EINVAL, "--json: there is no form '%s'", arg);
	err_hint(err, "--json has the fields of perf stat -j; --json=v2 has numbers as numbers");
	return -EINVAL;
}

static int on_separator(void *value, const char *arg, struct err *err)
{
	struct stat_command *c = value;

	if (c->output.form == STAT_OUTPUT_JSON || c->output.form == STAT_OUTPUT_JSON_V2)
		return two_forms(err);
	if (!*arg) {
		err_set(err, EINVAL, "-x needs a separator");
		err_hint(err, "-x, or -x ';' or -x '\\t'");
		return -EINVAL;
	}
	c->output.form = STAT_OUTPUT_CSV;
	c->output.separator = !strcmp(arg, "\\t") ? "\t" : arg;
	return 0;
}

static int on_log_fd(void *value, const char *arg, struct err *err)
{
	struct stat_command *c = value;
	u64 fd;

	if (!num_u64(arg, &fd) || fd > INT32_MAX) {
		err_set(err, EINVAL, "--log-fd: '%s' is not a descriptor", arg);
		err_hint(err, "open it in the shell: perf-lite stat --log-fd 3 ... 3>counts");
		return -EINVAL;
	}
	c->output.log_fd = (int)fd;
	c->output.log_fd_given = true;
	return 0;
}

#define NO_BPF "leave it out: what -e names is counted by perf events of its own"

#define OPT_STRUCT struct stat_command

static const struct opt opts[] = {
	OPT_GROUP("What"),
	OPT_CALL_ON('e', "event", "EVENT,...", what, sampling_on_event,
		    "events, as perf-lite list prints them; {a,b} are counted together"),
	OPT_CALL_ON(0, "filter", "EXPR", what, sampling_on_filter,
		    "count only hits that match this expression (tracepoint of the -e before it)"),
	OPT_COUNT('d', "detailed", detailed,
		  "count cache events; -d -d and -d -d -d: more of them"),
	OPT_STRING('M', "metric", "NAME,...", metrics,
		   "ratios with the events that they need: ipc, branch-miss ..."),
	OPT_STRING(0, "metrics", "NAME,...", metrics, NULL, OPT_HIDDEN),
	OPT_FLAG(0, "metric-only", output.metric_only, "print only the ratios, a column for each"),
	OPT_FLAG('n', "null", null_run, "count no events, only measure time"),
	OPT_FLAG(0, "all-user", counting.all_user, "user code only"),
	OPT_FLAG(0, "all-kernel", counting.all_kernel, "kernel code only"),
	OPT_GROUP("Targets (default: the whole system, until Ctrl-C)"),
	OPT_INCLUDE(sampling_counting_opts, what),
	OPT_STRING(0, "for-each-cgroup", "NAME,...", each_cgroup,
		   "count all events in each of these control groups"),
	OPT_FLAG('i', "no-inherit", what.no_inherit, "leave out child processes and new threads"),
	OPT_GROUP("Duration and repetition"),
	OPT_CALL('r', "repeat", "N", on_repeat, "run the command N times (0: until Ctrl-C)"),
	OPT_UINT(0, "warmup", "N", warmup, "first run it N times without counting"),
	OPT_CALL('I', "interval-print", "MS", on_interval,
		 "print counts every MS milliseconds, or every 1s"),
	OPT_UINT(0, "interval-count", "N", run.interval_count, "stop after N intervals"),
	OPT_FLAG(0, "interval-clear", output.clear, "clear the screen before each interval"),
	OPT_FLAG(0, "summary", output.summary, "print the totals after the intervals"),
	OPT_FLAG(0, "no-csv-summary", output.no_csv_summary,
		 "with -x, omit the word summary before its lines"),
	OPT_CALL(0, "duration", "TIME", on_duration, "stop after TIME: 10s, 500ms, 2m"),
	OPT_CALL(0, "timeout", "MS", on_timeout, "same as --duration, in milliseconds"),
	OPT_CALL('D', "delay", "MS", on_delay, "start MS milliseconds later"),
	OPT_STRING(0, "control", "fifo:CTL[,ACK]", control,
		   "read commands: enable, disable, stop, ping; or fd:CTL[,ACK]"),
	OPT_STRING(0, "pre", "COMMAND", pre, "run COMMAND before each run"),
	OPT_STRING(0, "post", "COMMAND", post, "run COMMAND after each run"),
	OPT_FLAG('S', "sync", sync, "call sync(2) before each run"),
	OPT_GROUP("Aggregation"),
	OPT_FLAG('A', "no-aggr", output.per[STAT_PER_CPU], "print a line for each CPU"),
	OPT_FLAG(0, "no-merge", counting.no_merge,
		 "print a line for each unit of a PMU that has several under one name"),
	OPT_FLAG(0, "per-core", output.per[STAT_PER_CORE], "print a line for each core"),
	OPT_FLAG(0, "per-cluster", output.per[STAT_PER_CLUSTER],
		 "print a line for each cluster of cores"),
	OPT_FLAG(0, "per-die", output.per[STAT_PER_DIE], "print a line for each die"),
	OPT_FLAG(0, "per-socket", output.per[STAT_PER_SOCKET], "print a line for each socket"),
	OPT_FLAG(0, "per-node", output.per[STAT_PER_NODE], "print a line for each NUMA node"),
	OPT_FLAG(0, "per-thread", output.per[STAT_PER_THREAD], "print a line for each thread"),
	OPT_GROUP("Output (to standard error)"),
	OPT_CALL('x', "field-separator", "SEP", on_separator, "print fields separated by SEP"),
	OPT_CALL(
		0, "json", "v2", on_json,
		"print a JSON object per line, like perf stat -j; v2: numbers as numbers, with a summary",
		OPT_ARG_OPTIONAL),
	OPT_CALL('j', "json-output", NULL, on_json, "same as --json"),
	OPT_STRING('o', "output", "FILE", output.file, "write to FILE"),
	OPT_FLAG(0, "append", output.append, "append to FILE"),
	OPT_CALL(0, "log-fd", "FD", on_log_fd, "write to this open descriptor"),
	OPT_FLAG('B', "big-num", output.big_num, "print 1,234,567 on a terminal (default)"),
	OPT_FLAG(0, "no-big-num", output.no_big_num, "print 1234567"),
	OPT_FLAG(0, "scale", output.scaled, "scale up counts of multiplexed events (default)"),
	OPT_FLAG(0, "table", output.table, "with -r, print the time of each run"),
	OPT_FLAG('q', "quiet", output.quiet, "print errors only"),
	OPT_COUNT('v', "verbose", verbose, "say why an event is not counted"),
	OPT_IGNORED('g', "group", NULL),
	OPT_IGNORED(0, "metric-no-group", NULL),
	OPT_IGNORED(0, "metric-no-merge", NULL),
	OPT_REFUSED(0, "metric-groups", "name the metrics: --metric list shows them"),
	OPT_REFUSED(
		0, "topdown",
		"count the events: -e '{slots,topdown-retiring,topdown-bad-spec}', as perf-lite list shows them"),
	OPT_REFUSED(
		0, "per-cache",
		"--per-cluster adds up CPUs that share a cache, --per-die or --per-socket the last one"),
	OPT_REFUSED(0, "td-level", "count the events of that level: perf-lite list topdown"),
	OPT_REFUSED('T', "transaction", "count the events: -e cycles,cpu/tx-start/,cpu/tx-abort/"),
	OPT_REFUSED(0, "smi-cost", "count the events: -a -e msr/smi/,msr/aperf/,cycles"),
	OPT_REFUSED(0, "iostat",
		    "count the events of the uncore_iio PMUs: perf-lite list uncore_iio"),
	OPT_REFUSED(0, "bpf-counters", NO_BPF),
	OPT_REFUSED('b', "bpf-prog",
		    "sample instead: perf-lite record -a, then report, which names BPF programs"),
	OPT_REFUSED(0, "bpf-attr-map", NO_BPF),
	OPT_REFUSED(0, "bpf-map", NO_BPF),
	OPT_REFUSED(0, "cputype", "name the cores in the event: -e cpu_core/cycles/"),
	OPT_REFUSED(0, "hybrid-merge", "each sort of cores has its own row; add the rows up"),
	OPT_REFUSED(0, "percore-show-thread", "--per-core adds threads up, -A shows each CPU"),
	OPT_END,
};

static const struct opt_table table = {
	.command = "stat",
	.summary = "count events of a command, of processes or of the whole system",
	.usage = {"[options] [--] COMMAND [ARG...]", "[options] -a | -p PID [-- COMMAND [ARG...]]"},
	.opts = opts,
	.notes =
		"Examples:\n"
		"  perf-lite stat -r 10 -- ./program                 how long, and how much it varies\n"
		"  perf-lite stat -I 1000 -a -e skb:kfree_skb        dropped packets, each second\n"
		"Exit codes: that of the command (128 + signal; 126, 127: it cannot be run), with -r of the\n"
		"first run that fails, else 0; 1 wrong usage, 2 could not start, 3 not all was written.\n",
	.stop_at_operand = true,
};

int stat_options(struct stat_command *c, int argc, char **argv, struct opt_rest *rest,
		 struct err *err)
{
	int ret;

	c->what.collects = true;
	ret = cmd_options(&table, c, argc, argv, rest, err);
	if (ret || rest->help)
		return ret;
	ret = sampling_take_asked(&c->what, err);
	if (!ret)
		ret = stat_events_check(&c->what.list, 0, err);
	return ret ? ret : check_filters(&c->what.list, err);
}
