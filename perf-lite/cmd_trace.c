// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "perf-lite/cmd.h"
#include "perf-lite/output_file.h"
#include "perf-lite/trace.h"
#include "util/base/io.h"

/* Text is written out in pieces of this size, and after each round. */
#define OUT_SIZE (64 * 1024)

static int cannot_write(const struct trace *t, int code, struct err *err)
{
	if (t->to.fd == STDOUT_FILENO)
		return cmd_cannot_write(code, err);
	err_set(err, code, "cannot write to %s: %s", t->to.path, strerror(code));
	return CMD_PARTIAL;
}

/* Write what has gathered. A reader that has gone away ends the trace, and is no error. */
static int flush(struct trace *t, struct err *err)
{
	int ret = 0;

	if (t->out.failed)
		return err_nomem(err);
	if (t->out.len && !t->to.closed)
		ret = io_write(t->to.fd, t->out.data, t->out.len);
	buf_clear(&t->out);
	t->to.closed |= ret == -EPIPE;
	if (ret && !t->to.closed)
		return cannot_write(t, -ret, err);
	return 0;
}

/* Which of perf's fields a JSON object has, with --fields those alone. */
static int choose_fields(const struct trace *t, struct fields *fields, struct err *err)
{
	struct fields_options o = {.more = t->json ? json_sink_fields() : 0};
	const struct event_set *events = &t->w.in.s->source->recording->events;
	struct buf notes = {0};
	u64 only = t->selected.general | FIELD_BIT(FIELD_TRACE);
	int ret, i;

	ret = fields_init(fields, events, &o, &notes, err);
	buf_free(&notes);
	if (only & FIELD_BIT(FIELD_SYM))
		only |= FIELD_BIT(FIELD_IP) | FIELD_BIT(FIELD_SYMOFF);
	for (i = 0; i < FIELD_TYPE_COUNT && !ret && t->fields && t->json; i++)
		fields->on[i] &= only;
	return ret;
}

static int make_sink(struct trace *t, struct err *err)
{
	struct session *s = t->w.in.s;
	const struct event_set *events = &s->source->recording->events;
	struct fields fields;
	int ret;

	ret = time_text_init(&t->time, t->w.in.time_form, t->nanoseconds, s->source->recording,
			     err);
	if (!ret && t->fields)
		ret = selected_fields_init(&t->selected, t->fields, s,
					   !t->calls.off && syscall_sink_is_wanted(s), err);
	if (!ret)
		ret = choose_fields(t, &fields, err);
	if (ret)
		return ret;
	t->events = (struct trace_text){
		.symboliser = s->symboliser, .programs = s->programs, .strings = s->strings};
	if (t->ftrace) {
		t->sink = &t->sinks.ftrace.sink;
		return ftrace_text_init(&t->sinks.ftrace, s, &t->time, err);
	}
	if (t->json) {
		const struct json_options o = {.time = &t->time,
					       .only = t->fields ? &t->selected : NULL};

		t->sink = &t->sinks.json.sink;
		return json_sink_init(&t->sinks.json, &o, &fields, s, &t->events, NULL, err);
	}
	t->text.time = &t->time;
	t->text.only = t->fields ? &t->selected : NULL;
	script_text_init(&t->sinks.script, &t->text, &fields, s->symboliser, events, s->programs,
			 s->strings, s->cgroups);
	t->sink = &t->sinks.script.sink;
	return 0;
}

/* System calls are lines of their own, but where events are asked for as they are. */
static int make_sinks(struct trace *t, struct err *err)
{
	int ret = make_sink(t, err);
	bool as_events = t->ftrace || (t->fields && !t->selected.of_calls);

	as_events &= !t->calls.with_summary;
	if (!ret && as_events && t->calls.min_ns) {
		err_set(err, EINVAL, "--min is of system calls, and %s",
			t->ftrace ? "lines of ftrace are events" : "--fields are those of events");
		err_hint(err, "leave out --min%s", t->ftrace ? " or --ftrace" : "");
		return -EINVAL;
	}
	if (!ret && as_events && t->w.what.call_filter) {
		err_set(err, EINVAL,
			"--fields are those of events, and --filter is one of system calls: %s",
			t->w.what.call_filter);
		err_hint(err, "with --no-syscalls it is one of events");
		return -EINVAL;
	}
	if (ret || as_events)
		return ret;
	return syscalls_sink(&t->calls, &t->w, t->sink, &t->time, t->json,
			     t->fields ? &t->selected : NULL, &t->sink, err);
}

/* A system call is one event, though it has two samples: entry and exit. */
static bool limit_is_reached(const struct trace *t)
{
	return t->limit && t->given + syscalls_reported(&t->calls) >= t->limit;
}

static int print_samples(struct trace *t, struct err *err)
{
	struct session_sample sample;
	u64 until;
	int ret;

	while ((ret = watching_next(&t->w, &sample, err)) > 0) {
		if (ret == SESSION_WAIT) {
			ret = syscalls_wait(&t->calls, watching_time(&t->w), &t->out, err);
			if (!ret)
				ret = flush(t, err);
			if (ret || t->to.closed || watching_is_unread(t->to.fd))
				break;
			continue;
		}
		if (ret != SESSION_SAMPLE)
			continue;
		until = new_losses_until(&t->losses, &t->w, sample.sample->ids.time);
		if (until)
			syscalls_lost(&t->calls, until);
		time_text_from(&t->time, t->w.in.filter.time_first);
		t->given += !syscalls_are_of(&t->calls, sample.event);
		ret = t->sink->ops->sample(t->sink, &sample, &t->out, err);
		if (!ret && t->out.len >= OUT_SIZE)
			ret = flush(t, err);
		if (!ret && limit_is_reached(t))
			syscalls_cut(&t->calls);
		if (ret || t->to.closed || limit_is_reached(t))
			break;
	}
	if (limit_is_reached(t))
		t->w.ended_by = "--limit";
	/* also where it was not the samples that ended: --limit, a closed pipe, a failure */
	watching_stop(&t->w);
	while (!ret && (ret = t->sink->ops->end(t->sink, &t->out, err)) > 0)
		ret = flush(t, err);
	if (!ret && t->json && !t->calls.summary)
		json_sink_losses(t->w.in.s, &t->out);
	return ret ? ret : flush(t, err);
}

static int open_output(struct trace *t, struct err *err)
{
	if (t->to.path)
		t->to.fd = output_file_grow(t->to.path, t->w.input, false, err);
	return t->to.fd < 0 ? t->to.fd : 0;
}

static int run(struct trace *t, struct opt_rest *rest, struct err *err)
{
	struct buf lines = {0};
	int ret;

	t->w.own_output = t->json && !t->calls.summary && !t->to.path;
	t->w.look = syscalls_look;
	t->w.look_arg = &t->calls;
	t->w.prompt = !t->w.input && syscalls_looks(&t->calls, &t->w.what);
	t->w.hurry = t->w.prompt || t->calls.summary;
	/* before signals are caught: a FIFO that nobody reads can be waited for no longer */
	if (open_output(t, err))
		return CMD_USAGE;
	ret = watching_open(&t->w, rest, err);
	if (ret)
		return ret;
	if (make_sinks(t, err))
		return CMD_USAGE;
	ret = watching_start(&t->w, err);
	if (!ret)
		ret = new_losses_init(&t->losses, &t->w, err);
	if (ret)
		return ret;
	ret = print_samples(t, err);
	if (ret)
		return ret;
	time_text_steps(&t->time, &lines);
	if (syscall_filter_misses(t->calls.calls.filter))
		buf_addf(
			&lines,
			"no call has passed the filter: none has all arguments that it names: %s\n",
			t->calls.calls.options.filter);
	/* that events are missing is no note, but part of the result; JSON and the table of calls have it */
	if (t->w.in.quiet && !t->w.input && !t->json && !t->calls.summary) {
		buf_clear(&lines);
		reading_loss_lines(t->w.in.s->source->recording, session_lost(t->w.in.s), "",
				   &lines);
		fputs(buf_str(&lines), stderr);
	}
	ret = watching_verdict(&t->w, &lines, err);
	buf_free(&lines);
	return ret;
}

int cmd_trace(int argc, char **argv, struct err *err)
{
	struct opt_rest rest;
	struct trace t;
	int ret;

	ret = cmd_refused(trace_options(&t, argc, argv, &rest, err));
	if (!ret && !rest.help)
		ret = run(&t, &rest, err);
	if (t.to.fd > STDOUT_FILENO && close(t.to.fd) && ret == CMD_OK)
		ret = cannot_write(&t, errno, err);
	if (t.sink)
		t.sink->ops->free(t.sink);
	syscalls_free(&t.calls);
	selected_fields_free(&t.selected);
	time_text_free(&t.time);
	new_losses_free(&t.losses);
	watching_end(&t.w);
	buf_free(&t.out);
	return ret;
}
