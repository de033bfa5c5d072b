// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/cmd_flamegraph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perf-lite/output_file.h"
#include "util/base/num.h"
#include "util/file/stream.h"
#include "util/format/header_text.h"

#define SAMPLES_OF_A_CELL 4
#define COLUMNS_MIN       120 /* so many, however few samples there are */

/* The samples of one event. */
struct event_bins {
	struct time_bins bins;
	u64 samples, weight, untimed;
	u64 first, last;
	struct flamegraph_spans spans;
};

struct time_map {
	struct flamegraph_request *r;
	struct reading *in;
	VEC(struct event_bins) events;
	struct flamegraph_losses losses;
	struct flamegraph_root root;
	struct stack_tree stacks;
	bool by_roots; /* rows are the roots of stacks, not CPUs */
	struct buf warning,
		poor; /* poor: a line on stacks that are not complete; empty: they are */
};

/* ---- reading ---- */

static struct event_bins *event_bins(struct time_map *m, u32 event)
{
	struct event_bins *e;

	while (m->events.nr <= event) {
		e = vec_push(&m->events);
		if (!e)
			return NULL;
		e->first = UINT64_MAX;
	}
	return &m->events.v[event];
}

static bool add_sample(struct time_map *m, const struct session_sample *s)
{
	const struct rec_ids *ids = &s->sample->ids;
	const u32 cpu = ids->cpu < FLAMEGRAPH_CPUS_MAX ? ids->cpu : ID_NONE;
	const u64 weight = m->r->stacks.count_samples ? 1 : session_sample_weight(s);
	struct event_bins *e = event_bins(m, s->event);
	struct flamegraph_part part = {.at = ids->time, .cpu = cpu, .weight = weight};

	if (!e)
		return false;
	e->samples++;
	e->weight = num_sum(e->weight, weight);
	if (!ids->time) {
		e->untimed++;
		return true;
	}
	e->first = MIN(e->first, ids->time);
	e->last = MAX(e->last, ids->time);
	/* rows of roots are made of parts, when it is known which there are */
	return flamegraph_losses_sample(&m->losses, cpu, ids->time) &&
	       time_bins_add(&e->bins, m->by_roots ? 0 : cpu, ids->time, weight) &&
	       flamegraph_root_of(&m->root, s, &part.root) &&
	       (part.stack = stack_tree_get(&m->stacks, s)) != ID_NONE &&
	       flamegraph_spans_add(&e->spans, &part, e->bins.step);
}

static int read_samples(struct time_map *m, struct err *err)
{
	struct session_sample s;
	int ret;

	while ((ret = reading_next(m->in, &s, err)) > 0) {
		if (ret == SESSION_SAMPLE && !add_sample(m, &s))
			return err_nomem(err);
		if (ret == SESSION_RECORD &&
		    !flamegraph_losses_record(&m->losses, &m->in->s->record))
			return err_nomem(err);
	}
	return ret;
}

/* ---- rows ---- */

/* How many CPUs there were, if the event was open on all of them; else 0. */
static u32 cpus_recorded(const struct time_map *m, u32 event)
{
	const struct recording *r = m->in->s->source->recording;
	const char *online = recording_fact(r, "nrcpus_online");
	u64 nr;

	if (!online || !num_u64(online, &nr) || nr > FLAMEGRAPH_CPUS_MAX ||
	    r->events.events.v[event].nr_ids < nr)
		return 0;
	return (u32)nr;
}

static bool outside(const struct time_slices *l, u64 from, u64 to)
{
	u64 first, last;

	if (!l->nr)
		return false;
	time_slices_bounds(l, &first, &last);
	return to < first || (last && from > last);
}

/* A CPU without samples has a row, too, and a time without has columns. */
static int cover_all(struct time_map *m, u32 event, struct event_bins *e, struct err *err)
{
	const u32 nr = m->by_roots ? 0 : cpus_recorded(m, event);
	const struct sample_filter *f = &m->in->filter;
	u64 from, to;
	u32 i;

	for (i = 0; i < nr; i++)
		if (sample_filter_cpu(f, i) && !time_bins_row(&e->bins, i))
			return err_nomem(err);
	for (i = 0; i < m->losses.spans.nr; i++) {
		const struct flamegraph_span *s = &m->losses.spans.v[i];

		if (outside(&f->times, s->from, s->to))
			continue;
		if (!m->by_roots && s->cpu < FLAMEGRAPH_CPUS_MAX && sample_filter_cpu(f, s->cpu) &&
		    !time_bins_row(&e->bins, s->cpu))
			return err_nomem(err);
		if (!f->times.nr) {
			time_bins_cover(&e->bins, s->from);
			time_bins_cover(&e->bins, s->to);
		}
	}
	if (f->times.nr) {
		time_slices_bounds(&f->times, &from, &to);
		if (from)
			time_bins_cover(&e->bins, from);
		if (to)
			time_bins_cover(&e->bins, to);
	}
	return 0;
}

struct marks {
	struct timeline_mark *v;
	u32 nr, cap;
};

/* all: the span is of every row, and its records were lost on any of them. */
static bool add_mark(struct marks *marks, u32 row, const struct flamegraph_span *s, bool all)
{
	struct timeline_mark *mark = vec_push(marks);

	if (mark)
		*mark = (struct timeline_mark){
			row, s->kind, s->from, s->to, all ? 0 : s->count, all ? s->count : 0};
	return mark;
}

static int make_marks(const struct time_map *m, const struct flamegraph_rows *rows,
		      struct marks *marks, struct err *err)
{
	const struct flamegraph_span *s;
	u32 i, row;
	bool ok = true;

	for (i = 0; i < m->losses.spans.nr && ok; i++) {
		s = &m->losses.spans.v[i];
		if (s->cpu != ID_NONE && !m->by_roots) {
			row = flamegraph_rows_find(rows, s->cpu);
			ok = row == ID_NONE || add_mark(marks, row, s, false);
			continue;
		}
		for (row = 0; row < rows->nr && ok; row++)
			ok = add_mark(marks, row, s, rows->nr > 1);
	}
	return ok ? 0 : err_nomem(err);
}

/* ---- drawing ---- */

/* As many as there is room for, but a few samples in each where there is something. */
static u32 columns(const struct time_map *m, const struct event_bins *e, u32 width)
{
	const u32 all = m->by_roots ? m->root.names.nr : e->bins.rows.nr;
	const u32 rows = MIN(all, (u32)TIMELINE_ROWS_MAX);
	const u64 filled = e->samples / SAMPLES_OF_A_CELL / MAX(rows, 1u);

	return (u32)MIN(MAX(filled, (u64)COLUMNS_MIN), (u64)timeline_columns(width, rows));
}

static int draw(struct time_map *m, u32 event, struct event_bins *e, const char *path,
		struct err *err)
{
	struct flamegraph_request *r = m->r;
	struct buf untimed = {0}, unit = {0}, picture = {0};
	struct flamegraph_timeline_more more = {0};
	struct flamegraph_head head = {0};
	const char *notes[4];
	struct timeline t = {.title = r->title, .unit = r->unit, .notes = notes};
	struct marks marks = {0};
	struct flamegraph_rows *rows = calloc(1, sizeof(*rows));
	int ret = rows ? cover_all(m, event, e, err) : err_nomem(err);

	if (ret)
		goto out;
	time_bins_fit(&e->bins, columns(m, e, r->draw.width));
	if (e->spans.v.nr)
		flamegraph_spans_merge(&e->spans, e->bins.step);
	if (m->by_roots)
		ret = flamegraph_rows_roots(rows, &e->spans, &m->root.names, &e->bins, err);
	else
		flamegraph_rows_make(rows, &e->bins);
	if (!ret)
		ret = make_marks(m, rows, &marks, err);
	if (!ret)
		ret = flamegraph_head_make(&head, m->in, event, e->first, e->last, err);
	buf_addf(&untimed, "not in it: %llu without a time", (unsigned long long)e->untimed);
	if (!t.title && head.title.len)
		t.title = buf_str(&head.title);
	if (head.origin.len)
		notes[t.nr_notes++] = buf_str(&head.origin);
	notes[t.nr_notes++] = buf_str(&head.event);
	if (m->poor.len)
		notes[t.nr_notes++] = buf_str(&m->poor);
	if (e->untimed)
		notes[t.nr_notes++] = buf_str(&untimed);
	if (!t.unit && !r->stacks.count_samples)
		t.unit = header_text_unit(&m->in->s->source->recording->events.events.v[event],
					  e->samples, e->weight, &t.time, &unit);
	t.warning = m->warning.len ? buf_str(&m->warning) : NULL;
	t.width = r->draw.width;
	t.html = r->draw.html;
	t.from = e->bins.first * e->bins.step;
	t.step = e->bins.step;
	t.nr_columns = e->bins.nr;
	t.rows = rows->v;
	t.nr_rows = rows->nr;
	t.marks = marks.v;
	t.nr_marks = marks.nr;
	if (!ret && e->spans.v.nr)
		ret = flamegraph_timeline_more(&more, &t, rows, &e->spans, &m->root, &m->stacks,
					       &r->draw, err);
	if (!ret)
		ret = timeline_draw(&t, &picture, err);
	if (!ret)
		ret = output_file_put(path, &picture, err);
out:
	flamegraph_timeline_more_free(&more);
	if (rows)
		flamegraph_rows_free(rows);
	free(rows);
	vec_free(&marks);
	flamegraph_head_free(&head);
	buf_free(&untimed);
	buf_free(&unit);
	buf_free(&picture);
	return ret;
}

static int draw_events(struct time_map *m, struct err *err)
{
	struct strtab paths = {0};
	int ret = flamegraph_picture_paths(m->r->output, &m->in->s->source->recording->events,
					   &paths, err);
	u32 i;

	for (i = 0; i < m->events.nr && !ret; i++)
		if (m->events.v[i].samples)
			ret = draw(m, i, &m->events.v[i], strtab_get(&paths, i), err);
	strtab_free(&paths);
	return ret;
}

static int draw_map(struct time_map *m, struct err *err)
{
	struct event_bins *e;

	if (m->r->stacks.per_event)
		return draw_events(m, err);
	e = event_bins(m, m->in->only_event);
	return e ? draw(m, m->in->only_event, e, m->r->output, err) : err_nomem(err);
}

static bool any_samples(const struct time_map *m)
{
	u32 i;

	for (i = 0; i < m->events.nr; i++)
		if (m->events.v[i].samples)
			return true;
	return false;
}

static bool is_partly(const struct time_map *m)
{
	const struct reading *in = m->in;
	const struct sample_filter *f = &in->filter;

	return f->pids.nr || f->tids.nr || f->comms.nr || in->event ||
	       place_filter_any(&in->select.places) || in->select.switch_on ||
	       in->select.switch_off;
}

static int run(struct time_map *m, struct err *err)
{
	struct buf lines = {0};
	int ret, code;

	m->in->session.records = FLAMEGRAPH_LOSSES_RECORDS;
	ret = reading_open(m->in, err);
	if (!ret && !m->in->s->source->recording->events.events.nr)
		return err_set(err, ENODATA, "%s holds no events",
			       stream_name(m->in->session.path));
	if (!ret)
		ret = reading_choose_event(m->in, !m->r->stacks.per_event, "--event", err);
	if (ret)
		return ret;
	ret = stack_tree_init(&m->stacks, m->in->s->symboliser, err);
	if (!ret)
		ret = flamegraph_root_init(&m->root, m->in->s, m->in->only_event,
					   m->by_roots ? m->r->stacks.by : NULL, NULL, err);
	if (ret)
		return ret;
	m->losses.partly = is_partly(m);
	m->losses.to_end = !m->in->filter.times.nr;
	ret = read_samples(m, err);
	if (!ret)
		ret = flamegraph_losses_end(&m->losses, m->in->s->source->recording,
					    m->in->only_event, err);
	if (ret)
		return ret;
	reading_stacks_note(m->in, &m->poor);
	if (m->poor.len)
		buf_addf(&lines, "%s\n", buf_str(&m->poor));
	code = reading_verdict(m->in, &lines, err);
	buf_free(&lines);
	flamegraph_picture_warning(m->in, err->msg, &m->warning);
	ret = m->warning.failed || m->poor.failed ? err_nomem(err) : draw_map(m, err);
	if (ret || code)
		return ret ? ret : code;
	if (any_samples(m))
		return CMD_OK;
	err_set(err, ENODATA, "%s holds no samples%s: the picture is empty",
		stream_name(m->in->session.path),
		reading_is_empty(m->in) ? "" : " of those that were asked for");
	return CMD_USAGE;
}

int flamegraph_timeline_run(struct flamegraph_request *r, struct err *err)
{
	struct time_map m = {
		.r = r, .in = &r->in, .by_roots = r->stacks.by && strcmp(r->stacks.by, "cpu") != 0};
	int ret = run(&m, err);
	u32 i;

	for (i = 0; i < m.events.nr; i++) {
		time_bins_free(&m.events.v[i].bins);
		flamegraph_spans_free(&m.events.v[i].spans);
	}
	stack_tree_free(&m.stacks);
	flamegraph_root_free(&m.root);
	vec_free(&m.events);
	flamegraph_losses_free(&m.losses);
	buf_free(&m.warning);
	buf_free(&m.poor);
	return ret;
}
