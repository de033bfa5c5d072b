// SPDX-License-Identifier: GPL-2.0
#include "util/stat/stat_run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "util/base/clock.h"

#define NS_PER_S    1000000000ull
#define NO_DEADLINE UINT64_MAX
/* Where a thread gives no descriptor to wait for. */
#define LOOK_NS 50000000ull

#ifndef PIDFD_THREAD
#define PIDFD_THREAD O_EXCL
#endif

/* --- readings --- */

static void set_command(const struct stat_run *r, struct stat_reading *to)
{
	const struct rusage *u = &r->child.usage;

	to->ended = r->child.pid && r->child.reaped;
	if (!to->ended)
		return;
	to->wait_status = r->child.status;
	to->user_ns = (u64)u->ru_utime.tv_sec * NS_PER_S + (u64)u->ru_utime.tv_usec * 1000;
	to->sys_ns = (u64)u->ru_stime.tv_sec * NS_PER_S + (u64)u->ru_stime.tv_usec * 1000;
	to->maxrss_kb = (u64)u->ru_maxrss;
}

/* Set the values of tool events (duration_time, ...), which have no counter: they are at index 0. */
static void set_tools(struct stat_reading *r)
{
	u64 elapsed = r->end_ns - r->start_ns, value;
	u32 i;

	for (i = 0; i < r->shape->nr_events; i++) {
		enum stat_tool tool = r->shape->events[i].tool;
		size_t at = stat_index(r->shape, i, 0);

		if (tool == STAT_NO_TOOL)
			continue;
		value = tool == STAT_DURATION_TIME ? elapsed
			: tool == STAT_USER_TIME   ? r->user_ns
						   : r->sys_ns;
		r->counts[at] = (struct stat_count){value, elapsed, elapsed};
		r->valid[at] = tool == STAT_DURATION_TIME || r->ended;
	}
}

static void make_delta(struct stat_run *r, struct stat_reading *out,
		       const struct stat_reading *before)
{
	stat_reading_delta(out, &r->now, before);
	set_tools(out);
}

static void read_at(struct stat_run *r, u64 when)
{
	r->now.end_ns = when;
	stat_counters_read(r->counters, &r->now);
	set_command(r, &r->now);
}

static int give_interval(struct stat_run *r, u64 when, struct err *err)
{
	int ret;

	read_at(r, when);
	make_delta(r, &r->delta, &r->before);
	ret = r->options->interval(r->options->arg, &r->delta, err);
	stat_reading_copy(&r->before, &r->now);
	r->intervals++;
	return ret;
}

/* --- the beginning --- */

static int open_thread(s32 tid)
{
	int fd = (int)syscall(SYS_pidfd_open, tid, PIDFD_THREAD);

	return fd < 0 && errno == EINVAL ? (int)syscall(SYS_pidfd_open, tid, 0) : fd;
}

/* fds[0] the command, fds[1] the control, then the targets. */
static int make_fds(struct stat_run *r, struct err *err)
{
	u32 i;

	r->nr_fds = 2 + r->options->nr_watch;
	r->fds = calloc(r->nr_fds, sizeof(*r->fds));
	if (!r->fds)
		return err_nomem(err);
	for (i = 0; i < r->nr_fds; i++)
		r->fds[i] = (struct pollfd){.fd = -1, .events = POLLIN};
	r->fds[0].fd = r->child.pid ? r->child.pidfd : -1;
	for (i = 2; i < r->nr_fds; i++)
		r->fds[i].fd = open_thread(r->options->watch[i - 2]);
	return 0;
}

static int make_readings(struct stat_run *r, struct err *err)
{
	struct stat_reading *all[] = {&r->first, &r->before, &r->now, &r->delta, &r->total};
	size_t i;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(all) && !ret; i++)
		ret = stat_reading_init(all[i], &r->counters->shape, err);
	return ret;
}

int stat_run_open(struct stat_run *r, const struct stat_run_options *o, struct stat_counters *c,
		  const struct stat_target *t, struct err *err)
{
	struct stat_target target = *t;
	int ret = 0;

	*r = (struct stat_run){
		.options = o,
		.counters = c,
		.child = {.go = -1, .result = -1, .pidfd = -1},
		.deadline = NO_DEADLINE,
		.timeout_at = NO_DEADLINE,
		.enable_at = NO_DEADLINE,
	};
	if (o->command)
		ret = child_fork(&r->child, o->command, o->own_output, err);
	if (r->child.pid && o->has_limit)
		prlimit(r->child.pid, RLIMIT_NOFILE, &o->limit, NULL);
	/* threads were chosen if the command is not what is counted */
	if (!target.nr_threads)
		target.command = r->child.pid;
	if (!ret && !c->fds)
		ret = stat_counters_open(c, &target, err);
	if (!ret)
		ret = make_fds(r, err);
	if (!ret)
		ret = make_readings(r, err);
	return ret;
}

/* It begins when events are enabled first. */
static void start_timeout(struct stat_run *r)
{
	if (r->options->timeout_ns && r->timeout_at == NO_DEADLINE)
		r->timeout_at = clock_ns(CLOCK_MONOTONIC) + r->options->timeout_ns;
}

/* Times are of what is counted: from the beginning, or from when events are enabled first. */
static void start_clock(struct stat_run *r)
{
	r->origin = clock_ns(CLOCK_MONOTONIC);
	r->first.origin_ns = r->first.start_ns = r->first.end_ns = r->origin;
	r->now.origin_ns = r->now.start_ns = r->origin;
	stat_reading_copy(&r->before, &r->first);
	r->deadline = r->options->interval_ns ? r->origin + r->options->interval_ns : NO_DEADLINE;
}

static int enable(struct stat_run *r, u32 event, struct err *err)
{
	int ret = stat_counters_enable(r->counters, event, err);

	if (r->enable_at != NO_DEADLINE)
		start_clock(r);
	r->ever_enabled = true;
	r->enable_at = NO_DEADLINE;
	start_timeout(r);
	return ret;
}

static int begin(struct stat_run *r, struct err *err)
{
	const struct stat_run_options *o = r->options;
	int ret = 0;

	stat_counters_read(r->counters, &r->first);
	if (r->counters->options.enable_on_exec) {
		r->ever_enabled = true;
		ret = stat_counters_enable_beside(r->counters, err);
	} else if (!o->disabled && !o->delay_ns) {
		ret = enable(r, ID_NONE, err);
	}
	start_clock(r);
	if (!ret && o->command)
		ret = child_start(&r->child, o->command[0], err);
	if (o->delay_ns) {
		r->enable_at = r->origin + o->delay_ns;
		r->deadline = NO_DEADLINE;
	}
	if (r->ever_enabled) {
		r->timeout_at = NO_DEADLINE;
		start_timeout(r);
	}
	return ret;
}

/* --- waiting --- */

/* Does one of the targets live? Those that have ended are not polled any more: no events. */
static bool watched_live(struct stat_run *r)
{
	bool live = false, ended;
	u32 i;

	for (i = 2; i < r->nr_fds; i++) {
		struct pollfd *p = &r->fds[i];

		if (!p->events)
			continue;
		ended = p->fd >= 0 ? p->revents : kill(r->options->watch[i - 2], 0) != 0;
		live |= !ended;
		if (!ended)
			continue;
		if (p->fd >= 0)
			close(p->fd);
		*p = (struct pollfd){.fd = -1};
	}
	return live;
}

static bool must_look(const struct stat_run *r)
{
	u32 i;

	if (r->child.pid && r->child.pidfd < 0)
		return true;
	for (i = 2; i < r->nr_fds; i++)
		if (r->fds[i].fd < 0 && r->fds[i].events)
			return true;
	return false;
}

/* Until something happens or it is time; signals arrive here and nowhere else. */
static void wait_for_event(struct stat_run *r)
{
	u64 until = MIN(MIN(r->deadline, r->timeout_at), r->enable_at);
	u64 now = until == NO_DEADLINE ? 0 : clock_ns(CLOCK_MONOTONIC), left;
	struct timespec ts;
	sigset_t none;
	u32 i;

	left = until == NO_DEADLINE ? NO_DEADLINE : until > now ? until - now : 0;
	if (must_look(r))
		left = MIN(left, LOOK_NS);
	ts.tv_sec = (time_t)(left / NS_PER_S);
	ts.tv_nsec = (long)(left % NS_PER_S);
	sigemptyset(&none);
	r->fds[1].fd = r->options->control ? control_fd(r->options->control) : -1;
	if (ppoll(r->fds, r->nr_fds, left == NO_DEADLINE ? NULL : &ts, &none) < 0)
		for (i = 0; i < r->nr_fds; i++)
			r->fds[i].revents = 0;
}

static u32 event_by_name(const struct stat_run *r, const char *name)
{
	const struct stat_shape *s = &r->counters->shape;
	u32 i;

	for (i = 0; i < s->nr_events; i++)
		if (!strcmp(s->events[i].name, name) || !strcmp(s->events[i].typed, name))
			return i;
	return ID_NONE;
}

static void say(const struct stat_run *r, const char *text)
{
	if (r->options->say)
		r->options->say(r->options->arg, text);
}

static int set_enabled(struct stat_run *r, const struct control_command *c, struct err *err)
{
	u32 event = c->text[0] ? event_by_name(r, c->text) : ID_NONE;
	char line[CONTROL_LINE_MAX + 64];

	if (c->text[0] && event == ID_NONE) {
		snprintf(line, sizeof(line), "--control: there is no event '%s'", c->text);
		say(r, line);
		return 0;
	}
	say(r, c->kind == CONTROL_ENABLE ? "Events enabled" : "Events disabled");
	if (c->kind == CONTROL_ENABLE)
		return enable(r, event, err);
	stat_counters_disable(r->counters, event);
	return 0;
}

static void refuse_command(const struct stat_run *r, const struct control_command *c)
{
	char line[CONTROL_LINE_MAX + 64];

	snprintf(line, sizeof(line), "--control: there is no command '%s'", c->text);
	say(r, line);
}

static int obey(struct stat_run *r, struct err *err)
{
	struct control_command c;
	int ret = 0;

	while (!ret && r->options->control && control_next(r->options->control, &c) > 0) {
		switch (c.kind) {
		case CONTROL_ENABLE:
		case CONTROL_DISABLE:
			ret = set_enabled(r, &c, err);
			break;
		case CONTROL_STOP:
			/* what the controller does once it has the answer does not count */
			stat_counters_disable(r->counters, ID_NONE);
			r->done = true;
			break;
		case CONTROL_PING:
			break;
		default:
			refuse_command(r, &c);
			continue;
		}
		/* as perf: a controller that waits must not hang where something failed */
		control_ack(r->options->control);
	}
	return ret;
}

static void heed_signals(struct stat_run *r)
{
	const struct stat_run_signals *s = r->options->signals;

	if (!s->count || s->count == (r->stopped_by ? 1 : 0))
		return;
	if (r->stopped_by || !r->child.pid) {
		r->stopped_by = s->last;
		r->done = true;
		return;
	}
	r->stopped_by = s->last;
	r->done = r->options->leaves_command && !s->from_terminal;
	if (!s->from_terminal && !r->options->leaves_command)
		kill(r->child.pid, s->last);
}

/* After one that was late by more than an interval, those in between are gone. */
static void next_deadline(struct stat_run *r)
{
	u64 now = clock_ns(CLOCK_MONOTONIC), step = r->options->interval_ns;

	r->deadline += step;
	if (r->deadline <= now)
		r->deadline += (now - r->deadline) / step * step + step;
}

static int step(struct stat_run *r, struct err *err)
{
	const struct stat_run_options *o = r->options;
	u64 now = clock_ns(CLOCK_MONOTONIC);
	int ret = 0;

	heed_signals(r);
	/* its pidfd is heeded, too: an end without a status is an end */
	if (r->child.pid && (child_poll(&r->child) || r->fds[0].revents))
		r->done = true;
	if (o->nr_watch && !watched_live(r))
		r->done = true;
	if (r->fds[1].revents)
		ret = obey(r, err);
	if (!ret && !r->done && now >= r->enable_at)
		ret = enable(r, ID_NONE, err);
	if (!ret && !r->done && now >= r->timeout_at) {
		r->done = true;
		if (r->child.pid && !o->leaves_command)
			kill(r->child.pid, SIGTERM);
	}
	if (!ret && !r->done && now >= r->deadline) {
		ret = give_interval(r, clock_ns(CLOCK_MONOTONIC), err);
		next_deadline(r);
		r->done = o->interval_count && r->intervals >= o->interval_count;
	}
	return ret;
}

/* --- the end --- */

static void mark_never_enabled(struct stat_run *r)
{
	struct stat_event *e;
	u32 i;

	for (i = 0; !r->ever_enabled && i < r->counters->shape.nr_events; i++) {
		e = &r->counters->shape.events[i];
		if (e->state != STAT_COUNTED || e->tool)
			continue;
		e->state = STAT_NOT_COUNTED;
		snprintf(e->reason, sizeof(e->reason), "it was never enabled");
	}
}

/* What a command does after a second signal is not waited for: it goes on. */
static void wait_for_command(struct stat_run *r)
{
	if (!r->child.pid || r->child.reaped)
		return;
	if (r->options->leaves_command)
		child_poll(&r->child);
	else if (r->options->signals->count < 2)
		child_finish(&r->child, true);
}

int stat_run_count(struct stat_run *r, struct err *err)
{
	const struct stat_run_options *o = r->options;
	u64 end;
	int ret = begin(r, err);

	while (!ret && !r->done) {
		wait_for_event(r);
		ret = step(r, err);
	}
	end = clock_ns(CLOCK_MONOTONIC);
	if (ret)
		return ret;
	stat_counters_disable(r->counters, ID_NONE);
	mark_never_enabled(r);
	wait_for_command(r);
	if (o->interval && !(o->interval_count && r->intervals >= o->interval_count))
		ret = give_interval(r, end, err);
	else
		read_at(r, end);
	make_delta(r, &r->total, &r->first);
	r->total.start_ns = r->origin;
	return ret;
}

void stat_run_close(struct stat_run *r)
{
	struct stat_reading *all[] = {&r->first, &r->before, &r->now, &r->delta, &r->total};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		stat_reading_free(all[i]);
	for (i = 2; i < r->nr_fds; i++)
		if (r->fds[i].fd >= 0)
			close(r->fds[i].fd);
	free(r->fds);
	r->fds = NULL;
	r->nr_fds = 0;
	child_finish(&r->child, false);
	if (!r->options->keep)
		stat_counters_shut(r->counters);
}
