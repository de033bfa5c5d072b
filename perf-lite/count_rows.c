// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/count.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/json.h"
#include "util/base/table.h"
#include "util/base/text.h"
#include "util/format/openmetrics.h"

static int compare(const void *a, const void *b)
{
	const struct count_counter *x = a, *y = b;
	int names;

	if (x->nr != y->nr)
		return x->nr < y->nr ? 1 : -1;
	names = x->event ? strcmp(x->event, y->event) : 0;
	if (names)
		return names;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return strcmp(x->filter ? x->filter : "", y->filter ? y->filter : "");
}

static bool is_shown(const struct count_counter *b)
{
	return !b->missing && (b->nr || !b->quiet);
}

/* Those that are shown come first, in their order: how many. */
static u32 sort(struct count_rows *l)
{
	struct count_counter kept;
	u32 i, nr = 0;

	for (i = 0; i < l->nr; i++) {
		if (!is_shown(&l->v[i]))
			continue;
		kept = l->v[nr];
		l->v[nr++] = l->v[i];
		l->v[i] = kept;
	}
	if (nr)
		qsort(l->v, nr, sizeof(*l->v), compare);
	return nr;
}

static u64 total(const struct count_counter *v, u32 nr)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < nr; i++)
		sum += v[i].nr;
	return sum;
}

static bool has_units(const struct count_counter *v, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (v[i].unit)
			return true;
	return false;
}

static bool has_sum(const struct count_counter *v, u32 nr)
{
	const struct count_counter *first = NULL;
	u32 i;

	for (i = 0; i < nr; i++) {
		if (!is_shown(&v[i]))
			continue;
		first = first ? first : &v[i];
		if (!v[i].unit != !first->unit)
			return false;
	}
	return true;
}

bool count_rows_have_sum(const struct count_rows *l)
{
	return has_sum(l->v, l->nr);
}

static void put_event(const struct count_counter *b, struct buf *out)
{
	text_escape(out, b->event, strlen(b->event));
	if (!b->filter)
		return;
	buf_adds(out, "  ");
	text_escape(out, b->filter, strlen(b->filter));
}

static void put_text(const struct count_counter *v, u32 nr, u32 shown, struct count_output *o)
{
	bool events = nr && v[0].event, cpus = nr && v[0].cpu != ID_NONE;
	const bool units = has_units(v, nr), sum = has_sum(v, nr);
	u64 all = total(v, nr), rest = total(v + shown, nr - shown);
	struct table t = {0};
	struct buf *cell;
	u32 i;

	if (o->heading.len)
		buf_addf(&o->body, "%s\n", buf_str(&o->heading));
	table_column(&t, &(struct table_column){.right = true, .min = 8});
	table_column(&t, &(struct table_column){.gap = units ? 1 : 0});
	table_column(&t, &(struct table_column){.gap = 2});
	table_column(&t, &(struct table_column){.right = true, .gap = 2, .min = 3});
	table_row(&t);
	buf_adds(table_cell(&t), "count");
	table_cell(&t);
	buf_adds(table_cell(&t), events ? "event" : "");
	buf_adds(table_cell(&t), cpus ? "cpu" : "");
	table_style(&t, o->bold, o->off, 4);
	for (i = 0; i < shown; i++) {
		table_row(&t);
		buf_dec(table_cell(&t), v[i].nr, 0);
		buf_adds(table_cell(&t), v[i].unit ? v[i].unit : "");
		cell = table_cell(&t);
		if (events)
			put_event(&v[i], cell);
		cell = table_cell(&t);
		if (cpus)
			buf_dec(cell, v[i].cpu, 0);
	}
	if (shown < nr && !sum)
		buf_addf(table_text(&t), "... and %u more\n", nr - shown);
	else if (shown < nr)
		buf_addf(table_text(&t), "... and %u more: %llu (%.1f %%)\n", nr - shown,
			 (unsigned long long)rest, all ? (double)rest * 100 / (double)all : 0);
	if (nr != 1 && sum) {
		table_row(&t);
		buf_dec(table_cell(&t), all, 0);
		buf_adds(table_cell(&t), units ? v[0].unit : "");
		buf_adds(table_tail(&t), "total");
	}
	table_put(&t, 0, &o->body);
	table_free(&t);
}

static double running_percent(const struct count_counter *b)
{
	/* never all of it */
	return MIN((double)b->running * 100 / (double)b->enabled, 99.9);
}

static void put_names(const struct count_counter *b, struct buf *out)
{
	if (b->event)
		json_put_string(out, "event", b->event);
	if (b->filter)
		json_put_string(out, "filter", b->filter);
	if (b->cpu != ID_NONE)
		json_put_unsigned(out, "cpu", b->cpu);
}

static void put_json(const struct count_counter *v, u32 nr, u32 shown, struct count_output *o)
{
	bool events = nr && v[0].event, cpus = nr && v[0].cpu != ID_NONE, sum = has_sum(v, nr);
	struct buf *out = &o->body;
	u32 i;

	buf_addf(out, "{%s", buf_str(&o->members));
	if (sum)
		json_put_unsigned(out, "samples", total(v, nr));
	buf_addf(out, ",\"keys\":[%s%s%s],\"rows\":[", events ? "\"event\"" : "",
		 events && cpus ? "," : "", cpus ? "\"cpu\"" : "");
	for (i = 0; i < shown; i++) {
		json_open_item(out, '{');
		put_names(&v[i], out);
		json_put_unsigned(out, "count", v[i].nr);
		if (v[i].unit)
			json_put_string(out, "unit", v[i].unit);
		if (v[i].running < v[i].enabled)
			buf_addf(out, ",\"running_percent\":%.1f", running_percent(&v[i]));
		buf_addc(out, '}');
	}
	buf_addf(out, "],\"rest\":{\"rows\":%u", nr - shown);
	if (sum)
		buf_addf(out, ",\"count\":%llu},\"total\":{\"count\":%llu",
			 (unsigned long long)total(v + shown, nr - shown),
			 (unsigned long long)total(v, nr));
	buf_adds(out, "}}\n");
}

static void put_csv(const struct count_counter *v, u32 nr, u32 shown, struct count_output *o)
{
	bool events = nr && v[0].event, cpus = nr && v[0].cpu != ID_NONE, units = has_units(v, nr);
	struct buf *out = &o->body;
	u32 i;

	if (has_sum(v, nr))
		count_output_left_out(o, nr - shown, total(v + shown, nr - shown));
	else if (shown < nr)
		buf_addf(&o->notes, "left out by --top: %u row%s\n", nr - shown,
			 TEXT_PLURAL(nr - shown));
	buf_addf(out, "count%s%s%s\n", events ? ",event,filter" : "", cpus ? ",cpu" : "",
		 units ? ",unit" : "");
	for (i = 0; i < shown; i++) {
		buf_dec(out, v[i].nr, 0);
		if (events) {
			buf_addc(out, ',');
			text_csv(out, v[i].event, strlen(v[i].event));
			buf_addc(out, ',');
			if (v[i].filter)
				text_csv(out, v[i].filter, strlen(v[i].filter));
		}
		if (cpus)
			buf_addf(out, ",%u", v[i].cpu);
		if (units)
			buf_addf(out, ",%s", v[i].unit ? v[i].unit : "");
		buf_addc(out, '\n');
	}
}

static void add_label(struct openmetrics_labels *labels, const char *name, const char *text)
{
	struct buf b = {0};

	text_escape(&b, text, strlen(text));
	openmetrics_key(labels, name, b.data, b.len);
	labels->text.failed |= b.failed;
	buf_free(&b);
}

static int put_labels(const struct count_counter *v, struct openmetrics_labels *labels,
		      struct err *err)
{
	char cpu[16];

	openmetrics_labels_clear(labels);
	if (v->event)
		add_label(labels, "event", v->event);
	if (v->filter)
		add_label(labels, "filter", v->filter);
	if (v->unit)
		add_label(labels, "unit", v->unit);
	snprintf(cpu, sizeof(cpu), "%u", v->cpu);
	if (v->cpu != ID_NONE)
		add_label(labels, "cpu", cpu);
	return openmetrics_labels_distinct(labels, err);
}

static void put_counts(const struct count_counter *v, u32 nr, struct buf *out)
{
	static const char name[] = "perf_lite_count";
	struct openmetrics_labels labels = {0};
	u32 i;

	openmetrics_family(out, name, "counter", NULL, "Events.");
	for (i = 0; i < nr && !out->failed; i++) {
		out->failed |= put_labels(&v[i], &labels, NULL) != 0;
		openmetrics_sample(out, name, "_total", &labels, NULL);
		openmetrics_number(out, v[i].nr, false);
	}
	openmetrics_labels_free(&labels);
}

/* Of events whose count is an estimate; those from number `nr` on are not counted at all. */
static void put_running(const struct count_rows *l, u32 nr, struct buf *out)
{
	static const char name[] = "perf_lite_count_running_ratio";
	struct openmetrics_labels labels = {0};
	const struct count_counter *b;
	bool any = false;
	u32 i;

	for (i = 0; i < l->nr && !out->failed; i++) {
		b = &l->v[i];
		if (i < nr ? b->running >= b->enabled : !b->missing)
			continue;
		if (!any)
			openmetrics_family(
				out, name, "gauge", NULL,
				"The part of the time in which an event was counted, if it is not all of it: its count is an estimate.");
		any = true;
		out->failed |= put_labels(b, &labels, NULL) != 0;
		openmetrics_sample(out, name, "", &labels, NULL);
		/* written as ns are: with a point before the last nine digits */
		openmetrics_number(
			out, i < nr ? (__int128)b->running * 1000000000 / (__int128)b->enabled : 0,
			true);
	}
	openmetrics_labels_free(&labels);
}

static void put_name(const struct count_counter *b, struct buf *out)
{
	if (b->event)
		put_event(b, out);
	else
		buf_adds(out, "an event");
	if (b->cpu != ID_NONE)
		buf_addf(out, " on CPU %u", b->cpu);
}

/* What was not counted, or not all of the time. */
static void put_notes(const struct count_rows *l, u32 nr, struct buf *out)
{
	const struct count_counter *b;
	u32 i;

	for (i = 0; i < l->nr; i++) {
		b = &l->v[i];
		if (i < nr && b->running >= b->enabled)
			continue;
		if (i >= nr && !b->missing)
			continue;
		put_name(b, out);
		if (i < nr)
			buf_addf(out,
				 " was counted for %.1f %% of the time: its count is an estimate\n",
				 running_percent(b));
		else
			buf_addf(out, " is not counted: %s\n", b->missing);
	}
}

void count_rows_put(struct count_rows *l, struct count_output *o, u32 height)
{
	u32 nr = sort(l), shown = nr;
	const struct count_request *q = o->q;

	if (q->top)
		shown = (u32)MIN((u64)nr, q->top);
	/* titles, the line of the rest, the total */
	if (height)
		shown = MIN(shown, height > 5 ? height - 4 : 1);
	if (q->form != COUNT_FORM_METRICS)
		put_notes(l, nr, q->form == COUNT_FORM_TEXT ? &o->foot : &o->notes);
	switch (q->form) {
	case COUNT_FORM_JSON:
		put_json(l->v, nr, shown, o);
		break;
	case COUNT_FORM_CSV:
		put_csv(l->v, nr, shown, o);
		break;
	case COUNT_FORM_METRICS:
		put_counts(l->v, nr, &o->body);
		put_running(l, nr, &o->body);
		break;
	default:
		put_text(l->v, nr, shown, o);
	}
}
