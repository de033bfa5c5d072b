// SPDX-License-Identifier: GPL-2.0
#include "util/report/report_count.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/profile/symboliser.h"
#include "util/record/sample_weight.h"

static bool has_chains(const struct session *s)
{
	const struct event_set *events = &s->source->recording->events;
	u32 i;

	for (i = 0; i < events->events.nr; i++)
		if (events->events.v[i].layout.sample_type & PERF_SAMPLE_CALLCHAIN)
			return true;
	return false;
}

int report_count_needs(const struct report_count_options *o, bool by_place,
		       struct session_options *needs, struct sample_needs *recorded,
		       struct err *err)
{
	struct source_want *want = &needs->want;
	struct report_asked asked = o->asked;
	struct report_keys keys = {0};
	bool chains = o->has_parent;
	int ret;
	u32 i;

	asked.parent = o->has_parent;
	ret = report_keys_parse(&keys, &asked, err);
	want->no_raw = true;
	want->traces = !o->asked.sort && !o->asked.fields;
	want->grouped = true;
	needs->threads.latency |= keys.latency;
	for (i = 0; i < keys.keys.nr; i++) {
		if (sample_key_is_of_raw(keys.keys.v[i].kind))
			want->no_raw = false;
		if (keys.keys.v[i].kind == KEY_TIME)
			want->grouped = false;
		needs->threads.count |= keys.keys.v[i].kind == KEY_PARALLELISM;
		chains |= keys.keys.v[i].kind == KEY_PARENT;
		if (recorded)
			sample_needs_add(recorded, keys.keys.v[i].kind);
	}
	/* rows then count the sampled address alone */
	want->addresses =
		o->children == REPORT_WITHOUT && o->graph.type == CALL_GRAPH_NONE && !chains;
	want->no_chains = !keys.nr_frame && !o->has_parent && o->graph.type == CALL_GRAPH_NONE &&
			  !place_filter_any(&o->places) && !by_place && !o->hide_unresolved;
	report_keys_free(&keys);
	return ret;
}

/*
 * As perf: where nothing but tracepoints was recorded, rows are what they say, if no keys are given. (With -a perf records
 * a dummy event as well, and we always do.)
 */
static bool shows_traces(const struct session *s)
{
	return s->options.want.traces && event_set_traces(&s->source->recording->events);
}

/* Branches, as -b records them; those of call graphs by LBR are chains already. */
static bool has_branches(const struct session *s)
{
	const struct event_set *events = &s->source->recording->events;
	const struct perf_event_attr *a;
	u32 i;

	for (i = 0; i < events->events.nr; i++) {
		a = &events->events.v[i].attr;
		if (a->sample_type & PERF_SAMPLE_BRANCH_STACK &&
		    !(a->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK))
			return true;
	}
	return false;
}

static int prepare_rows(struct report_count_options *o, const struct session *s, struct err *err)
{
	bool branches = has_branches(s);

	if (o->rows == REPORT_AS_RECORDED)
		o->rows = branches ? REPORT_BRANCH_ROWS : REPORT_SAMPLE_ROWS;
	if (o->rows == REPORT_BRANCH_ROWS && !branches) {
		err_set(err, EINVAL, "the recording has no branches");
		err_hint(err, "record them: perf-lite record -b");
		return -EINVAL;
	}
	if (o->rows == REPORT_BRANCH_ROWS)
		o->asked.default_sort = REPORT_KEYS_BRANCH;
	if (o->rows == REPORT_MEMORY_ROWS)
		o->asked.default_sort = REPORT_KEYS_MEMORY;
	o->asked.parent = o->has_parent;
	o->asked.ipc = o->compat && o->rows != REPORT_BRANCH_ROWS;
	return 0;
}

/* A parent is looked for on call chains. */
static int check_parent(const struct report_count *c, struct err *err)
{
	u32 i;

	for (i = 0; i < c->keys.keys.nr; i++) {
		if (c->keys.keys.v[i].kind != KEY_PARENT || has_chains(c->session))
			continue;
		err_set(err, EINVAL, "the recording has no call chains to find a parent on");
		err_hint(err, "record them: perf-lite record -g");
		return -EINVAL;
	}
	return 0;
}

static int prepare_keys(struct report_count *c, struct err *err)
{
	struct report_count_options *o = c->how;
	bool chains = has_chains(c->session);
	int ret = prepare_rows(o, c->session, err);

	if (ret)
		return ret;
	chains &= o->rows == REPORT_SAMPLE_ROWS;
	if (o->graph_given && o->graph.type != CALL_GRAPH_NONE && !chains) {
		err_set(err, EINVAL, "the recording has no call chains");
		err_hint(err, "record them: perf-lite record -g");
		return -EINVAL;
	}
	if (!chains || o->no_graphs)
		o->graph.type = CALL_GRAPH_NONE;
	c->children = chains && o->children != REPORT_WITHOUT;
	if (!o->graph.order_given)
		o->graph.caller = c->children;
	c->children &= !o->hierarchy;
	if (shows_traces(c->session))
		o->asked.sort = "trace";
	o->asked.children = c->children;
	o->asked.session = c->session;
	o->asked.latency = c->session->options.threads.latency;
	c->keys.time_quantum = o->time_quantum;
	ret = report_keys_parse(&c->keys, &o->asked, err);
	return ret ? ret : check_parent(c, err);
}

int report_count_init(struct report_count *c, struct report_count_options *how, struct session *s,
		      struct err *err)
{
	bool chains;
	int ret;
	u32 i;

	*c = (struct report_count){.how = how, .session = s};
	session_hold(s, &c->holder);
	ret = prepare_keys(c, err);
	if (ret)
		return ret;
	ret = sample_values_init(&c->values, s, err);
	if (!ret)
		ret = sample_values_bind(&c->values, c->keys.keys.v, c->keys.keys.nr, true,
					 &c->keys.arena, err);
	if (!ret)
		ret = stack_tree_init(&c->stacks, s->symboliser, err);
	if (ret)
		return ret;
	c->stacks.named_only = c->how->hide_unresolved;
	report_places_init(&c->places, &c->keys, &c->stacks);
	c->places.callers_by_ip = c->how->compat;
	c->values.options.missing = "N/A";
	c->values.options.minus_cpu = c->how->compat;
	c->values.options.time_quantum = c->keys.time_quantum;
	c->values.options.outermost = c->how->graph.caller;
	c->values.options.parent = c->how->has_parent ? &c->how->parent : NULL;
	c->nr_events = s->source->recording->events.events.nr;
	c->events = calloc((size_t)c->nr_events + 1, sizeof(*c->events));
	if (!c->events)
		return err_nomem(err);
	/* without keys of frames, what was called from there is all there is */
	chains = c->how->graph.type != CALL_GRAPH_NONE || (c->children && c->keys.nr_frame);
	s->options.no_stacks = !chains;
	for (i = 0; i < c->nr_events; i++)
		report_samples_init(&c->events[i], &c->keys, &c->stacks, &c->values, chains);
	return 0;
}

/* 1: a row counts the sample; 0: the totals alone do; -ENOMEM. */
static int is_shown(struct report_count *c, const struct session_sample *s, struct err *err)
{
	const struct report_count_options *o = c->how;
	int ret;

	if (!sample_filter_pass(&o->shown, &s->sample->ids, s->comm))
		return 0;
	ret = place_filter_pass(&o->places, c->session->symboliser, s, err);
	if (ret > 0 && o->exclude_other)
		ret = sample_values_has_parent(&c->values, s, err);
	return ret;
}

static int is_resolved(const struct report_count *c, const struct session_sample *s,
		       struct err *err)
{
	struct symboliser *symbols = c->session->symboliser;
	u32 frame = symboliser_address(
		symbols, s->thread, s->sample->misc & PERF_RECORD_MISC_CPUMODE_MASK, s->sample->ip);

	if (frame == ID_NONE)
		return err_nomem(err);
	return symbols->frames.v[frame].symbol != NULL;
}

/* A sample in the row of each of its branches, which weigh the same. */
static int count_branches(struct report_count *c, const struct session_sample *s, bool shown,
			  struct err *err)
{
	const struct perf_branch_entry *b = s->sample->branch;
	struct sample one = *s->sample;
	struct session_sample branch = *s;
	int ret = 0;
	u64 i;

	branch.sample = &one;
	one.period = 1;
	one.ids.has |= PERF_SAMPLE_IP;
	for (i = 0; i < s->sample->branch_nr && !ret; i++) {
		one.ip = b[i].to;
		one.misc = (u16)((one.misc & ~PERF_RECORD_MISC_CPUMODE_MASK) |
				 (one.ip >> 63 ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER));
		c->values.branch = &b[i];
		ret = report_samples_add(&c->events[s->event], &branch, shown, err);
	}
	return ret;
}

/* What an access to memory weighs is what the CPU says of it. */
static int count_access(struct report_count *c, const struct session_sample *s, bool shown,
			struct err *err)
{
	struct sample one = *s->sample;
	struct session_sample access = *s;

	access.sample = &one;
	one.period = MAX(sample_weight(&s->desc->layout, s->sample), 1ull);
	return report_samples_add(&c->events[s->event], &access, shown, err);
}

static int count_sample(struct report_count *c, const struct session_sample *s, bool shown,
			struct err *err)
{
	switch (c->how->rows) {
	case REPORT_BRANCH_ROWS:
		return count_branches(c, s, shown, err);
	case REPORT_MEMORY_ROWS:
		return count_access(c, s, shown, err);
	default:
		return report_samples_add(&c->events[s->event], s, shown, err);
	}
}

int report_count_add(struct report_count *c, const struct session_sample *s, struct err *err)
{
	int ret, shown;

	if (s->event >= c->nr_events)
		return 0;
	if (c->how->hide_unresolved) {
		ret = is_resolved(c, s, err);
		if (ret <= 0)
			return ret;
	}
	shown = is_shown(c, s, err);
	if (shown < 0)
		return shown;
	c->any_shown |= shown;
	return shown || !c->how->relative ? count_sample(c, s, shown, err) : 0;
}

bool report_count_any(const struct report_count *c)
{
	u32 i;

	for (i = 0; i < c->nr_events; i++)
		if (c->events[i].all_samples)
			return true;
	return false;
}

void report_count_free(struct report_count *c)
{
	u32 i;

	session_release(&c->holder);
	for (i = 0; c->events && i < c->nr_events; i++)
		report_samples_free(&c->events[i]);
	free(c->events);
	report_places_free(&c->places);
	stack_tree_free(&c->stacks);
	sample_values_free(&c->values);
	report_keys_free(&c->keys);
	*c = (struct report_count){.how = c->how, .session = c->session};
}
