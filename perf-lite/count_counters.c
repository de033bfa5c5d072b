// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/count.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf-lite/run.h"
#include "util/capture/background_close.h"
#include "util/capture/targets.h"
#include "util/event/ev_probe.h"
#include "util/stat/stat_events.h"
#include "util/stat/stat_run.h"

/* How often a table on the terminal is brought up to date. */
#define VIEW_NS 1000000000ull

/* Counters while they count. */
struct counted {
	struct count_request *q;
	bool by_event, by_cpu;
	struct stat_counters counters;
	struct stat_counters_options options;
	struct stat_run_options run_options;
	struct stat_run run;
	struct stat_reading since_start;
	struct stat_threads threads;
	struct count_rows rows;
	struct hmap row_index; /* event and CPU -> row */
	struct count_output output;
	bool unprinted; /* a table could not be */
	struct buf notes;
};

static bool keys_are(const struct count_request *q, bool *by_event, bool *by_cpu)
{
	u32 i;

	*by_event = *by_cpu = false;
	for (i = 0; i < q->keys.nr; i++) {
		if (q->keys.v[i].kind == KEY_EVENT)
			*by_event = true;
		else if (q->keys.v[i].kind == KEY_CPU)
			*by_cpu = true;
		else
			return false;
	}
	return true;
}

/* Tracepoints whose counter adds up nanoseconds, where samples are hits; or that a program makes the samples of. */
static bool counts_other(const struct ev_spec *s)
{
	return s->tp.expr || (s->tp.system && !strcmp(s->tp.system, "sched") &&
			      !strncmp(s->tp.name, "sched_stat_", 11));
}

/* What counters are not: of a rate, in a group with the samples of others, filtered by what only we know. */
static bool can_count(const struct ev_spec *s)
{
	return !s->tp.here && !s->sample_read && !counts_other(s) &&
	       !(s->terms.has & (EV_PERIOD | EV_FREQ | EV_CALLGRAPH));
}

bool count_counters_can(const struct count_request *q)
{
	const struct sampling *s = &q->w.what;
	bool named = sampling_named(s) || q->command;
	bool everybody = s->all_cpus || !named || s->cpu_list, by_event, by_cpu;
	u32 i;

	if (q->engine == COUNT_ENGINE_BPF || q->w.input || q->of || q->form == COUNT_FORM_FOLDED ||
	    s->attrs.frequency || s->attrs.period || s->include_self || s->filtered)
		return false;
	if (!keys_are(q, &by_event, &by_cpu) || (by_cpu && !everybody))
		return false;
	for (i = 0; i < s->list.specs.nr; i++)
		if (!can_count(&s->list.specs.v[i]))
			return false;
	return true;
}

/* --- targets --- */

static int choose_targets(struct counted *c, struct err *err)
{
	struct sampling *s = &c->q->w.what;
	int ret = sampling_choose_targets(s, c->q->command, err);

	if (ret)
		return ret;
	if (s->targets.system_wide || s->cpu_list) {
		c->threads.target.cpus = s->cpus.v;
		c->threads.target.nr_cpus = s->cpus.nr;
	}
	ret = stat_threads_find(&c->threads, &s->targets, &c->notes, err);
	if (!ret && targets_named(&s->targets))
		ret = stat_threads_watch(&c->threads, &s->tids, &c->run_options, err);
	c->options.inherit = s->attrs.inherit;
	c->options.enable_on_exec = s->attrs.enable_on_exec && !c->q->w.delay_ns;
	c->options.all_user = s->attrs.all_user;
	c->options.all_kernel = s->attrs.all_kernel;
	return ret;
}

/* --- the tables --- */

/* Clocks count nanoseconds, which are no sum with events. */
static const char *unit_of(const struct stat_event *e)
{
	return e->tool || event_set_is_clock(&e->attr) ? "ns" : NULL;
}

static struct count_counter *row_of(struct counted *c, u32 event, u32 cpu)
{
	const struct ev_spec *s = &c->q->w.what.list.specs.v[event];
	const struct stat_event *e = &c->counters.shape.events[event];
	const char *unit = unit_of(e);
	u64 key = (u64)(c->by_event ? event : unit != NULL) << 32 | cpu;
	u32 at = hmap_get(&c->row_index, key);
	struct count_counter *b;

	if (at != ID_NONE)
		return &c->rows.v[at];
	at = c->rows.nr;
	b = vec_push(&c->rows);
	if (!b || !hmap_set(&c->row_index, key, at))
		return NULL;
	*b = (struct count_counter){.unit = unit, .cpu = cpu, .quiet = s->tp.of_pattern};
	if (c->by_event) {
		b->event = e->name;
		b->filter = s->tp.typed_filter;
	}
	return b;
}

/* An event that is not counted is no part of the rows that others share with it: it is listed once, by its name. */
static bool list_refused(struct counted *c, u32 event)
{
	const struct ev_spec *s = &c->q->w.what.list.specs.v[event];
	const struct stat_event *e = &c->counters.shape.events[event];
	struct count_counter *b = vec_push(&c->rows);

	if (b)
		*b = (struct count_counter){.event = e->name,
					    .filter = s->tp.typed_filter,
					    .cpu = ID_NONE,
					    .missing = e->reason};
	return b;
}

static int fill(struct counted *c, const struct stat_reading *r, struct err *err)
{
	const struct stat_shape *shape = r->shape;
	struct count_counter *b;
	bool refused;
	u32 event, place;
	size_t at;

	c->rows.nr = 0;
	hmap_clear(&c->row_index);
	for (event = 0; event < shape->nr_events; event++) {
		refused = shape->events[event].state != STAT_COUNTED;
		if (refused && !c->by_event) {
			if (!list_refused(c, event))
				return err_nomem(err);
			continue;
		}
		for (place = 0; place < shape->nr_places; place++) {
			at = stat_index(shape, event, place);
			b = row_of(c, event, c->by_cpu ? shape->places[place].cpu : ID_NONE);
			if (!b)
				return err_nomem(err);
			if (refused)
				b->missing = shape->events[event].reason;
			if (!r->valid[at])
				continue;
			b->nr += stat_count_scaled(&r->counts[at]);
			b->enabled += r->counts[at].enabled;
			b->running += MIN(r->counts[at].running, r->counts[at].enabled);
		}
	}
	return 0;
}

/* What others had the hardware for has no count, or an estimate. */
static void look_at_times(struct counted *c, struct count_span *span)
{
	struct count_counter *b;
	u32 i;

	for (i = 0; i < c->rows.nr; i++) {
		b = &c->rows.v[i];
		span->nr += b->nr;
		span->estimated |= b->running && b->running < b->enabled;
		if (b->enabled && !b->running && !b->missing)
			b->missing = "all counters of the hardware were taken";
	}
	span->no_sum = !count_rows_have_sum(&c->rows);
}

/* Is there an event that what the targets start does not inherit? */
static bool is_first_only(const struct counted *c)
{
	const struct stat_shape *s = &c->counters.shape;
	u32 e;

	for (e = 0; e < s->nr_events; e++)
		if (c->options.inherit && !s->events[e].attr.inherit && !s->events[e].tool)
			return true;
	return false;
}

static int put(struct counted *c, const struct stat_reading *r, bool view, struct err *err)
{
	struct count_span span = {
		.first_only = is_first_only(c),
		.from = r->start_ns - r->origin_ns,
		.to = r->end_ns - r->origin_ns,
		.by_kernel = true,
		.unseen = ev_probe_misses(&c->q->w.what.list),
		.never = c->run.done && !c->run.ever_enabled,
	};
	u32 height;
	int ret = fill(c, r, err);

	if (ret)
		return ret;
	look_at_times(c, &span);
	count_output_begin(&c->output, &span, view, &height);
	count_rows_put(&c->rows, &c->output, height);
	return count_output_put(&c->output, view, err);
}

/* With -I the table of the interval, on the terminal too; without it and for metrics, of all so far. */
static int on_interval(void *arg, const struct stat_reading *delta, struct err *err)
{
	struct counted *c = arg;
	const bool metrics = c->q->form == COUNT_FORM_METRICS;
	int ret = 0;

	if (c->q->interval_ns && !metrics) {
		ret = put(c, delta, c->output.viewing && !c->run.done, err);
	} else if (!c->run.done) {
		stat_reading_delta(&c->since_start, &c->run.now, &c->run.first);
		c->since_start.start_ns = c->run.origin;
		ret = put(c, &c->since_start, !metrics, err);
	}
	c->unprinted |= ret != 0;
	return ret;
}

/* --- the run --- */

static int prepare(struct counted *c, struct err *err)
{
	struct watching *w = &c->q->w;
	int ret;

	ret = stat_events_check(&w->what.list, 0, err);
	if (!ret)
		ret = choose_targets(c, err);
	if (ret)
		return ret;
	c->options.root = &w->what.root;
	c->run_options.command = c->q->command;
	c->run_options.own_output = w->own_output;
	c->run_options.timeout_ns = w->duration_ns;
	c->run_options.delay_ns = w->delay_ns;
	c->run_options.has_limit = !getrlimit(RLIMIT_NOFILE, &c->run_options.limit);
	c->run_options.leaves_command = true;
	c->run_options.arg = c;
	c->run_options.signals = run_count_signals();
	count_output_init(&c->output, c->q);
	if (c->q->interval_ns || c->output.viewing) {
		c->run_options.interval = on_interval;
		c->run_options.interval_ns = c->q->interval_ns ? c->q->interval_ns : VIEW_NS;
	}
	ret = stat_counters_init(&c->counters, &w->what.list, &c->options, &c->notes, err);
	if (!ret)
		ret = stat_threads_open(&c->threads, &c->counters, err);
	return ret;
}

static void note_end(struct counted *c)
{
	const struct run_end end = run_end_of_counting(&c->run);

	run_end_lines(&end, &c->notes);
	run_put_notes(&c->notes, c->q->w.in.quiet);
}

static int run(struct counted *c, struct err *err)
{
	int ret;

	ret = stat_run_open(&c->run, &c->run_options, &c->counters, &c->threads.target, err);
	run_put_notes(&c->notes, c->q->w.in.quiet);
	if (!ret)
		ret = stat_reading_init(&c->since_start, &c->counters.shape, err);
	if (!ret)
		ret = stat_run_count(&c->run, err);
	if (ret)
		return c->unprinted ? CMD_PARTIAL : run_count_failed(&c->run, ret);
	if ((!c->q->interval_ns || c->q->form == COUNT_FORM_METRICS) &&
	    (put(c, &c->run.total, false, err) || count_output_end(&c->output, err)))
		return CMD_PARTIAL;
	note_end(c);
	return run_count_exit_code(&c->run);
}

int count_counters(struct count_request *q, struct err *err)
{
	struct counted c = {.q = q, .run = {.child = {.go = -1, .result = -1, .pidfd = -1}}};
	bool opened = false;
	int ret;

	keys_are(q, &c.by_event, &c.by_cpu);
	c.run.options = &c.run_options;
	stat_threads_init(&c.threads);
	run_put_notes(&q->w.notes, q->w.in.quiet);
	ret = prepare(&c, err);
	run_put_notes(&c.notes, q->w.in.quiet);
	if (!ret) {
		opened = true;
		ret = run(&c, err);
	} else {
		ret = run_count_failed(&c.run, ret);
	}
	if (opened) {
		background_close(stat_counters_tracepoints(&c.counters));
		stat_run_close(&c.run);
	}
	stat_reading_free(&c.since_start);
	stat_counters_free(&c.counters);
	count_output_free(&c.output);
	stat_threads_free(&c.threads);
	vec_free(&c.rows);
	hmap_free(&c.row_index);
	buf_free(&c.notes);
	return ret;
}
