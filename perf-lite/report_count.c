// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/report.h"

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

/* Choose what has to be read for the keys of the rows, before the recording is opened. */
int report_count_needs(struct report *r, struct err *err)
{
	struct report_asked asked = r->asked;
	struct report_keys keys = {0};
	bool chains = r->has_parent;
	int ret;
	u32 i;

	if (r->form == REPORT_TASKS) {
		r->in.session.records = report_tasks_records();
		r->in.session.want.no_raw = r->in.session.want.no_chains = true;
		return 0;
	}
	asked.parent = r->has_parent;
	ret = report_keys_parse(&keys, &asked, err);
	r->in.session.want.no_raw = true;
	r->in.session.want.traces = !r->asked.sort && !r->asked.fields;
	r->in.session.want.grouped = true;
	for (i = 0; i < keys.keys.nr; i++) {
		if (sample_key_is_of_raw(keys.keys.v[i].kind))
			r->in.session.want.no_raw = false;
		if (keys.keys.v[i].kind == KEY_TIME)
			r->in.session.want.grouped = false;
		chains |= keys.keys.v[i].kind == KEY_PARENT;
	}
	/* rows then count the sampled address alone */
	r->in.session.want.addresses =
		r->children == REPORT_WITHOUT && r->graph.type == CALL_GRAPH_NONE && !chains;
	r->in.session.want.no_chains =
		!keys.nr_frame && !r->has_parent && r->graph.type == CALL_GRAPH_NONE &&
		!place_filter_any(&r->places) && !place_filter_any(&r->in.select.places) &&
		!r->hide_unresolved;
	report_keys_free(&keys);
	return ret;
}

/*
 * As perf: where nothing but tracepoints was recorded, rows are what they say, if no keys are given. (With -a perf records
 * a dummy event as well, and we always do.)
 */
static bool shows_traces(const struct report *r)
{
	return r->in.session.want.traces && event_set_traces(&r->in.s->source->recording->events);
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

static int prepare_rows(struct report *r, struct err *err)
{
	bool branches = has_branches(r->in.s);

	if (r->rows == REPORT_AS_RECORDED)
		r->rows = branches ? REPORT_BRANCH_ROWS : REPORT_SAMPLE_ROWS;
	if (r->rows == REPORT_BRANCH_ROWS && !branches) {
		err_set(err, EINVAL, "the recording has no branches");
		err_hint(err, "record them: perf-lite record -b");
		return -EINVAL;
	}
	if (r->rows == REPORT_BRANCH_ROWS)
		r->asked.default_sort = REPORT_KEYS_BRANCH;
	if (r->rows == REPORT_MEMORY_ROWS)
		r->asked.default_sort = REPORT_KEYS_MEMORY;
	r->asked.parent = r->has_parent;
	r->asked.ipc = r->compat && r->rows != REPORT_BRANCH_ROWS;
	return 0;
}

/* A parent is looked for on call chains. */
static int check_parent(const struct report_making *m, struct err *err)
{
	u32 i;

	for (i = 0; i < m->keys.keys.nr; i++) {
		if (m->keys.keys.v[i].kind != KEY_PARENT || has_chains(m->r->in.s))
			continue;
		err_set(err, EINVAL, "the recording has no call chains to find a parent on");
		err_hint(err, "record them: perf-lite record -g");
		return -EINVAL;
	}
	return 0;
}

static int prepare_keys(struct report_making *m, struct err *err)
{
	struct report *r = m->r;
	bool chains = has_chains(r->in.s);
	int ret = prepare_rows(r, err);

	if (ret)
		return ret;
	chains &= r->rows == REPORT_SAMPLE_ROWS;
	if (r->graph_given && r->graph.type != CALL_GRAPH_NONE && !chains) {
		err_set(err, EINVAL, "the recording has no call chains");
		err_hint(err, "record them: perf-lite record -g");
		return -EINVAL;
	}
	if (!chains || r->form == REPORT_CSV || (r->form == REPORT_JSON && !r->graph_given))
		r->graph.type = CALL_GRAPH_NONE;
	m->children = chains && r->children != REPORT_WITHOUT;
	if (!r->graph.order_given)
		r->graph.caller = m->children;
	m->children &= !r->hierarchy;
	if (shows_traces(r))
		r->asked.sort = "trace";
	r->asked.children = m->children;
	r->asked.session = r->in.s;
	m->keys.time_quantum = r->time_quantum;
	ret = report_keys_parse(&m->keys, &r->asked, err);
	return ret ? ret : check_parent(m, err);
}

int report_count_init(struct report_making *m, struct err *err)
{
	struct session *s = m->r->in.s;
	int ret = prepare_keys(m, err);
	bool chains;
	u32 i;

	if (ret)
		return ret;
	ret = sample_values_init(&m->values, s, err);
	if (!ret)
		ret = sample_values_bind(&m->values, m->keys.keys.v, m->keys.keys.nr, true,
					 &m->keys.arena, err);
	if (!ret)
		ret = stack_tree_init(&m->stacks, s->symboliser, err);
	if (ret)
		return ret;
	m->stacks.named_only = m->r->hide_unresolved;
	report_places_init(&m->places, &m->keys, &m->stacks);
	m->places.callers_by_ip = m->r->compat;
	m->values.options.missing = "N/A";
	m->values.options.time_quantum = m->keys.time_quantum;
	m->values.options.outermost = m->r->graph.caller;
	m->values.options.parent = m->r->has_parent ? &m->r->parent : NULL;
	m->nr_events = s->source->recording->events.events.nr;
	m->events = calloc((size_t)m->nr_events + 1, sizeof(*m->events));
	m->absent = calloc((size_t)m->keys.keys.nr + 1, sizeof(*m->absent));
	m->widths = calloc((size_t)m->keys.keys.nr + 1, sizeof(*m->widths));
	if (!m->events || !m->absent || !m->widths)
		return err_nomem(err);
	/* without keys of frames, what was called from there is all there is */
	chains = m->r->graph.type != CALL_GRAPH_NONE || (m->children && m->keys.nr_frame);
	s->options.no_stacks = !chains;
	for (i = 0; i < m->nr_events; i++)
		report_samples_init(&m->events[i], &m->keys, &m->stacks, &m->values, chains);
	return 0;
}

/* 1: a row counts the sample; 0: the totals alone do; -ENOMEM. */
static int is_shown(struct report_making *m, const struct session_sample *s, struct err *err)
{
	const struct report *r = m->r;
	int ret;

	if (!sample_filter_pass(&r->shown, &s->sample->ids, s->comm))
		return 0;
	ret = place_filter_pass(&r->places, r->in.s->symboliser, s, err);
	if (ret > 0 && r->exclude_other)
		ret = sample_values_has_parent(&m->values, s, err);
	return ret;
}

static int is_resolved(const struct report *r, const struct session_sample *s, struct err *err)
{
	u32 frame =
		symboliser_address(r->in.s->symboliser, s->thread,
				   s->sample->misc & PERF_RECORD_MISC_CPUMODE_MASK, s->sample->ip);

	if (frame == ID_NONE)
		return err_nomem(err);
	return r->in.s->symboliser->frames.v[frame].symbol != NULL;
}

/* A sample in the row of each of its branches, which weigh the same. */
static int count_branches(struct report_making *m, const struct session_sample *s, bool shown,
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
		m->values.branch = &b[i];
		ret = report_samples_add(&m->events[s->event], &branch, shown, err);
	}
	return ret;
}

/* What an access to memory weighs is what the CPU says of it. */
static int count_access(struct report_making *m, const struct session_sample *s, bool shown,
			struct err *err)
{
	struct sample one = *s->sample;
	struct session_sample access = *s;

	access.sample = &one;
	one.period = MAX(sample_weight(&s->desc->layout, s->sample), 1ull);
	return report_samples_add(&m->events[s->event], &access, shown, err);
}

static int count_sample(struct report_making *m, const struct session_sample *s, bool shown,
			struct err *err)
{
	switch (m->r->rows) {
	case REPORT_BRANCH_ROWS:
		return count_branches(m, s, shown, err);
	case REPORT_MEMORY_ROWS:
		return count_access(m, s, shown, err);
	default:
		return report_samples_add(&m->events[s->event], s, shown, err);
	}
}

int report_count_add(struct report_making *m, const struct session_sample *s, struct err *err)
{
	int ret, shown;

	if (s->event >= m->nr_events)
		return 0;
	if (m->r->hide_unresolved) {
		ret = is_resolved(m->r, s, err);
		if (ret <= 0)
			return ret;
	}
	shown = is_shown(m, s, err);
	if (shown < 0)
		return shown;
	m->any_shown |= shown;
	return shown || !m->r->relative ? count_sample(m, s, shown, err) : 0;
}

bool report_count_any(const struct report_making *m)
{
	u32 i;

	for (i = 0; i < m->nr_events; i++)
		if (m->events[i].all_samples)
			return true;
	return false;
}

void report_count_free(struct report_making *m)
{
	u32 i;

	for (i = 0; m->events && i < m->nr_events; i++)
		report_samples_free(&m->events[i]);
	free(m->events);
	free(m->absent);
	free(m->widths);
	report_places_free(&m->places);
	stack_tree_free(&m->stacks);
	sample_values_free(&m->values);
	report_keys_free(&m->keys);
	*m = (struct report_making){.r = m->r};
}
