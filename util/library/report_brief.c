// SPDX-License-Identifier: GPL-2.0
#include "util/library/report_brief.h"

#include <errno.h>
#include <stdlib.h>

/* A field with more values than this names things, and does not sort them. */
#define FIELD_VALUES_MAX 2048
#define FIELDS_MAX       32     /* of an event */
#define FIELD_TABLES_MAX 65536u /* times the events of the recording */

void report_brief_needs(struct source_want *want)
{
	want->no_raw = false;
	want->traces = false;
	want->no_chains = false;
	want->addresses = false;
	want->grouped = true;
}

/* `plain`: without call chains. */
static int add_table(struct report_brief *b, const char *keys, u32 event, bool plain,
		     struct err *err)
{
	struct report_brief_table **to = vec_push(&b->tables), *t;

	t = to ? calloc(1, sizeof(*t)) : NULL;
	if (!t) {
		b->tables.nr -= to != NULL;
		return err_nomem(err);
	}
	*to = t;
	t->event = event;
	t->how = *b->how;
	t->how.no_graphs = false;
	t->how.rows = REPORT_SAMPLE_ROWS;
	t->how.asked = (struct report_asked){.sort = keys};
	if (plain) {
		t->how.children = REPORT_WITHOUT;
		t->how.graph.type = CALL_GRAPH_NONE;
	}
	t->how.asked.cpu_modes = b->tables.nr - 1 == REPORT_BRIEF_COMMS;
	return report_count_init(&t->count, &t->how, b->in->s, err);
}

static void give_up(struct report_brief_table *t)
{
	t->given_up = true;
	report_count_free(&t->count);
}

static bool is_code(const struct report_brief_table *t)
{
	const u8 shape = sample_values_take(&t->count.values, t->event, 0)->shape;

	return shape && t->count.values.shapes.v[shape - 1].format.as == TP_SHOWN_SYMBOL;
}

static int add_field(struct report_brief *b, u32 event, const struct tp_format *f,
		     const struct tp_field *field, struct err *err)
{
	/* names of keys are these, unless the event is named as well */
	const bool key = sample_keys_perf(field->name) != KEY_NONE;
	char *word = key ? arena_printf(&b->brief.arena, "%s.%s", f->name, field->name)
			 : arena_strdup(&b->brief.arena, field->name);

	struct err why;
	int ret = word ? add_table(b, word, event, true, &why) : -ENOMEM;

	if (ret == -ENOMEM)
		return err_nomem(err);
	/* a name that is no key; pointers are different each time, but to code */
	if (ret || (field->is_pointer && !is_code(b->tables.v[b->tables.nr - 1])))
		give_up(b->tables.v[b->tables.nr - 1]);
	return 0;
}

/* Arrays other than texts are no numbers to sort by. */
static bool is_wanted(const struct tp_field *f)
{
	return !f->is_common && (f->is_string || !f->is_array || f->size <= 16);
}

/* An event that has no samples costs nothing; many events have no fields, since each table knows all events. */
static int add_fields(struct report_brief *b, u32 event, struct err *err)
{
	struct session *s = b->in->s;
	const struct tp_format *f = event < s->nr_events ? s->formats[event] : NULL;
	const u32 max = FIELD_TABLES_MAX / MAX(s->nr_events, 1u);
	struct report_brief_seen *seen = &b->events[event];
	int ret = 0;
	u32 i;

	seen->any = true;
	seen->first = b->tables.nr;
	for (i = 0; f && i < f->nr_fields && seen->nr < FIELDS_MAX && b->tables.nr < max; i++) {
		if (!is_wanted(&f->fields[i]))
			continue;
		ret = add_field(b, event, f, &f->fields[i], err);
		if (ret)
			break;
		seen->nr++;
	}
	/* the last table to be made has said what it needs, which is less */
	s->options.no_stacks = !b->chains;
	return ret;
}

static void name_functions(struct report_keys *k)
{
	u32 i;

	/* addresses without a name would be a row each: they are one by their file */
	for (i = 0; i < k->keys.nr; i++)
		if (k->keys.v[i].kind == KEY_SYMBOL)
			k->keys.v[i].kind = KEY_FUNCTION;
}

static int make_tables(struct report_brief *b, struct err *err)
{
	struct session *s = b->in->s;
	int ret;

	b->events = calloc((size_t)s->source->recording->events.events.nr + 1, sizeof(*b->events));
	ret = b->events ? add_table(b, "dso,symbol", ID_NONE, false, err) : err_nomem(err);
	if (ret)
		return ret;
	name_functions(&b->tables.v[0]->count.keys);
	b->chains = !s->options.no_stacks;
	ret = add_table(b, "dso", ID_NONE, true, err);
	if (!ret)
		ret = add_table(b, "comm", ID_NONE, true, err);
	if (!ret)
		ret = add_table(b, "tid", ID_NONE, true, err);
	s->options.no_stacks = !b->chains;
	return ret;
}

/* Events that go on while a CPU does something, or nothing: clocks, and what its counters count. */
static bool is_of_time(const struct perf_event_attr *a)
{
	return a->type != PERF_TYPE_TRACEPOINT &&
	       (a->type != PERF_TYPE_SOFTWARE || event_set_is_clock(a));
}

/* 1: the CPU had nothing to do, so the sample is not where time went. */
static int is_idle(struct report_brief *b, const struct session_sample *s, struct err *err)
{
	int ret;

	if (!is_of_time(&s->desc->attr) || !s->thread || s->thread->tid)
		return 0;
	ret = place_filter_pass(&b->idle, b->in->s->symboliser, s, err);
	return ret < 0 ? ret : !ret;
}

static void count_idle(struct report_brief *b, const struct session_sample *s)
{
	struct report_brief_seen *seen = &b->events[s->event];

	seen->idle_samples += s->samples;
	seen->idle_weight = stack_weights_sum(seen->idle_weight, s->sample->period, s->samples);
}

static int count_fields(struct report_brief *b, const struct session_sample *s, struct err *err)
{
	const struct report_brief_seen *seen = &b->events[s->event];
	struct report_brief_table *t;
	int ret = 0;
	u32 i;

	for (i = seen->first; i < seen->first + seen->nr && !ret; i++) {
		t = b->tables.v[i];
		if (t->given_up)
			continue;
		ret = report_count_add(&t->count, s, err);
		if (t->count.events[s->event].nr_roots > FIELD_VALUES_MAX)
			give_up(t);
	}
	return ret;
}

static int count_tables(struct report_brief *b, const struct session_sample *s, struct err *err)
{
	int ret = 0;
	u32 i;

	if (!b->events[s->event].any)
		ret = add_fields(b, s->event, err);
	for (i = 0; i < REPORT_BRIEF_FIELDS && !ret; i++)
		ret = report_count_add(&b->tables.v[i]->count, s, err);
	return ret ? ret : count_fields(b, s, err);
}

int report_brief_add(struct report_brief *b, const struct session_sample *s, struct err *err)
{
	const u64 last = s->last > s->sample->ids.time ? s->last : s->sample->ids.time;
	int idle;

	if (s->event >= b->tables.v[0]->count.nr_events)
		return 0;
	if (s->sample->ids.has & PERF_SAMPLE_TIME) {
		b->first = b->samples ? MIN(b->first, s->sample->ids.time) : s->sample->ids.time;
		b->last = MAX(b->last, last);
	}
	b->samples += s->samples;
	idle = is_idle(b, s, err);
	if (idle > 0)
		count_idle(b, s);
	return idle ? MIN(idle, 0) : count_tables(b, s, err);
}

const char *report_brief_keep(struct report_brief *b, const struct buf *text, struct err *err)
{
	char *s = text->failed ? NULL : arena_strndup(&b->brief.arena, buf_str(text), text->len);

	if (!s)
		err_nomem(err);
	return s;
}

static bool has_samples(const struct report_brief *b, u32 event)
{
	return b->tables.v[0]->count.events[event].all_samples || b->events[event].idle_samples;
}

int report_brief_make(struct report_brief *b, const char *damage, struct err *err)
{
	u32 e, nr = b->tables.v[0]->count.nr_events, nr_sampled = 0;
	int ret = 0;

	for (e = 0; e < nr; e++)
		nr_sampled += has_samples(b, e);
	b->several = nr_sampled > 1;
	for (e = 0; e < nr && !ret; e++)
		if (has_samples(b, e))
			ret = report_brief_event(b, e, err);
	if (!ret)
		ret = report_brief_head(b, damage, err);
	return ret ? ret : brief_choose(&b->brief, b->lines, err);
}

int report_brief_init(struct report_brief *b, struct err *err)
{
	int ret = place_filter_no_idle(&b->idle, err);

	return ret ? ret : make_tables(b, err);
}

void report_brief_free(struct report_brief *b)
{
	u32 i;

	for (i = 0; i < b->tables.nr; i++) {
		report_count_free(&b->tables.v[i]->count);
		free(b->tables.v[i]);
	}
	vec_free(&b->tables);
	free(b->events);
	place_filter_free(&b->idle);
	brief_free(&b->brief);
}
