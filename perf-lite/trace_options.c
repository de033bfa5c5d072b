// SPDX-License-Identifier: GPL-2.0
#include <errno.h>

#include "perf-lite/cmd.h"
#include "perf-lite/trace.h"

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

static int agree(const struct trace *t, struct err *err)
{
	if (t->ftrace && (t->json || t->fields))
		return err_set(err, EINVAL, "--ftrace has a form of its own: leave out %s",
			       t->json ? "--json" : "--fields");
	if (t->json && t->nanoseconds)
		return err_set(err, EINVAL, "--json always has nanoseconds");
	if (t->ftrace && time_form_is_date(t->w.in.time_form)) {
		err_set(err, EINVAL, "lines of ftrace have times in seconds");
		err_hint(err, "use --time=tai, boot or mono, or leave out --ftrace");
		return -EINVAL;
	}
	return 0;
}

int trace_options(struct trace *t, int argc, char **argv, struct opt_rest *rest, struct err *err)
{
	struct watching *w = &t->w;
	const struct opt opts[] = {
		{OPT_GROUP, 0, NULL, NULL, NULL, "What", NULL, 0},
		WATCHING_EVENT_OPTS(w),
		SAMPLING_STACK_OPTS(&w->what),
		SAMPLING_RATE_OPTS(&w->what),
		WATCHING_TARGET_OPTS(w),
		{OPT_UINT, 0, "limit", "N", &t->limit, "stop after N events or calls", NULL, 0},
		{OPT_GROUP, 0, NULL, NULL, NULL, "What is printed", NULL, 0},
		{OPT_STRING, 0, "fields", "LIST", &t->fields,
		 "print these: fields of the events; arguments, ret and duration of calls; comm, pid, tid, cpu, time, event, ip, sym",
		 NULL, 0},
		{OPT_FLAG, 0, "json", NULL, &t->json, "print one JSON object per line", NULL, 0},
		{OPT_FLAG, 0, "ftrace", NULL, &t->ftrace,
		 "print lines like the trace file of tracefs", NULL, 0},
		READING_TIME_OPTS(&w->in),
		{OPT_CALL, 0, "time", "FROM,TO", &w->in, "only between these times, in seconds",
		 reading_on_time, 0},
		{OPT_FLAG, 0, "ns", NULL, &t->nanoseconds, "print times with nanoseconds", NULL, 0},
		READING_STACK_OPTS(&w->in, "default 127; with --json all"),
		SYSCALLS_OPTS(&t->calls),
		{OPT_GROUP, 0, NULL, NULL, NULL, "How", NULL, 0},
		SAMPLING_BUFFER_OPTS(&w->what),
		READING_OTHER_OPTS(&w->in),
		TRACE_REFUSED_OPTS,
	};
	const struct opt_table table = {
		.command = "trace",
		.summary = "print events as they happen",
		.usage = {"[-e EVENT] [options] [--] COMMAND [ARG...]",
			  "-e EVENT [options] [-a | -p PID | --comm NAME]", "-i FILE [options]"},
		.opts = opts,
		.nr = ARRAY_SIZE(opts),
		.stop_at_operand = true,
		.notes =
			"Examples:\n"
			"  perf-lite trace ls                               the system calls of a command\n"
			"  perf-lite trace -e openat,'*stat*' -p 1234       calls by name; '!futex,poll': all but these\n"
			"  perf-lite trace -e skb:kfree_skb --filter 'reason == NO_SOCKET' --fields location,protocol\n"
			"  perf-lite trace -e 'sched:sched_process_*' --time=wall\n"
			"A text with ~ behind it was read when the call had begun: it may have changed by then.\n"
			"Exit codes: that of the command, or 0; 1 wrong usage, 2 it could not begin, 3 the input is\n"
			"damaged or cut. Losses are reported on standard error.\n",
	};
	int ret;

	*t = (struct trace){0};
	ret = watching_init(w, "trace", err);
	if (ret)
		return ret;
	w->in.tells_times = true;
	syscalls_init(&t->calls, &w->what);
	ret = opt_parse(&table, argc, argv, rest, err);
	if (ret)
		return ret;
	if (rest->help)
		return cmd_help(&table, err);
	if (w->plain_duration)
		buf_addf(&w->notes,
			 "it ends after %.10gs: --duration says how long; calls that last longer: "
			 "perf-lite trace --json | jq -c 'select(.duration > 5e6)'\n",
			 (double)w->duration_ns / 1e9);
	ret = agree(t, err);
	if (!ret && !w->input)
		ret = syscalls_events(&t->calls, &w->what, rest->argc, err);
	if (!ret)
		settle(t);
	return ret;
}
