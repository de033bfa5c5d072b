// SPDX-License-Identifier: GPL-2.0
#include "util/format/report_export.h"

#include <string.h>

#include "util/base/json.h"
#include "util/base/text.h"

void report_export_free(struct report_export *x)
{
	buf_free(&x->cell);
}

static const struct report_symbol *symbol_of(const struct report_view *v,
					     const struct report_entry *e, u32 key)
{
	return &v->places->symbols.v[report_view_value(v, e, key)];
}

/* Without the blanks that align a table. NULL: a function where samples have no address. */
static const char *plain_cell(struct report_export *x, const struct report_view *v,
			      const struct report_entry *e, u32 key)
{
	const char *s;

	if (v->keys->keys.v[key].kind == KEY_SYMBOL && symbol_of(v, e, key)->level == '!')
		return NULL;
	buf_clear(&x->cell);
	report_view_put(v, e, key, &x->cell);
	s = buf_str(&x->cell);
	if (v->keys->keys.v[key].kind == KEY_THREAD || v->keys->keys.v[key].kind == KEY_PROCESS)
		while (*s == ' ')
			s++;
	return s;
}

/* Besides the numbers that all rows have. */
static bool has_column(const struct report_column *c)
{
	return c->key != ID_NONE || sample_key_is_of_mode(c->kind);
}

static double mode_percent(const struct report_view *v, const struct report_numbers *n,
			   enum sample_key_kind kind)
{
	return report_view_column_percent(v, 0, kind, report_view_member(v, n, kind));
}

void report_export_csv_head(const struct report_export *x, const struct report_keys *keys,
			    struct buf *out)
{
	const char *name;
	u32 i, m;

	buf_adds(out, "event,overhead,samples,period");
	if (x->children)
		buf_adds(out, ",children_overhead,children_samples,children_period");
	for (i = 0; i < keys->shown.nr; i++) {
		if (!has_column(&keys->shown.v[i]))
			continue;
		buf_addc(out, ',');
		name = report_keys_name(keys, &keys->shown.v[i]);
		text_csv(out, name, strlen(name));
	}
	for (m = 2; m <= x->members; m++) {
		buf_addf(out, ",overhead_%u,samples_%u,period_%u", m, m, m);
		if (x->children)
			buf_addf(out,
				 ",children_overhead_%u,children_samples_%u,children_period_%u", m,
				 m, m);
	}
	buf_addc(out, '\n');
}

static void put_csv_number(double percent, u64 samples, u64 weight, struct buf *out)
{
	buf_addc(out, ',');
	json_rounded(out, percent);
	buf_addf(out, ",%llu,%llu", (unsigned long long)samples, (unsigned long long)weight);
}

/* What a member of the group has in a row; empty where there is none. */
static void put_csv_member(const struct report_export *x, const struct report_view *v, u32 m,
			   const struct report_numbers *n, struct buf *out)
{
	if (m && (!v->group || m >= v->group->nr)) {
		buf_adds(out, x->children ? ",,,,,," : ",,,");
		return;
	}
	n += m;
	put_csv_number(report_view_member_percent(v, m, n->weight), n->samples, n->weight, out);
	if (x->children)
		put_csv_number(report_view_member_percent(v, m, n->all_weight), n->all_samples,
			       n->all_weight, out);
}

/* A row: its numbers, first those of the leader, and keys up to the last one that it has. */
static void put_csv_row(struct report_export *x, const struct report_view *v,
			const struct report_entry *e, const struct report_numbers *n,
			const struct report_column *last, struct buf *out)
{
	const struct report_columns *shown = &v->keys->shown;
	bool beyond = false;
	const char *s;
	u32 k, m;

	text_csv(out, v->event, strlen(v->event));
	put_csv_member(x, v, 0, n, out);
	for (k = 0; k < shown->nr; k++) {
		if (!has_column(&shown->v[k]))
			continue;
		buf_addc(out, ',');
		if (shown->v[k].key == ID_NONE) {
			json_double(out, mode_percent(v, n, shown->v[k].kind));
			continue;
		}
		if (beyond || !report_view_shows(v, &shown->v[k]))
			continue;
		s = plain_cell(x, v, e, shown->v[k].key);
		if (s)
			text_csv(out, s, strlen(s));
		beyond = &shown->v[k] == last;
	}
	for (m = 1; m < x->members; m++)
		put_csv_member(x, v, m, n, out);
	buf_addc(out, '\n');
}

/* The numbers of a row, of each member; *own holds those of an event that is in no group. */
static const struct report_numbers *numbers_of(const struct report_view *v,
					       const struct report_entry *e,
					       struct report_numbers *own)
{
	if (v->group)
		return report_group_row(v->group, e);
	*own = report_entries_numbers(v->entries, e);
	return own;
}

void report_export_csv(struct report_export *x, const struct report_view *v, struct buf *out)
{
	const struct report_entry *e;
	struct report_numbers own;
	u32 i;

	for (i = 0; i < v->entries->v.nr; i++) {
		e = &v->entries->v.v[i];
		if (report_view_share(v, e) >= x->percent_limit)
			put_csv_row(x, v, e, numbers_of(v, e, &own), NULL, out);
	}
	out->failed |= x->cell.failed;
}

static void put_csv_nodes(struct report_export *x, const struct report_tree *t, u32 first, u32 nr,
			  struct buf *out)
{
	const struct report_tree_node *n;
	u32 i;

	for (i = first; i < first + nr; i++) {
		n = &t->nodes.v[i];
		if (report_view_percent(t->view, n->entry.weight) < x->percent_limit)
			continue;
		put_csv_row(x, t->view, &n->entry, report_tree_numbers(t, n), t->levels.v[n->level],
			    out);
		put_csv_nodes(x, t, n->child, n->nr_children, out);
	}
}

void report_export_csv_nested(struct report_export *x, const struct report_tree *t, struct buf *out)
{
	put_csv_nodes(x, t, 0, t->nr_roots, out);
	out->failed |= x->cell.failed;
}

static void put_json_numbers(double percent, u64 samples, u64 weight, struct buf *out)
{
	json_put_double(out, "overhead", percent);
	json_put_unsigned(out, "samples", samples);
	json_put_unsigned(out, "period", weight);
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
	if (c->kind == KEY_CPU || c->kind == KEY_PARALLELISM) {
		sample_values_json(v->samples->key_values, c->key, value, out);
		return;
	}
	s = plain_cell(x, v, e, c->key);
	if (!s) {
		buf_adds(out, "null,\"level\":null");
		return;
	}
	json_string(out, s, strlen(s));
	if (c->kind != KEY_SYMBOL)
		return;
	symbol = symbol_of(v, e, c->key);
	json_key(out, "level");
	json_string(out, &symbol->level, 1);
	if (symbol->inlined)
		json_put_bool(out, "inlined", true);
}

static void put_json_member(const struct report_export *x, const struct report_view *v, u32 m,
			    const struct report_numbers *n, struct buf *out)
{
	n += m;
	put_json_numbers(report_view_member_percent(v, m, n->weight), n->samples, n->weight, out);
	if (!x->children)
		return;
	json_put_open(out, "children", '{');
	put_json_numbers(report_view_member_percent(v, m, n->all_weight), n->all_samples,
			 n->all_weight, out);
	buf_addc(out, '}');
}

/* What a row has beside its keys. */
static void put_json_sums(const struct report_export *x, const struct report_view *v,
			  const struct report_numbers *n, struct buf *out)
{
	const struct report_columns *shown = &v->keys->shown;
	const char *name;
	u32 i, m;

	put_json_member(x, v, 0, n, out);
	for (i = 0; i < shown->nr; i++) {
		if (!sample_key_is_of_mode(shown->v[i].kind))
			continue;
		name = report_keys_name(v->keys, &shown->v[i]);
		json_key_escaped(out, name, strlen(name));
		json_double(out, mode_percent(v, n, shown->v[i].kind));
	}
	if (!v->group)
		return;
	json_put_open(out, "group", '[');
	for (m = 0; m < v->group->nr; m++) {
		json_open_item(out, '{');
		put_json_member(x, v, m, n, out);
		buf_addc(out, '}');
	}
	buf_addc(out, ']');
}

static void put_json_entry(struct report_export *x, const struct report_view *v,
			   const struct report_entry *e, struct buf *out)
{
	const struct report_columns *shown = &v->keys->shown;
	struct report_numbers own;
	u32 i;

	json_open(out, '{');
	put_json_sums(x, v, numbers_of(v, e, &own), out);
	for (i = 0; i < shown->nr; i++)
		if (shown->v[i].key != ID_NONE && report_view_shows(v, &shown->v[i]))
			put_json_key(x, v, e, &shown->v[i], out);
	if (x->more)
		x->more->put(x->more, v, e, out);
	buf_addc(out, '}');
}

static void put_json_nodes(struct report_export *x, const struct report_tree *t, u32 first, u32 nr,
			   struct buf *out)
{
	const struct report_tree_node *n;
	u32 i;

	json_put_open(out, "entries", '[');
	for (i = first; i < first + nr; i++) {
		n = &t->nodes.v[i];
		if (report_view_percent(t->view, n->entry.weight) < x->percent_limit)
			continue;
		json_open_item(out, '{');
		put_json_sums(x, t->view, report_tree_numbers(t, n), out);
		put_json_key(x, t->view, &n->entry, t->levels.v[n->level], out);
		if (n->nr_children)
			put_json_nodes(x, t, n->child, n->nr_children, out);
		else if (x->more)
			x->more->put(x->more, t->view, &n->entry, out);
		buf_addc(out, '}');
	}
	buf_addc(out, ']');
}

static void put_json_group(const struct report_group *g, struct buf *out)
{
	u32 m;

	json_put_open(out, "group", '[');
	for (m = 0; m < g->nr; m++) {
		json_item(out);
		json_name(out, g->members[m].name, strlen(g->members[m].name));
	}
	buf_addc(out, ']');
}

/* All of an event that comes before its rows. */
static void put_json_event(const struct report_view *v, struct buf *out)
{
	const struct report_columns *shown = &v->keys->shown;
	const char *name;
	u32 i;

	json_open_item(out, '{');
	json_put_name(out, "event", v->event);
	if (v->group)
		put_json_group(v->group, out);
	json_put_unsigned(out, "samples", v->samples_in_all);
	json_put_unsigned(out, "period", v->weight_in_all);
	json_put_open(out, "keys", '[');
	for (i = 0; i < shown->nr; i++) {
		if (shown->v[i].key == ID_NONE || !report_view_shows(v, &shown->v[i]))
			continue;
		json_item(out);
		name = report_keys_name(v->keys, &shown->v[i]);
		json_string(out, name, strlen(name));
	}
	buf_addc(out, ']');
}

void report_export_json(struct report_export *x, const struct report_view *v, struct buf *out)
{
	u32 i;

	put_json_event(v, out);
	json_put_open(out, "entries", '[');
	for (i = 0; i < v->entries->v.nr; i++) {
		if (report_view_share(v, &v->entries->v.v[i]) < x->percent_limit)
			continue;
		json_item(out);
		put_json_entry(x, v, &v->entries->v.v[i], out);
	}
	buf_adds(out, "]}");
	out->failed |= x->cell.failed;
}

void report_export_json_nested(struct report_export *x, const struct report_tree *t,
			       struct buf *out)
{
	put_json_event(t->view, out);
	put_json_nodes(x, t, 0, t->nr_roots, out);
	buf_addc(out, '}');
	out->failed |= x->cell.failed;
}
