// SPDX-License-Identifier: GPL-2.0
#include "util/format/diff_view.h"

#include <math.h>
#include <string.h>

#include "util/base/json.h"
#include "util/base/text.h"

static const char *const sides[] = {[STACK_DIFF_OLD] = "old", [STACK_DIFF_NEW] = "new"};

/* Nobody needs more digits of it, and the last ones are not the same everywhere. */
static void put_probability(struct buf *b, double p)
{
	buf_addf(b, "%.4g", p);
}

/* ---- CSV ---- */

static void put_field(struct buf *b, const char *s)
{
	text_csv(b, s, strlen(s));
	buf_addc(b, ',');
}

static void put_numbers(struct buf *b, const struct stack_diff_row *r)
{
	const struct stack_count *c = r->count;

	buf_addf(b, "%llu,%llu,%llu,%llu,", (unsigned long long)c[0].samples,
		 (unsigned long long)c[1].samples, (unsigned long long)c[0].weight,
		 (unsigned long long)c[1].weight);
	json_double(b, r->value[STACK_DIFF_OLD]);
	buf_addc(b, ',');
	json_double(b, r->value[STACK_DIFF_NEW]);
	buf_addc(b, ',');
	json_double(b, r->change);
	buf_addc(b, ',');
	if (!isnan(diff_view_ratio(r)))
		json_double(b, diff_view_ratio(r));
	buf_addc(b, ',');
	put_probability(b, r->p);
	buf_addf(b, ",%s\n", stack_diff_verdict_name(r->verdict));
}

static int csv_functions(struct buf *b, const struct diff_view *v, const struct diff_section *s,
			 struct diff_list *list, struct err *err)
{
	int ret = diff_view_functions(v, s, DIFF_ROWS_COUNTED, list, err);
	u32 i;

	for (i = 0; i < list->nr && !ret; i++) {
		const char *keys[] = {diff_view_name(v, s, list->v[i]),
				      diff_view_file(v, s, list->v[i]),
				      diff_view_comm(v, s, list->v[i])};
		u32 k;

		put_field(b, s->event ? s->event : "");
		for (k = 0; k < ARRAY_SIZE(keys); k++)
			if (keys[k])
				put_field(b, keys[k]);
		put_numbers(b, &diff_view_diff(v, s)->rows.v[list->v[i]]);
	}
	return ret;
}

static int csv_stacks(struct buf *b, const struct diff_view *v, const struct diff_section *s,
		      struct diff_list *list, struct err *err)
{
	int ret = diff_view_stacks(v, s, DIFF_ROWS_COUNTED, list, err);
	struct diff_list path = {0};
	struct buf name = {0};
	u32 i;

	for (i = 0; i < list->nr && !ret; i++) {
		buf_clear(&name);
		if (!diff_view_stack(s, list->v[i], &path, &name) || name.failed)
			ret = err_nomem(err);
		put_field(b, s->event ? s->event : "");
		put_field(b, buf_str(&name));
		put_numbers(b, &s->stacks.diff.rows.v[list->v[i]]);
	}
	vec_free(&path);
	buf_free(&name);
	return ret;
}

int diff_export_csv(struct buf *b, const struct diff_view *v, struct err *err)
{
	struct diff_list list = {0};
	const struct diff_section *s;
	int ret = 0;

	buf_adds(b, "event,");
	if (v->stacks)
		buf_adds(b, "stack,");
	else
		buf_addf(b, "%s%s%s", v->by & DIFF_BY_NAME ? "function," : "",
			 v->by & DIFF_BY_FILE ? "file," : "",
			 v->by & DIFF_BY_COMM ? "command," : "");
	buf_adds(b,
		 "old_samples,new_samples,old_weight,new_weight,old,new,change,ratio,p,verdict\n");
	for (s = v->sections; s < v->sections + v->nr && !ret; s++)
		ret = v->stacks ? csv_stacks(b, v, s, &list, err)
				: csv_functions(b, v, s, &list, err);
	vec_free(&list);
	return ret;
}

/* ---- JSON ---- */

static void put_change(struct buf *b, const struct stack_diff_row *r)
{
	int i;

	for (i = 0; i < STACK_DIFF_SIDES; i++) {
		json_put_open(b, sides[i], '{');
		json_put_unsigned(b, "samples", r->count[i].samples);
		json_put_unsigned(b, "weight", r->count[i].weight);
		json_put_double(b, "value", r->value[i]);
		buf_addc(b, '}');
	}
	json_put_double(b, "change", r->change);
	json_put_double(b, "ratio", diff_view_ratio(r)); /* null: nothing in OLD */
	json_key(b, "p");
	put_probability(b, r->p);
	if (r->needed > 0)
		json_put_double(b, "samples_needed", r->needed);
	json_put_string(b, "verdict", stack_diff_verdict_name(r->verdict));
}

static void put_part(struct buf *b, const char *key, const struct stack_diff_row *r)
{
	json_put_open(b, key, '{');
	put_change(b, r);
	buf_addc(b, '}');
}

static int json_functions(struct buf *b, const struct diff_view *v, const struct diff_section *s,
			  struct diff_list *list, struct err *err)
{
	int ret = diff_view_functions(v, s, DIFF_ROWS_EVERY, list, err);
	u32 i;

	json_put_open(b, "functions", '[');
	for (i = 0; i < list->nr && !ret; i++) {
		const u32 row = list->v[i];

		json_open_item(b, '{');
		if (v->by & DIFF_BY_NAME)
			json_put_name(b, "function", diff_view_name(v, s, row));
		if (v->by & DIFF_BY_FILE)
			json_put_name(b, "file", diff_view_file(v, s, row));
		if (v->by & DIFF_BY_COMM)
			json_put_name(b, "command", diff_view_comm(v, s, row));
		put_part(b, "self", &s->functions.self.rows.v[row]);
		put_part(b, "total", &s->functions.total.rows.v[row]);
		buf_addc(b, '}');
	}
	buf_addc(b, ']');
	return ret;
}

static void put_frames(struct buf *b, const struct diff_section *s, const struct diff_list *path)
{
	const char *name;
	size_t len;
	u32 i;

	json_put_open(b, "frames", '[');
	for (i = 0; i < path->nr; i++) {
		name = frame_tree_node_name(&s->tree.frames, path->v[i], &len);
		json_item(b);
		json_name(b, name, len);
	}
	buf_addc(b, ']');
}

static int json_stacks(struct buf *b, const struct diff_view *v, const struct diff_section *s,
		       struct diff_list *list, struct err *err)
{
	int ret = diff_view_stacks(v, s, DIFF_ROWS_EVERY, list, err);
	struct diff_list path = {0};
	u32 i;

	json_put_open(b, "stacks", '[');
	for (i = 0; i < list->nr && !ret; i++) {
		if (!diff_view_path(s, list->v[i], &path)) {
			ret = err_nomem(err);
			break;
		}
		json_open_item(b, '{');
		put_frames(b, s, &path);
		put_change(b, &s->stacks.diff.rows.v[list->v[i]]);
		buf_addc(b, '}');
	}
	buf_addc(b, ']');
	vec_free(&path);
	return ret;
}

static void put_recordings(struct buf *b, const struct diff_view *v)
{
	int i;

	for (i = 0; i < STACK_DIFF_SIDES; i++) {
		json_put_open(b, sides[i], '{');
		json_put_string(b, "file", v->recordings[i].path);
		json_put_bool(b, "folded", v->recordings[i].folded);
		if (v->recordings[i].seconds > 0)
			json_put_double(b, "seconds", v->recordings[i].seconds);
		buf_addc(b, '}');
	}
}

static int json_section(struct buf *b, const struct diff_view *v, const struct diff_section *s,
			struct diff_list *list, struct err *err)
{
	int i, ret;

	json_open_item(b, '{');
	if (s->event)
		json_put_name(b, "event", s->event);
	for (i = 0; i < STACK_DIFF_SIDES; i++) {
		json_put_open(b, sides[i], '{');
		json_put_unsigned(b, "samples", s->tree.all[i].samples);
		json_put_unsigned(b, "weight", s->tree.all[i].weight);
		buf_addc(b, '}');
	}
	ret = json_functions(b, v, s, list, err);
	if (!ret && v->stacks)
		ret = json_stacks(b, v, s, list, err);
	buf_addc(b, '}');
	return ret;
}

int diff_export_json(struct buf *b, const struct diff_view *v, struct err *err)
{
	struct diff_list list = {0};
	const struct diff_section *s;
	int ret = 0;

	json_open(b, '{');
	put_recordings(b, v);
	json_put_string(b, "normalised", diff_view_scale_name(v->scale));
	json_put_open(b, "events", '[');
	for (s = v->sections; s < v->sections + v->nr && !ret; s++)
		ret = json_section(b, v, s, &list, err);
	buf_adds(b, "]}\n");
	vec_free(&list);
	return ret;
}

/* ---- folded stacks ---- */

/* A control byte may end a line, or begin a sequence of a terminal. */
int diff_export_folded(struct buf *b, const struct diff_view *v, struct err *err)
{
	const struct diff_section *s = v->sections;
	struct diff_list path = {0};
	struct buf name = {0};
	int ret = 0;
	u32 i;

	for (i = 0; v->nr && i < s->stacks.nodes.nr && !ret; i++) {
		const struct stack_count *c = s->stacks.diff.rows.v[i].count;

		buf_clear(&name);
		if (!diff_view_stack(s, i, &path, &name) || name.failed)
			ret = err_nomem(err);
		text_escape(b, buf_str(&name), name.len);
		buf_addf(b, " %llu %llu\n", (unsigned long long)c[STACK_DIFF_OLD].weight,
			 (unsigned long long)c[STACK_DIFF_NEW].weight);
	}
	buf_free(&name);
	vec_free(&path);
	return ret;
}
