// SPDX-License-Identifier: GPL-2.0
#include <time.h>

#include "perf-lite/run.h"
#include "util/base/clock.h"
#include "util/capture/event_session.h"
#include "util/stat/stat_run.h"

/* The option is --duration if its time is up, and nobody interrupted it before. */
static bool time_is_up(const struct event_session *t, u64 now)
{
	const u64 duration = t->options.duration_ns;

	return duration && t->times.first_enabled && now >= t->times.first_enabled + duration &&
	       !*t->options.stop;
}

/* Did the last of the targets end before --duration was over? */
static bool are_gone(const struct event_session *t, u64 now)
{
	const struct event_session_options *o = &t->options;

	return o->duration_ns && !o->command && targets_named(&o->targets) && !t->alive &&
	       !*o->stop && !time_is_up(t, now);
}

struct run_end run_end_of(struct event_session *t, const char *option)
{
	const u64 now = clock_ns(CLOCK_MONOTONIC);

	return (struct run_end){
		.prefix = "",
		.child = &t->child,
		.command = t->options.command,
		.targets = &t->options.targets,
		.ran_ns = now - t->times.begun,
		.delay_ns = t->delayed && !t->times.first_enabled ? t->options.delay_ns : 0,
		.option = option || !time_is_up(t, now) ? option : "--duration",
		.gone = !option && are_gone(t, now),
		.samples = UINT64_MAX,
	};
}

struct run_end run_end_of_counting(struct stat_run *r)
{
	const u64 now = clock_ns(CLOCK_MONOTONIC);

	return (struct run_end){
		.prefix = "",
		.child = &r->child,
		.command = r->options->command,
		.ran_ns = now - r->origin,
		.delay_ns = r->ever_enabled ? 0 : r->options->delay_ns,
		.option = now >= r->timeout_at && !r->stopped_by ? "--duration" : NULL,
		.samples = UINT64_MAX,
	};
}

/* The option that names them, with the first of several. */
static void put_targets(const struct targets_wanted *w, struct buf *b)
{
	if (w->nr_pids)
		buf_addf(b, "-p %u%s", w->pids[0], w->nr_pids > 1 ? ",..." : "");
	else if (w->nr_tids)
		buf_addf(b, "-t %u%s", w->tids[0], w->nr_tids > 1 ? ",..." : "");
	else if (w->comm)
		buf_addf(b, "--comm %s", w->comm);
	else
		buf_addf(b, "-u %u", w->user);
}

static void put_delay(const struct run_end *e, struct buf *lines)
{
	buf_addf(lines, "%s%s ended after %.1f s, before -D %llu ms were over\n", e->prefix,
		 e->command && child_poll(e->child) ? "the command" : "it", (double)e->ran_ns / 1e9,
		 (unsigned long long)(e->delay_ns / 1000000));
}

void run_end_lines(const struct run_end *e, struct buf *lines)
{
	const bool goes_on = e->command && e->child->pid && !child_poll(e->child);

	if (e->delay_ns)
		put_delay(e, lines);
	if (e->option && (goes_on || e->early)) {
		buf_addf(lines, "%sstopped at %s", e->prefix, e->option);
		if (goes_on)
			buf_addf(lines, "; %s (pid %d) goes on", e->command[0], (int)e->child->pid);
		buf_addc(lines, '\n');
	}
	if (e->gone) {
		buf_addf(lines, "%sthe last process of ", e->prefix);
		put_targets(e->targets, lines);
		buf_addf(lines, " ended after %.3f s%s\n", (double)e->ran_ns / 1e9,
			 e->targets->comm ? "; with -a, those that start later are seen, too" : "");
	}
	if (e->delay_ns || e->samples || !e->command || !targets_named(e->targets))
		return;
	buf_addf(lines, "%sthe command only says how long: events are those of ", e->prefix);
	put_targets(e->targets, lines);
	buf_addc(lines, '\n');
}
