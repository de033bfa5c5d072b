// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/cmd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf-lite/header.h"
#include "perf-lite/report.h"
#include "perf-lite/report_graphs.h"
#include "util/base/json.h"
#include "util/cli/pager.h"
#include "util/format/report_export.h"
#include "util/format/report_values.h"

/* A report while it is made. */
struct making {
	struct report *r;
	struct report_known_fields known;
	struct report_keys keys;
	struct report_values values;
	struct trace_text text;
	struct stack_tree stacks;
	struct report_places places;
	struct report_samples *events;
	u32 nr_events;
	bool children;
	bool *absent; /* keys of the event that is printed */
	u32 *widths;
	struct report_text table;
	struct report_export export;
	struct report_graphs graphs;
};

static bool has_chains(const struct session *s)
{
	const struct event_set *events = &s->source->recording.events;
	u32 i;

	for (i = 0; i < events->events.nr; i++)
		if (events->events.v[i].plan.sample_type & PERF_SAMPLE_CALLCHAIN)
			return true;
	return s->source->recording.has_callchains;
}

/* Rows are told apart by texts: these must be read, which is known before the recording is open. */
static int look_ahead(struct report *r, struct err *err)
{
	struct report_asked asked = r->asked;
	struct report_keys keys = {0};
	int ret;
	u32 i;

	if (r->form == REPORT_TASKS) {
		r->in.session.records = report_tasks_records();
		r->in.session.no_raw = r->in.session.no_chains = true;
		return 0;
	}
	asked.any_field = true;
	ret = report_keys_parse(&keys, &asked, err);
	r->in.session.no_raw = true;
	for (i = 0; i < keys.keys.nr; i++)
		if (report_kind_is_text(keys.keys.v[i].kind))
			r->in.session.no_raw = false;
	r->in.session.no_chains = !keys.nr_frame && r->graph.type == CALL_GRAPH_NONE &&
				  !r->places.symbols.nr && !r->places.dsos.nr &&
				  !r->in.select.places.symbols.nr && !r->in.select.places.dsos.nr &&
				  !r->hide_unresolved;
	report_keys_free(&keys);
	return ret;
}

/*
 * As perf: where nothing but tracepoints was recorded, rows are what they say, if no keys are given. (With -a perf records
 * a dummy event as well, and we always do.)
 */
static bool tells_traces(const struct report *r)
{
	const struct event_set *events = &r->in.s->source->recording.events;
	u32 i;

	for (i = 0; i < events->events.nr; i++)
		if (events->events.v[i].attr.type != PERF_TYPE_TRACEPOINT)
			return false;
	return i && !r->asked.sort && !r->asked.fields;
}

static int prepare_keys(struct making *m, struct err *err)
{
	struct report *r = m->r;
	bool chains = has_chains(r->in.s);
	int ret;

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
	ret = report_values_known(&m->known, r->in.s, err);
	if (ret)
		return ret;
	if (tells_traces(r))
		r->asked.sort = "trace";
	r->asked.children = m->children;
	r->asked.known = m->known.v;
	r->asked.nr_known = m->known.nr;
	m->keys.time_quantum = r->time_quantum;
	return report_keys_parse(&m->keys, &r->asked, err);
}

static int prepare(struct making *m, struct err *err)
{
	struct session *s = m->r->in.s;
	int ret = prepare_keys(m, err);
	bool chains;
	u32 i;

	if (ret)
		return ret;
	m->text = (struct trace_text){
		.resolver = &s->resolver, .programs = s->programs, .strings = &s->strings};
	ret = report_values_init(&m->values, s, &m->keys, &m->text, err);
	if (!ret)
		ret = stack_tree_init(&m->stacks, &s->resolver, err);
	if (ret)
		return ret;
	report_places_init(&m->places, &m->keys, &m->stacks);
	m->places.callers_by_ip = m->r->compat;
	m->nr_events = s->source->recording.events.events.nr;
	m->events = calloc((size_t)m->nr_events + 1, sizeof(*m->events));
	m->absent = calloc((size_t)m->keys.keys.nr + 1, sizeof(*m->absent));
	m->widths = calloc((size_t)m->keys.keys.nr + 1, sizeof(*m->widths));
	if (!m->events || !m->absent || !m->widths)
		return err_nomem(err);
	/* without keys of frames, what was called from there is all there is */
	chains = m->r->graph.type != CALL_GRAPH_NONE || (m->children && m->keys.nr_frame);
	s->options.no_stacks = !chains;
	for (i = 0; i < m->nr_events; i++)
		report_samples_init(&m->events[i], &m->keys, &m->stacks, &m->values.texts, chains);
	return 0;
}

/* 1: a row counts the sample; 0: the totals alone do; -ENOMEM. */
static int is_shown(const struct report *r, const struct session_sample *s, struct err *err)
{
	if (!sample_filter_pass(&r->shown, &s->sample->ids, s->comm))
		return 0;
	return place_filter_pass(&r->places, &r->in.s->resolver, s, err);
}

static int is_resolved(const struct report *r, const struct session_sample *s, struct err *err)
{
	u32 frame =
		resolver_address(&r->in.s->resolver, s->thread,
				 s->sample->misc & PERF_RECORD_MISC_CPUMODE_MASK, s->sample->ip);

	if (frame == ID_NONE)
		return err_nomem(err);
	return r->in.s->resolver.frames.v[frame].symbol != NULL;
}

static int count(struct making *m, struct err *err)
{
	struct session_sample s;
	int ret, shown;

	while ((ret = reading_sample(&m->r->in, &s, err)) > 0) {
		if (s.event >= m->nr_events)
			continue;
		if (m->r->hide_unresolved) {
			ret = is_resolved(m->r, &s, err);
			if (ret < 0)
				return ret;
			if (!ret)
				continue;
		}
		shown = is_shown(m->r, &s, err);
		if (shown < 0)
			return shown;
		ret = report_samples_add(&m->events[s.event], &s, shown, err);
		if (ret)
			return ret;
	}
	return ret;
}

static void put_event(struct making *m, u32 event, struct report_entries *entries, struct buf *out)
{
	const struct event_desc *desc = &m->r->in.s->source->recording.events.events.v[event];
	struct report_view view = {
		.keys = &m->keys,
		.samples = &m->events[event],
		.places = &m->places,
		.texts = &m->values.texts,
		.model = &m->r->in.s->model,
		.entries = entries,
		.event = desc->name,
		.samples_in_all = entries->samples,
		.weight_in_all = entries->weight,
		.children = m->children,
		.absent = m->absent,
		.widths = m->widths,
	};
	u32 k;

	for (k = 0; k < m->keys.keys.nr; k++) {
		m->absent[k] = !report_values_has(&m->values, event, k);
		m->widths[k] = report_values_width(&m->values, event, k);
	}
	report_view_sort(&view);
	if (m->r->form == REPORT_TEXT)
		report_text_event(&m->table, &view, out);
	else if (m->r->form == REPORT_CSV)
		report_export_csv(&m->export, &view, out);
	else
		report_export_json(&m->export, &view, out);
}

static int make_event(struct making *m, u32 event, struct buf *out, struct err *err)
{
	struct report_entries entries;
	int ret;

	ret = report_entries_make(&entries, &m->events[event], &m->places, m->children, err);
	if (!ret)
		ret = report_graphs_event(&m->graphs, &m->events[event], &m->places, &entries, err);
	if (!ret)
		put_event(m, event, &entries, out);
	report_entries_free(&entries);
	return ret;
}

static int put_events(struct making *m, struct buf *out, struct err *err)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < m->nr_events && !ret; i++)
		if (m->events[i].all_samples)
			ret = make_event(m, i, out, err);
	return ret;
}

/* The only name of a list, which is one of these two. */
#define ONLY_NAME(a, b) ((a).nr == 1 ? (a).v[0] : (b).nr == 1 ? (b).v[0] : NULL)

static void set_forms(struct making *m)
{
	struct report *r = m->r;
	bool wanted = colour_wanted((enum colour_when)r->colour, STDOUT_FILENO);

	m->table = (struct report_text){
		.colours = {colour_code(wanted, COLOUR_RED), colour_code(wanted, COLOUR_GREEN),
			    colour_code(wanted, COLOUR_OFF)},
		.separator = r->separator,
		.widths = r->widths.v,
		.nr_widths = r->widths.nr,
		.times = r->in.times,
		.percent_limit = r->percent_limit,
		.no_titles = r->in.quiet,
		.elided = {ONLY_NAME(r->shown.comms, r->in.filter.comms),
			   ONLY_NAME(r->places.dsos, r->in.select.places.dsos),
			   ONLY_NAME(r->places.symbols, r->in.select.places.symbols)},
	};
	report_graphs_init(&m->graphs, r, m->children && m->keys.nr_frame, &m->table.colours);
	m->table.below = m->graphs.below;
	m->export = (struct report_export){
		.percent_limit = r->percent_limit, .children = m->children, .more = m->graphs.more};
}

static int put_all(struct making *m, struct buf *out, struct err *err)
{
	const struct session *s = m->r->in.s;
	u64 lost = recording_lost(&s->source->recording, MAX(s->lost, s->lost_samples));
	int ret;

	set_forms(m);
	switch (m->r->form) {
	case REPORT_TEXT:
		report_text_head(&m->table, &m->keys, lost, out);
		break;
	case REPORT_CSV:
		report_export_csv_head(&m->export, &m->keys, out);
		break;
	default:
		json_open(out, '{');
		json_key(out, "lost");
		json_unsigned(out, lost);
		json_key(out, "events");
		json_open(out, '[');
	}
	ret = put_events(m, out, err);
	if (m->r->form == REPORT_JSON)
		buf_adds(out, "]}\n");
	report_export_free(&m->export);
	report_graphs_free(&m->graphs);
	return ret;
}

static bool any_sample(const struct making *m)
{
	u32 i;

	for (i = 0; i < m->nr_events; i++)
		if (m->events[i].all_samples)
			return true;
	return false;
}

static int make_table(struct report *r, struct buf *out, struct err *err)
{
	struct making m = {.r = r};
	int ret = prepare(&m, err);
	u32 i;

	if (!ret)
		ret = count(&m, err);
	if (!ret && !any_sample(&m)) {
		err_set(err, ENODATA, "%s has no samples%s", r->in.session.path,
			r->in.s->any ? " of those that were asked for" : "");
		if (r->form == REPORT_TEXT)
			buf_clear(out);
	}
	if (!ret && (any_sample(&m) || r->form != REPORT_TEXT))
		ret = put_all(&m, out, err);
	for (i = 0; m.events && i < m.nr_events; i++)
		report_samples_free(&m.events[i]);
	free(m.events);
	free(m.absent);
	free(m.widths);
	report_places_free(&m.places);
	stack_tree_free(&m.stacks);
	report_values_free(&m.values);
	report_keys_free(&m.keys);
	vec_free(&m.known);
	return ret;
}

static void put_header(const struct report *r, struct buf *out)
{
	if (r->header || r->header_only)
		header_text(&r->in.s->source->recording, r->in.session.path, r->show_info, out);
	else if (r->form == REPORT_TEXT && !r->in.quiet)
		buf_adds(out, "# To display the perf.data header info, please use "
			      "--header/--header-only options.\n#\n");
}

static int run(struct report *r, struct buf *out, struct err *err)
{
	int ret;

	if (r->form == REPORT_STATS)
		return report_stats(r, out, err);
	ret = look_ahead(r, err);
	if (!ret)
		ret = reading_open(&r->in, err);
	if (!ret)
		ret = reading_choose_event(&r->in, false, "--event", err);
	if (ret)
		return ret;
	put_header(r, out);
	if (r->header_only)
		return CMD_OK;
	ret = r->form == REPORT_TASKS ? report_tasks(r, out, err) : make_table(r, out, err);
	return ret ? ret : reading_verdict(&r->in, NULL, err);
}

int cmd_report(int argc, char **argv, struct err *err)
{
	struct opt_rest rest = {0};
	struct pager pager = {0};
	struct buf out = {0};
	struct err unwritten = {0};
	struct report r;
	int ret, code;

	ret = report_options(&r, argc, argv, &rest, err);
	if (!ret && !rest.help) {
		ret = run(&r, &out, err);
		if (ret >= 0 && out.len) {
			pager_start(&pager, NULL);
			code = cmd_write(&out, &unwritten);
			pager_finish(&pager);
			if (code) {
				*err = unwritten;
				ret = code;
			}
		}
	}
	buf_free(&out);
	report_options_free(&r);
	reading_close(&r.in);
	return ret;
}
