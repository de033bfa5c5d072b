// SPDX-License-Identifier: GPL-2.0
#include "util/library/report_brief.h"

#include <errno.h>
#include <stdlib.h>

#include "util/base/num.h"
#include "util/base/text.h"
#include "util/format/header_text.h"
#include "util/process/quality.h"
#include "util/report/call_graph.h"
#include "util/report/report_view.h"

#define VALUES_MAX 8 /* of a list in one line */
#define SELF_MIN   5.0
#define OWN_MAX    0.8 /* a function with more of its time in itself is not one that calls others */
#define ALL_MIN    95.0
/* A function that hands on this much of its time to one other is only on the way there. */
#define ON_THE_WAY   0.95
#define PATH_STEP    0.25 /* of its caller's, or the path ends */
#define PATH_PERCENT 1.0

/* Rows of one table and event. */
struct rows {
	struct report_brief *b;
	struct report_brief_table *t;
	u32 event;
	struct report_entries entries;
	struct report_view view;
	u32 *order;
	bool all; /* sorted by what includes callees */
};

static u64 weight_of(const struct rows *r, const struct report_entry *e)
{
	return r->all ? e->all_weight : e->weight;
}

static int by_weight(const void *a, const void *b, void *rows)
{
	const struct rows *r = rows;
	u32 x = *(const u32 *)a, y = *(const u32 *)b;
	u64 v = weight_of(r, &r->entries.v.v[x]), w = weight_of(r, &r->entries.v.v[y]);

	if (v != w)
		return v > w ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void sort_rows(struct rows *r, bool all)
{
	u32 i;

	r->all = all;
	for (i = 0; i < r->entries.v.nr; i++)
		r->order[i] = i;
	qsort_r(r->order, r->entries.v.nr, sizeof(*r->order), by_weight, r);
}

static int open_rows(struct rows *r, struct report_brief *b, u32 table, u32 event, struct err *err)
{
	struct report_count *c = &b->tables.v[table]->count;
	int ret;

	*r = (struct rows){.b = b, .t = b->tables.v[table], .event = event};
	ret = report_entries_make(&r->entries, &c->events[event], &c->places, c->children, err);
	r->order = calloc((size_t)r->entries.v.nr + 1, sizeof(*r->order));
	if (!ret && !r->order)
		ret = err_nomem(err);
	r->view = (struct report_view){
		.keys = &c->keys,
		.samples = &c->events[event],
		.places = &c->places,
		.entries = &r->entries,
		.samples_in_all = r->entries.samples,
		.weight_in_all = r->entries.weight,
		.children = c->children,
	};
	if (!ret)
		sort_rows(r, false);
	return ret;
}

static void close_rows(struct rows *r)
{
	report_entries_free(&r->entries);
	free(r->order);
}

/* The value of a key of a row as a text of the brief. */
static const char *value_of(const struct rows *r, const struct report_entry *e, u32 key,
			    struct err *err)
{
	struct buf text = {0};
	const char *kept;
	size_t blanks;

	report_view_put(&r->view, e, key, &text);
	blanks = strspn(buf_str(&text), " ");
	if (blanks) /* numbers of threads are in a column elsewhere */
		memmove(text.data, text.data + blanks, text.len - blanks + 1);
	text.len -= blanks;
	kept = report_brief_keep(r->b, &text, err);
	buf_free(&text);
	return kept;
}

/* Of functions the file is the first key, the name the second. */
static int add_row(const struct rows *r, const struct report_entry *e, struct brief_list *l,
		   struct err *err)
{
	bool functions = r->t == r->b->tables.v[REPORT_BRIEF_FUNCTIONS];
	struct brief_row *row = vec_push(&l->v);

	if (!row)
		return err_nomem(err);
	row->name = value_of(r, e, functions ? 1 : 0, err);
	if (functions)
		row->file = value_of(r, e, 0, err);
	row->weight = weight_of(r, e);
	row->samples = r->all ? e->all_samples : e->samples;
	row->percent = report_view_percent(&r->view, row->weight);
	return row->name && (!functions || row->file) ? 0 : -ENOMEM;
}

/* The first rows, as they are sorted. */
static int add_first(const struct rows *r, struct brief_list *l, u64 max, struct err *err)
{
	const struct report_entry *e;
	int ret = 0;
	u32 i;

	for (i = 0; i < r->entries.v.nr; i++) {
		e = &r->entries.v.v[r->order[i]];
		if (!weight_of(r, e))
			break;
		l->distinct++;
		if (l->v.nr < max &&
		    report_view_percent(&r->view, weight_of(r, e)) >= r->b->percent_limit)
			ret = add_row(r, e, l, err);
		if (ret)
			break;
	}
	return ret;
}

int report_brief_values(struct report_brief *b, u32 table, u32 event, struct brief_list *l,
			struct err *err)
{
	struct rows r;
	int ret = open_rows(&r, b, table, event, err);

	if (!ret)
		ret = add_first(&r, l, VALUES_MAX, err);
	close_rows(&r);
	return ret;
}

/* The heaviest function that is called at a node, ID_NONE: there is none. */
static u32 heaviest_child(const struct call_graph_stacks *s, u32 node)
{
	u32 best = ID_NONE, at;

	for (at = node + 1; at < s->nodes.v[node].end; at = s->nodes.v[at].end)
		if (best == ID_NONE || s->nodes.v[at].weight > s->nodes.v[best].weight)
			best = at;
	return best;
}

/* Does a row hand on nearly all that it has, each time to one function? Then that one says more. */
static bool is_on_the_way(const struct call_graph_stacks *s, const struct report_entry *e)
{
	const struct call_graph_span sites = call_graph_stacks_sites(s, e->root, e->place);
	double all = 0, on = 0;
	u32 i, node, child;

	for (i = sites.first; i < sites.first + sites.nr; i++) {
		node = s->sites.v[i].node;
		child = heaviest_child(s, node);
		all += (double)s->nodes.v[node].weight;
		on += child == ID_NONE ? 0 : (double)s->nodes.v[child].weight;
	}
	return all > 0 && on >= ON_THE_WAY * all;
}

/* Is it where everything begins, or only on the way to another function, or hardly calls any? */
static bool is_no_caller(const struct rows *r, const struct call_graph_stacks *s,
			 const struct report_entry *e)
{
	const double all = report_view_percent(&r->view, e->all_weight);
	const double self = report_view_percent(&r->view, e->weight);

	return self >= OWN_MAX * all || (all >= ALL_MIN && self < SELF_MIN) || is_on_the_way(s, e);
}

static int add_children(struct rows *r, const struct call_graph_stacks *s, struct brief_list *l,
			struct err *err)
{
	const struct report_entry *e;
	int ret = 0;
	u32 i;

	sort_rows(r, true);
	for (i = 0; i < r->entries.v.nr && !ret && l->v.nr < r->b->lines; i++) {
		e = &r->entries.v.v[r->order[i]];
		if (report_view_percent(&r->view, e->all_weight) < r->b->percent_limit)
			break;
		if (is_no_caller(r, s, e))
			continue;
		ret = add_row(r, e, l, err);
		if (!ret && (quality_is_entry(l->v.v[l->v.nr - 1].name) ||
			     *l->v.v[l->v.nr - 1].name == '['))
			l->v.nr--;
	}
	l->distinct = l->v.nr;
	return ret;
}

static const char *function_name(struct rows *r, const struct call_graph_function *f,
				 struct err *err)
{
	const struct process_model *m = &r->b->in->s->model;
	struct buf text = {0};
	const char *kept;

	if (f->symbol) {
		text_escape(&text, f->symbol, strlen(f->symbol));
	} else if (f->dso < m->dsos.nr) {
		report_places_short_name(&m->dsos.v[f->dso], &text);
		if (*buf_str(&text) != '[') {
			buf_clear(&text);
			buf_addc(&text, '[');
			report_places_short_name(&m->dsos.v[f->dso], &text);
			buf_addc(&text, ']');
		}
	} else {
		buf_adds(&text, "[unknown]");
	}
	kept = report_brief_keep(r->b, &text, err);
	buf_free(&text);
	return kept;
}

/* One more function of the path; one that is there already, by recursion, goes on from where it was. */
static int add_step(struct rows *r, const struct call_graph_stacks *s, u32 node,
		    struct brief_list *l, struct err *err)
{
	const struct call_graph_node *n = &s->nodes.v[node];
	const char *name = function_name(r, &s->functions.v.v[n->function], err);
	struct brief_row *row;
	u32 i;

	if (!name)
		return -ENOMEM;
	if (!l->v.nr && quality_is_entry(name))
		return 0;
	for (i = 0; i < l->v.nr; i++)
		if (!strcmp(l->v.v[i].name, name))
			l->v.nr = i;
	row = vec_push(&l->v);
	if (!row)
		return err_nomem(err);
	*row = (struct brief_row){
		.name = name,
		.samples = n->samples,
		.weight = n->weight,
		.percent = report_view_percent(&r->view, n->weight),
	};
	return 0;
}

/* From the outermost function on, always to the one that has most of it, while that is much of it. */
static int add_path(struct rows *r, const struct call_graph_stacks *s, struct brief_list *l,
		    struct err *err)
{
	u32 node = 0, child;
	double least;
	int ret = 0;

	while (s->nodes.nr && !ret) {
		child = heaviest_child(s, node);
		if (child == ID_NONE)
			break;
		least = PATH_STEP * (double)s->nodes.v[node].weight;
		if ((double)s->nodes.v[child].weight < least ||
		    report_view_percent(&r->view, s->nodes.v[child].weight) < PATH_PERCENT)
			break;
		ret = add_step(r, s, child, l, err);
		node = child;
	}
	/* one alone is among the functions */
	l->distinct = l->v.nr = l->v.nr > 1 ? l->v.nr : 0;
	return ret;
}

static int add_stacks(struct rows *r, struct brief_event *e, struct err *err)
{
	struct report_count *c = &r->t->count;
	struct call_graph_stacks s = {0};
	int ret = call_graph_stacks_make(&s, &c->events[r->event], &c->places, c->how->graph.key,
					 c->children, err);

	if (!ret && c->children)
		ret = add_children(r, &s, &e->children, err);
	if (!ret)
		ret = add_path(r, &s, &e->path, err);
	call_graph_stacks_free(&s);
	return ret;
}

static int add_functions(struct report_brief *b, u32 event, struct brief_event *e, struct err *err)
{
	struct rows r;
	int ret = open_rows(&r, b, REPORT_BRIEF_FUNCTIONS, event, err);

	if (!ret)
		ret = add_first(&r, &e->self, b->lines, err);
	if (!ret && b->chains)
		ret = add_stacks(&r, e, err);
	close_rows(&r);
	return ret;
}

/* By the mode of the CPU, as the table of commands has it. */
static int add_modes(struct report_brief *b, u32 event, struct brief_counts *c, struct err *err)
{
	struct report_numbers n;
	u64 kernel = 0, user = 0;
	struct rows r;
	int ret = open_rows(&r, b, REPORT_BRIEF_COMMS, event, err);
	u32 i;

	c->kernel = c->user = -1;
	for (i = 0; !ret && i < r.entries.v.nr; i++) {
		n = report_entries_numbers(&r.entries, &r.entries.v.v[i]);
		kernel += n.modes.weight[REPORT_MODE_SYS] + n.modes.weight[REPORT_MODE_GUEST_SYS];
		user += n.modes.weight[REPORT_MODE_US] + n.modes.weight[REPORT_MODE_GUEST_US];
	}
	if (kernel + user) {
		c->kernel = num_percent(kernel, kernel + user);
		c->user = num_percent(user, kernel + user);
	}
	close_rows(&r);
	return ret;
}

static bool is_tracepoint(const struct report_brief *b, u32 event)
{
	return b->in->s->source->recording->events.events.v[event].attr.type ==
	       PERF_TYPE_TRACEPOINT;
}

static int add_counts(struct report_brief *b, u32 event, struct brief_counts *c, struct err *err)
{
	const struct report_samples *s = &b->tables.v[REPORT_BRIEF_FUNCTIONS]->count.events[event];
	const struct report_brief_seen *idle = &b->events[event];
	const struct recording *r = b->in->s->source->recording;
	const struct event_desc *desc = &r->events.events.v[event];
	const char *cpus = recording_fact(r, "nrcpus_online"), *unit;
	struct buf room = {0};
	u64 nr_cpus;
	bool time;
	int ret;

	ret = add_modes(b, event, c, err);
	c->samples = s->all_samples;
	c->weight = s->all_weight;
	c->idle = num_percent(idle->idle_weight, idle->idle_weight + s->all_weight);
	c->latency = b->in->session.threads.latency;
	if (b->last > b->first && !c->latency)
		c->per_second = (double)c->weight * 1e9 / (double)(b->last - b->first);
	/* a CPU has a sample more than there are periods between its first and its last */
	if (event_set_is_clock(&desc->attr) && cpus && num_u64(cpus, &nr_cpus))
		c->per_second = MIN(c->per_second, (double)nr_cpus * 1e9);
	unit = header_text_unit(desc, c->samples + idle->idle_samples,
				c->weight + idle->idle_weight, &time, &room);
	if (time)
		c->unit = "ns";
	else if (unit && !is_tracepoint(b, event))
		c->unit = arena_strdup(&b->brief.arena, unit);
	if (is_tracepoint(b, event)) {
		c->estimated = desc->attr.freq && c->weight != c->samples;
		c->idle = c->kernel = c->user = -1;
	} else if (unit && !c->unit) {
		ret = err_nomem(err);
	}
	buf_free(&room);
	return ret;
}

/* The place of a tracepoint is the same each time. */
static void drop_self(struct brief_event *e)
{
	if (e->self.v.nr && e->self.v.v[0].percent >= ALL_MIN)
		e->self.v.nr = 0;
}

/* Is it the event of switches beside records of all of them? */
static bool is_off_cpu(const struct report_brief *b, u32 event)
{
	const struct event_set *set = &b->in->s->source->recording->events;
	const struct perf_event_attr *a = &set->events.v[event].attr;
	u32 i;

	if (a->type != PERF_TYPE_SOFTWARE || a->config != PERF_COUNT_SW_CONTEXT_SWITCHES)
		return false;
	for (i = 0; i < set->events.nr; i++)
		if (set->events.v[i].attr.context_switch)
			return true;
	return false;
}

int report_brief_event(struct report_brief *b, u32 event, struct err *err)
{
	const char *name = b->in->s->source->recording->events.events.v[event].name;
	struct brief_event *e = vec_push(&b->brief.events);
	struct buf text = {0};
	int ret;

	if (!e)
		return err_nomem(err);
	text_escape(&text, name, strlen(name));
	e->order = event;
	e->tracepoint = is_tracepoint(b, event);
	e->off_cpu = is_off_cpu(b, event);
	e->name = report_brief_keep(b, &text, err);
	buf_free(&text);
	if (!e->name)
		return -ENOMEM;
	ret = add_counts(b, event, &e->counts, err);
	if (!ret)
		ret = add_functions(b, event, e, err);
	/* a tracepoint is in the kernel */
	if (!ret && !e->tracepoint)
		ret = report_brief_values(b, REPORT_BRIEF_FILES, event, &e->files, err);
	if (!ret)
		ret = report_brief_values(b, REPORT_BRIEF_COMMS, event, &e->comms, err);
	if (!ret)
		ret = report_brief_values(b, REPORT_BRIEF_THREADS, event, &e->threads, err);
	if (!ret && e->tracepoint)
		ret = report_brief_fields(b, event, e, err);
	if (e->threads.distinct <= e->comms.distinct)
		e->threads.v.nr = 0;
	if (!ret)
		ret = report_brief_finding(b, e, err);
	if (e->tracepoint)
		drop_self(e);
	return ret;
}
