// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/report.h"

#include <stdlib.h>
#include <unistd.h>

#include "util/base/json.h"
#include "util/format/hierarchy_text.h"
#include "util/report/report_order.h"

#define FIELD_WIDTH_MAX 64u

/* What a table is made of: an event, or a group of them. */
struct table {
	u32 *event; /* of each member */
	struct report_entries *entries;
	struct report_member *members;
	u32 nr;
	bool forced;
	struct report_group group;
	struct buf name;
};

/* A report while it is written. */
struct making {
	struct report *r;
	struct report_count *c;
	bool *absent; /* keys of the event that is printed */
	u32 *widths;
	struct report_text table;
	struct report_export export;
	struct report_graphs graphs;
};

static const struct event_desc *event_of(const struct making *m, u32 event)
{
	return &m->r->in.s->source->recording->events.events.v[event];
}

/* The room that any value of a field may need as perf counts: bytes, or 0x and digits. */
static u32 field_width(const struct tp_field *f)
{
	return MIN(f->is_string ? f->size : f->size * 2 + 2, FIELD_WIDTH_MAX);
}

/* Of a group, fields that some member has are shown. */
static void set_columns(struct making *m, const struct table *t)
{
	const struct sample_take *take;
	u32 k, i;

	for (k = 0; k < m->c->keys.keys.nr; k++) {
		m->absent[k] = true;
		m->widths[k] = 0;
		for (i = 0; i < t->nr; i++) {
			take = sample_values_take(&m->c->values, t->event[i], k);
			if (m->c->keys.keys.v[k].kind != KEY_FIELD || take->shape)
				m->absent[k] = false;
			if (take->shape)
				m->widths[k] = MAX(m->widths[k], field_width(take->field.field));
		}
	}
}

static void put_nested(struct making *m, const struct report_view *v, struct buf *out)
{
	struct report_tree tree = {0};

	if (report_tree_make(&tree, v, NULL))
		out->failed = true;
	else if (m->r->form == REPORT_TEXT)
		hierarchy_text_event(&m->table, &tree, out);
	else if (m->r->form == REPORT_CSV)
		report_export_csv_nested(&m->export, &tree, out);
	else
		report_export_json_nested(&m->export, &tree, out);
	report_tree_free(&tree);
}

static void put_table(struct making *m, struct table *t, struct buf *out)
{
	struct report_view view = {
		.keys = &m->c->keys,
		.samples = &m->c->events[t->event[0]],
		.places = &m->c->places,
		.entries = t->entries,
		.event = buf_str(&t->name),
		.samples_in_all = t->entries->samples,
		.weight_in_all = t->entries->weight,
		.children = m->c->children,
		.absent = m->absent,
		.widths = m->widths,
		.group = t->nr > 1 ? &t->group : NULL,
		.sort_member = (u32)MIN(m->r->group_sort, UINT32_MAX),
	};

	set_columns(m, t);
	if (m->r->how.hierarchy) {
		put_nested(m, &view, out);
		return;
	}
	out->failed |= !report_order_sort(&view);
	if (m->r->form == REPORT_TEXT)
		report_text_event(&m->table, &view, out);
	else if (m->r->form == REPORT_CSV)
		report_export_csv(&m->export, &view, out);
	else
		report_export_json(&m->export, &view, out);
}

/* "cycles"; "anon group { cycles, instructions }", or with its own name. */
static void set_name(const struct making *m, struct table *t)
{
	const char *group = event_of(m, t->event[0])->group_name;
	bool braces = t->nr > 1 && !t->forced;
	u32 i;

	if (braces)
		buf_addf(&t->name, "%s { ", group ? group : "anon group");
	for (i = 0; i < t->nr; i++) {
		buf_adds(&t->name, i ? ", " : "");
		buf_adds(&t->name, event_of(m, t->event[i])->name);
	}
	buf_adds(&t->name, braces ? " }" : "");
}

static int make_table(struct making *m, struct table *t, struct buf *out, struct err *err)
{
	struct report_samples *leader = &m->c->events[t->event[0]];
	int ret = 0;
	u32 i;

	for (i = 0; i < t->nr && !ret; i++) {
		ret = report_entries_make(&t->entries[i], &m->c->events[t->event[i]], &m->c->places,
					  m->c->children, err);
		t->members[i] = (struct report_member){
			.name = event_of(m, t->event[i])->name,
			.samples = &m->c->events[t->event[i]],
			.samples_in_all = t->entries[i].samples,
			.weight_in_all = t->entries[i].weight,
		};
	}
	t->group = (struct report_group){.members = t->members, .nr = t->nr};
	if (!ret && t->nr > 1)
		ret = report_group_make(&t->group, leader, t->entries, t->entries, err);
	if (!ret)
		ret = report_graphs_event(&m->graphs, leader, &m->c->places, t->entries, err);
	set_name(m, t);
	if (!ret)
		put_table(m, t, out);
	out->failed |= t->name.failed;
	report_group_free(&t->group);
	for (i = 0; i < t->nr; i++)
		report_entries_free(&t->entries[i]);
	buf_free(&t->name);
	return ret;
}

static bool any_group(const struct making *m)
{
	u32 i;

	for (i = 0; i < m->c->nr_events; i++)
		if (event_of(m, i)->in_group)
			return true;
	return false;
}

/* Is the event in one table with the one in front of it? */
static bool goes_on(const struct making *m, u32 event, bool all)
{
	const struct report *r = m->r;

	if (r->in.event || r->grouping == REPORT_NO_GROUPS ||
	    (r->grouping != REPORT_GROUP && r->form != REPORT_TEXT))
		return false;
	if (all)
		return !event_of(m, event)->sideband && !event_of(m, event - 1)->sideband;
	return event_of(m, event)->in_group;
}

/* The next table that has samples: its members in t->event, t->nr of them; 0: there is none. */
static u32 next_table(const struct making *m, u32 from, struct table *t)
{
	bool all = m->r->grouping == REPORT_GROUP && !any_group(m), any;
	u32 i = from;

	t->forced = all;
	do {
		any = false;
		t->nr = 0;
		do {
			any |= m->c->events[i].all_samples != 0;
			t->event[t->nr++] = i++;
		} while (i < m->c->nr_events && goes_on(m, i, all));
	} while (!any && i < m->c->nr_events);
	t->nr = any ? t->nr : 0;
	return i;
}

static u32 largest_table(const struct making *m, struct table *t)
{
	u32 at = 0, most = 1;

	while (at < m->c->nr_events) {
		at = next_table(m, at, t);
		most = MAX(most, t->nr);
	}
	return most;
}

static int put_tables(struct making *m, struct buf *out, struct err *err)
{
	u32 nr = m->c->nr_events, at = 0;
	struct table t = {
		.event = calloc((size_t)nr + 1, sizeof(*t.event)),
		.entries = calloc((size_t)nr + 1, sizeof(*t.entries)),
		.members = calloc((size_t)nr + 1, sizeof(*t.members)),
	};
	int ret = t.event && t.entries && t.members ? 0 : err_nomem(err);

	if (!ret && m->r->form == REPORT_CSV) {
		m->export.members = largest_table(m, &t);
		report_export_csv_head(&m->export, &m->c->keys, out);
	}
	while (at < nr && !ret) {
		at = next_table(m, at, &t);
		if (t.nr)
			ret = make_table(m, &t, out, err);
	}
	free(t.event);
	free(t.entries);
	free(t.members);
	return ret;
}

/* The only name that can be in the table, by one of these two lists; NULL: there may be several. */
static const char *only_name(const struct name_list *a, const struct name_list *b)
{
	const struct name_list *l = a->nr ? a : b;

	return l->nr == 1 && !l->except && !name_list_is_pattern(l->v[0]) ? l->v[0] : NULL;
}

static void set_forms(struct making *m)
{
	struct report *r = m->r;
	bool wanted = terminal_has_colour((enum colour_when)r->colour, STDOUT_FILENO);

	m->table = (struct report_text){
		.colours = {terminal_colour(wanted, COLOUR_RED),
			    terminal_colour(wanted, COLOUR_GREEN),
			    terminal_colour(wanted, COLOUR_OFF)},
		.separator = r->separator,
		.widths = r->widths.v,
		.fit = r->fit,
		.nr_widths = r->how.hierarchy ? 0 : r->widths.nr, /* as perf */
		.times = r->in.times,
		.percent_limit = r->percent_limit,
		.no_titles = r->in.quiet && !r->brief,
		.byte_widths = r->how.compat,
		.brief = r->brief,
		.max_rows = (u32)MIN(r->max_rows, (u64)UINT32_MAX),
		.elided = {only_name(&r->how.shown.comms, &r->in.filter.comms),
			   only_name(&r->how.places.dsos, &r->in.select.places.dsos),
			   only_name(&r->how.places.symbols, &r->in.select.places.symbols),
			   /* perf leaves callers without names */
			   m->c->children && !r->how.compat},
	};
	if (r->how.rows == REPORT_MEMORY_ROWS)
		m->table.memory = r->how.asked.sort ? r->how.asked.sort : r->how.asked.default_sort;
	report_graphs_init(&m->graphs, r, m->c->children && m->c->keys.nr_frame, &m->table.colours);
	m->table.below = m->graphs.below;
	m->export = (struct report_export){.percent_limit = r->percent_limit,
					   .children = m->c->children,
					   .more = m->graphs.more};
}

static void put_stacks_note(const struct reading *in, struct buf *out)
{
	size_t len = out->len;

	buf_adds(out, "# ");
	reading_stacks_note(in, out);
	if (out->len > len + 2)
		buf_addc(out, '\n');
	else
		out->len = len;
}

static int put_report(struct making *m, struct buf *out, struct err *err)
{
	const struct session *s = m->r->in.s;
	u64 lost = recording_lost(s->source->recording, session_lost(s));
	int ret;

	set_forms(m);
	switch (m->r->form) {
	case REPORT_TEXT:
		if (!m->table.no_titles && !m->table.brief && !m->r->how.compat)
			put_stacks_note(&m->r->in, out);
		report_text_head(&m->table, &m->c->keys, lost, out);
		break;
	case REPORT_CSV:
		break;
	default:
		json_open(out, '{');
		json_put_unsigned(out, "lost", lost);
		json_put_open(out, "events", '[');
	}
	ret = put_tables(m, out, err);
	if (m->r->form == REPORT_JSON)
		buf_adds(out, "]}\n");
	report_export_free(&m->export);
	report_graphs_free(&m->graphs);
	return ret;
}

int report_tables_put(struct report *r, struct report_count *c, struct buf *out, struct err *err)
{
	struct making m = {
		.r = r,
		.c = c,
		.absent = calloc((size_t)c->keys.keys.nr + 1, sizeof(*m.absent)),
		.widths = calloc((size_t)c->keys.keys.nr + 1, sizeof(*m.widths)),
	};
	int ret = m.absent && m.widths ? put_report(&m, out, err) : err_nomem(err);

	free(m.absent);
	free(m.widths);
	return ret;
}
