// SPDX-License-Identifier: GPL-2.0
#include "util/format/report_export.h"

#include <string.h>

#include "util/base/json.h"
#include "util/base/text.h"

void report_export_free(struct report_export *x)
{
	buf_free(&x->cell);
}

static void put_escaped(const char *s, struct buf *cell, struct buf *out)
{
	buf_clear(cell);
	text_escape(cell, s, strlen(s));
	text_csv(out, buf_str(cell), cell->len);
}

/* Without the blanks that align a table. */
static const char *plain_cell(struct report_export *x, const struct report_view *v,
			      const struct report_entry *e, u32 key)
{
	const char *s;

	buf_clear(&x->cell);
	report_view_put(v, e, key, &x->cell);
	s = buf_str(&x->cell);
	if (v->keys->keys.v[key].kind == REPORT_PID || v->keys->keys.v[key].kind == REPORT_TGID)
		while (*s == ' ')
			s++;
	return s;
}

void report_export_csv_head(const struct report_export *x, const struct report_keys *keys,
			    struct buf *out)
{
	struct buf cell = {0};
	u32 i;

	buf_adds(out, "event,overhead,samples,period");
	if (x->children)
		buf_adds(out, ",children_overhead,children_samples,children_period");
	for (i = 0; i < keys->shown.nr; i++) {
		if (keys->shown.v[i].key == ID_NONE)
			continue;
		buf_addc(out, ',');
		put_escaped(report_keys_name(keys, &keys->shown.v[i]), &cell, out);
	}
	buf_addc(out, '\n');
	buf_free(&cell);
}

static void put_csv_numbers(const struct report_export *x, const struct report_view *v,
			    const struct report_entry *e, struct buf *out)
{
	buf_addc(out, ',');
	json_double(out, report_view_percent(v, e->weight));
	buf_addf(out, ",%llu,%llu", (unsigned long long)e->samples, (unsigned long long)e->weight);
	if (!x->children)
		return;
	buf_addc(out, ',');
	json_double(out, report_view_percent(v, e->all_weight));
	buf_addf(out, ",%llu,%llu", (unsigned long long)e->all_samples,
		 (unsigned long long)e->all_weight);
}

void report_export_csv(struct report_export *x, const struct report_view *v, struct buf *out)
{
	const struct report_columns *shown = &v->keys->shown;
	const struct report_entry *e;
	const char *s;
	u32 i, k;

	for (i = 0; i < v->entries->v.nr; i++) {
		e = &v->entries->v.v[i];
		if (report_view_share(v, e) < x->percent_limit)
			continue;
		put_escaped(v->event, &x->cell, out);
		put_csv_numbers(x, v, e, out);
		for (k = 0; k < shown->nr; k++) {
			if (shown->v[k].key == ID_NONE)
				continue;
			buf_addc(out, ',');
			if (!report_view_shows(v, &shown->v[k]))
				continue;
			s = plain_cell(x, v, e, shown->v[k].key);
			text_csv(out, s, strlen(s));
		}
		buf_addc(out, '\n');
	}
	out->failed |= x->cell.failed;
}

static void put_json_numbers(const struct report_view *v, u64 samples, u64 weight, struct buf *out)
{
	json_key(out, "overhead");
	json_double(out, report_view_percent(v, weight));
	json_key(out, "samples");
	json_unsigned(out, samples);
	json_key(out, "period");
	json_unsigned(out, weight);
}

/* Numbers are numbers; threads have a name besides. */
static void put_json_key(struct report_export *x, const struct report_view *v,
			 const struct report_entry *e, const struct report_column *c,
			 struct buf *out)
{
	const struct report_symbol *symbol;
	const char *name = report_keys_name(v->keys, c), *s;
	u64 value = report_view_value(v, e, c->key);

	json_key_escaped(out, name, strlen(name));
	if (c->kind == REPORT_CPU) {
		json_unsigned(out, value);
		return;
	}
	s = plain_cell(x, v, e, c->key);
	json_string(out, s, strlen(s));
	if (c->kind != REPORT_SYMBOL)
		return;
	symbol = &v->places->symbols.v[value];
	json_key(out, "level");
	json_string(out, symbol->level == '!' ? "." : &symbol->level, 1);
	if (symbol->inlined) {
		json_key(out, "inlined");
		json_bool(out, true);
	}
}

static void put_json_entry(struct report_export *x, const struct report_view *v,
			   const struct report_entry *e, struct buf *out)
{
	const struct report_columns *shown = &v->keys->shown;
	u32 i;

	json_open(out, '{');
	put_json_numbers(v, e->samples, e->weight, out);
	if (x->children) {
		json_key(out, "children");
		json_open(out, '{');
		put_json_numbers(v, e->all_samples, e->all_weight, out);
		buf_addc(out, '}');
	}
	for (i = 0; i < shown->nr; i++)
		if (shown->v[i].key != ID_NONE && report_view_shows(v, &shown->v[i]))
			put_json_key(x, v, e, &shown->v[i], out);
	if (x->more)
		x->more->put(x->more, v, e, out);
	buf_addc(out, '}');
}

void report_export_json(struct report_export *x, const struct report_view *v, struct buf *out)
{
	const struct report_columns *shown = &v->keys->shown;
	const char *name;
	u32 i;

	json_item(out);
	json_open(out, '{');
	json_key(out, "event");
	buf_clear(&x->cell);
	text_escape(&x->cell, v->event, strlen(v->event));
	json_string(out, buf_str(&x->cell), x->cell.len);
	json_key(out, "samples");
	json_unsigned(out, v->samples_in_all);
	json_key(out, "period");
	json_unsigned(out, v->weight_in_all);
	json_key(out, "keys");
	json_open(out, '[');
	for (i = 0; i < shown->nr; i++) {
		if (shown->v[i].key == ID_NONE || !report_view_shows(v, &shown->v[i]))
			continue;
		json_item(out);
		name = report_keys_name(v->keys, &shown->v[i]);
		json_string(out, name, strlen(name));
	}
	buf_addc(out, ']');
	json_key(out, "entries");
	json_open(out, '[');
	for (i = 0; i < v->entries->v.nr; i++) {
		if (report_view_share(v, &v->entries->v.v[i]) < x->percent_limit)
			continue;
		json_item(out);
		put_json_entry(x, v, &v->entries->v.v[i], out);
	}
	buf_adds(out, "]}");
	out->failed |= x->cell.failed;
}
