// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "perf-lite/cmd.h"
#include "perf-lite/trace.h"
#include "util/base/errno_names.h"

/* Of a call chain, as many frames as perf shows. */
#define FRAMES_MAX 127

/* What depends on several options. */
static void settle(struct trace *t)
{
	struct reading *in = &t->w.in;

	if (in->max_stack == UINT64_MAX && !t->json)
		in->max_stack = FRAMES_MAX;
	in->filter.time_relative = in->time_form == TIME_FORM_RELTIME;
	if (t->fields && selected_fields_want_ip(t->fields))
		t->w.what.attrs.sample_ip = true;
}

/* -s prints no lines: what says how they look would be in vain. */
static int check_table(const struct trace *t, struct err *err)
{
	const char *option = t->fields                         ? "--fields"
			     : t->nanoseconds                  ? "--ns"
			     : t->w.in.time_word               ? "--time=FORM"
			     : t->w.in.max_stack != UINT64_MAX ? "--max-stack"
			     : t->w.what.attrs.call_chain      ? "-g"
			     : t->calls.paths                  ? "--paths"
							       : NULL;

	if (!option)
		return 0;
	err_set(err, EINVAL, "-s prints a table and no lines: leave out %s", option);
	err_hint(err, "-S prints both");
	return -EINVAL;
}

static int agree(const struct trace *t, struct err *err)
{
	if (t->ftrace && (t->calls.summary || t->calls.with_summary))
		return err_set(
			err, EINVAL,
			"the table is of system calls, and lines of ftrace are events: leave out --ftrace");
	if (t->calls.summary && check_table(t, err))
		return -EINVAL;
	if (t->ftrace && (t->json || t->fields))
		return err_set(err, EINVAL, "--ftrace has a form of its own: leave out %s",
			       t->json ? "--json" : "--fields");
	if (t->calls.min_ns && t->calls.off)
		return err_set(err, EINVAL, "--min is of system calls: leave out --no-syscalls");
	if (t->calls.paths && (t->calls.off || t->ftrace))
		return err_set(err, EINVAL, "--paths are of system calls: leave out %s",
			       t->calls.off ? "--no-syscalls" : "--ftrace");
	if (t->calls.paths && t->w.input) {
		err_set(err, EINVAL, "--paths are read while calls are made, and %s is a recording",
			t->w.input);
		err_hint(err, "record -e 'syscalls:sys_enter_read(path(fd))' keeps them");
		return -EINVAL;
	}
	if (t->json && t->nanoseconds)
		return err_set(err, EINVAL, "--json always has nanoseconds");
	if (t->ftrace && time_form_is_date(t->w.in.time_form)) {
		err_set(err, EINVAL, "lines of ftrace have times in seconds");
		err_hint(err, "use --time=tai, boot or mono, or leave out --ftrace");
		return -EINVAL;
	}
	return 0;
}

/* Where calls are shown as plain events, a filter is one of events. */
static int settle_calls(struct trace *t, struct err *err)
{
	struct sampling *s = &t->w.what;

	s->calls_off = t->calls.off || t->ftrace;
	if (!s->calls_off || !s->call_filter || (t->w.input && !s->any_event))
		return 0;
	err_set(err, EINVAL, "without system calls, --filter must follow the event it applies to");
	err_hint(err, "-e raw_syscalls:sys_exit --filter '%s'", s->call_filter);
	return -EINVAL;
}

/* strace's classes of calls, and its words for lists. */
static bool is_of_strace(const char *text)
{
	static const char *const classes[] = {"file", "process", "network", "net", "signal",
					      "ipc",  "desc",    "memory",  "mem"};
	size_t i;

	if (*text == '%' || !strncmp(text, "trace=", 6))
		return true;
	for (i = 0; i < ARRAY_SIZE(classes); i++)
		if (!strcmp(text, classes[i]))
			return true;
	return false;
}

static int look_up_events(struct watching *w, struct err *err)
{
	const int ret = watching_events(w, err);
	u32 i;

	for (i = 0; ret && i < w->what.asked.nr; i++)
		if (w->what.asked.v[i].what == SAMPLING_EVENT &&
		    is_of_strace(w->what.asked.v[i].text))
			err_hint(
				err,
				"name system calls, or patterns of names: -e open,close, -e 'open*,*stat*'");
	return ret;
}

/* A result that is compared with an error as if it were positive: of the kernel's calls it is negative. */
static void note_positive_error(struct watching *w)
{
	const char *f = w->what.call_filter, *name;
	size_t len;

	for (f = f ? strstr(f, "ret") : NULL; f; f = strstr(f + 1, "ret")) {
		name = f + 3 + strspn(f + 3, " ");
		if (strncmp(name, "==", 2) != 0)
			continue;
		name += 2 + strspn(name + 2, " ");
		len = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
		if (*name == 'E' && errno_value(name, len))
			buf_addf(&w->notes, "results that are errors are negative: ret == -%.*s\n",
				 (int)len, name);
	}
}

/* What other tracers ask for by another name. */
#define FAILED      "--filter 'ret < 0'"
#define FAULTS      "page faults are events: -e page-faults -c 1, or major-faults"
#define STACKS      "call chains: -g"
#define TIMES       "times of day: --time=wall"
#define STEPS       "times since the call before: --time=delta"
#define STRACE_LIST "-e open,close, -e '!futex', or patterns: -e 'open*,*stat*'"

static const struct opt_mistaken mistaken[] = {
	{'c', "a table of all calls: -s; with a line for each, too: -S"},
	{'F', FAULTS},
	{'k', STACKS},
	{'r', STEPS},
	{'t', TIMES},
	{0},
};

#define OPT_STRUCT struct trace

static const struct opt opts[] = {
	OPT_GROUP("What"),
	OPT_INCLUDE(sampling_event_opts, w.what),
	OPT_INCLUDE(watching_input_opts, w),
	OPT_INCLUDE(sampling_stack_opts, w.what),
	OPT_INCLUDE(sampling_rate_opts, w.what),
	OPT_INCLUDE(watching_target_opts, w),
	OPT_UINT(0, "limit", "N", limit, "stop after N events or calls", OPT_POSITIVE),
	OPT_GROUP("What is printed"),
	OPT_STRING(
		0, "fields", "LIST", fields,
		"print these: fields of the events; arguments, ret and duration of calls; comm, pid, tid, cpu, time, event, ip, sym"),
	OPT_FLAG(0, "json", json, "print one JSON object per line"),
	OPT_FLAG(0, "ftrace", ftrace, "print lines like the trace file of tracefs"),
	OPT_INCLUDE(reading_time_opts, w.in),
	OPT_CALL_ON(0, "time", "FROM,TO", w.in, reading_on_time,
		    "only between these times, in seconds"),
	OPT_FLAG(0, "ns", nanoseconds, "print times with nanoseconds"),
	OPT_UINT(0, "max-stack", "N", w.in.max_stack,
		 "use at most N frames of each stack (default 127; with --json all)"),
	OPT_INCLUDE(reading_name_opts, w.in),
	OPT_STRING('o', "output", "FILE", to.path, "write to FILE instead of standard output"),
	OPT_INCLUDE(syscalls_opts, calls),
	OPT_GROUP("How"),
	OPT_INCLUDE(sampling_trace_buffer_opts, w.what),
	OPT_INCLUDE(reading_other_opts, w.in),
	/* of perf trace */
	OPT_REFUSED(0, "max-events", "--limit N"),
	OPT_REFUSED(0, "pf", FAULTS),
	OPT_REFUSED(0, "failure", FAILED),
	OPT_REFUSED(0, "filter-pids", "--filter 'common_pid != N', behind its -e"),
	OPT_REFUSED(0, "switch-on", "record it, then: perf-lite script --time FROM,TO"),
	OPT_REFUSED(0, "switch-off", "record it, then: perf-lite script --time FROM,TO"),
	OPT_REFUSED(0, "expr", "-e EVENT"),
	OPT_REFUSED(0, "sched", "how long threads ran, waited and slept: perf-lite latency states"),
	OPT_REFUSED(0, "print-sample", "what is recorded: perf-lite record, then script -D"),
	OPT_REFUSED(0, "map-dump", "bpftool map dump"),
	OPT_REFUSED(0, "min-stack", "record it, then count by stack: perf-lite report -g"),
	/* of strace */
	OPT_REFUSED('P', "trace-path", "--filter 'filename == \"/etc/hostname\"', or -y and grep"),
	OPT_REFUSED('z', "successful-only", "--filter 'ret >= 0'"),
	OPT_REFUSED('Z', "failed-only", FAILED),
	OPT_REFUSED(0, "status", FAILED),
	OPT_REFUSED(0, "summary-only", "-s"),
	OPT_REFUSED(0, "stack-traces", STACKS),
	OPT_REFUSED(0, "decode-fds", "-y"),
	OPT_REFUSED(0, "attach", "-p PID"),
	OPT_REFUSED(0, "trace", STRACE_LIST),
	OPT_REFUSED(0, "absolute-timestamps", TIMES),
	OPT_REFUSED(0, "relative-timestamps", STEPS),
	OPT_IGNORED('T', "syscall-times", NULL),
	OPT_IGNORED(0, "follow-forks", NULL),
	OPT_IGNORED(0, "syscalls", NULL),
	OPT_IGNORED('v', "verbose", NULL),
	OPT_IGNORED(0, "sort-events", NULL),
	OPT_IGNORED(0, "libtraceevent_print", NULL),
	OPT_IGNORED(0, "kernel-syscall-graph", NULL),
	OPT_END,
};

static const struct opt_table table = {
	.command = "trace",
	.summary = "print events as they happen",
	.usage = {"[-e EVENT] [options] [--] COMMAND [ARG...]",
		  "-e EVENT [options] [-a | -p PID | --comm NAME]", "-i FILE [options]"},
	.opts = opts,
	.mistaken = mistaken,
	.stop_at_operand = true,
	.notes =
		"Examples:\n"
		"  perf-lite trace ls                               the system calls of a command\n"
		"  perf-lite trace -e openat,'*stat*' -p 1234       calls by name; '!futex,poll': all but these\n"
		"  perf-lite trace -y -e read,write -p 1234         with the files that are read and written\n"
		"  perf-lite trace --min 10ms -p 1234               calls that take long\n"
		"  perf-lite trace -s --by file -p 1234             how long calls took, by file\n"
		"  perf-lite trace -e skb:kfree_skb --filter 'reason == NO_SOCKET' --fields location,protocol\n"
		"  perf-lite trace -e 'sched:sched_process_*' --time=wall\n"
		"A text with ~ behind it was read when the call had begun: it may have changed by then.\n"
		"Exit codes: that of the command, or 0; 1 wrong usage, 2 it could not begin, 3 the input is\n"
		"damaged or cut. Losses are reported on standard error.\n",
};

int trace_options(struct trace *t, int argc, char **argv, struct opt_rest *rest, struct err *err)
{
	struct watching *w = &t->w;
	int ret;

	*t = (struct trace){.to.fd = STDOUT_FILENO};
	ret = watching_init(w, "trace", err);
	if (ret)
		return ret;
	w->in.prints_times = true;
	syscalls_init(&t->calls, &w->what);
	ret = cmd_options(&table, t, argc, argv, rest, err);
	if (ret || rest->help)
		return ret;
	if (w->plain_duration)
		buf_addf(&w->notes,
			 "it ends after %.10gs: --duration says how long; calls that last longer: "
			 "perf-lite trace --min 5ms\n",
			 (double)w->duration_ns / 1e9);
	ret = watching_check(w, err);
	if (!ret)
		ret = syscalls_check(&t->calls, err);
	if (!ret)
		ret = agree(t, err);
	if (t->to.path && !strcmp(t->to.path, "-"))
		t->to.path = NULL;
	if (!ret)
		ret = settle_calls(t, err);
	if (!ret)
		ret = look_up_events(w, err);
	note_positive_error(w);
	if (!ret && !w->input)
		ret = syscalls_events(&t->calls, &w->what, rest->argc, err);
	if (!ret)
		settle(t);
	return ret;
}
