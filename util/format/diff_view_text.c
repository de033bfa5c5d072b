// SPDX-License-Identifier: GPL-2.0
#include "util/format/diff_view.h"

#include <math.h>
#include <string.h>

#include "util/base/table.h"
#include "util/base/text.h"

struct text {
	struct buf *b;
	const struct diff_view *v;
	const struct diff_colours *c;
};

/* "1 sample", "2 samples" */
static void put_many(struct buf *b, u64 n, const char *what)
{
	buf_addf(b, "%llu %s%s", (unsigned long long)n, what, TEXT_PLURAL(n));
}

/* Names of recordings are escaped already; folded text may hold anything. */
static void put_name(struct buf *b, const char *s)
{
	text_escape(b, s, strlen(s));
}

/* ---- numbers ---- */

/* Four digits are enough for people: 1234567 is 1.23M. */
static void put_amount(struct buf *b, double v, bool sign)
{
	static const char units[] = "\0kMGTPE";
	u32 unit = 0;

	while (fabs(v) >= 9999.5 && units[unit + 1]) {
		v /= 1000;
		unit++;
	}
	buf_addf(b, sign ? "%+.*f" : "%.*f", fabs(v) >= 100 || (!unit && v == floor(v)) ? 0 : 2, v);
	if (units[unit])
		buf_addc(b, units[unit]);
}

static void put_numbers(const struct diff_view *v, const struct stack_diff_row *r, struct table *t)
{
	const bool share = v->scale == STACK_DIFF_SHARE;
	const double ratio = diff_view_ratio(r);
	struct buf *b;
	int i;

	for (i = 0; i < STACK_DIFF_SIDES; i++) {
		b = table_cell(t);
		if (share)
			buf_addf(b, "%.2f%%", r->value[i]);
		else
			put_amount(b, r->value[i], false);
	}
	b = table_cell(t);
	if (share)
		buf_addf(b, "%+.2f", r->change);
	else
		put_amount(b, r->change, true);
	b = table_cell(t);
	if (isnan(ratio))
		buf_addc(b, '-');
	else
		buf_addf(b, "%.2f", ratio);
}

/* ---- sentences ---- */

static const char *amount_name(const struct diff_view *v)
{
	switch (v->scale) {
	case STACK_DIFF_SHARE:
		return " points";
	case STACK_DIFF_SECOND:
		return " a second";
	default:
		return "";
	}
}

static void put_recording(struct buf *b, const struct diff_view *v, int side)
{
	const struct diff_recording *r = &v->recordings[side];
	u64 samples = 0;
	u32 i;

	for (i = 0; i < v->nr; i++)
		samples += v->sections[i].tree.all[side].samples;
	buf_adds(b, side == STACK_DIFF_OLD ? "OLD: " : "NEW: ");
	text_escape(b, r->path, strlen(r->path));
	buf_adds(b, ", ");
	put_many(b, samples, "sample");
	if (r->seconds > 0)
		buf_addf(b, " in %.2f s", r->seconds);
	if (r->folded)
		buf_adds(b, ", if the greatest common divisor of all counts is one sample");
	buf_addc(b, '\n');
}

static void put_event(struct buf *b, const struct diff_section *s)
{
	if (s->event)
		text_escape(b, s->event, strlen(s->event));
	else
		buf_adds(b, "stacks");
}

void diff_text_missing(struct buf *b, const struct diff_section *s)
{
	const struct stack_count *all = s->tree.all;
	const bool old = all[STACK_DIFF_OLD].weight > 0;

	put_event(b, s);
	buf_adds(b, ": ");
	put_many(b, all[old ? STACK_DIFF_OLD : STACK_DIFF_NEW].samples, "sample");
	buf_addf(b, " in %s, none in %s: nothing to compare\n", old ? "OLD" : "NEW",
		 old ? "NEW" : "OLD");
}

static u32 nr_changed(const struct stack_diff *d)
{
	return d->nr_verdicts[STACK_DIFF_MORE] + d->nr_verdicts[STACK_DIFF_LESS] +
	       d->nr_verdicts[STACK_DIFF_ADDED] + d->nr_verdicts[STACK_DIFF_GONE];
}

static u32 nr_rows(const struct stack_diff *d)
{
	u32 i, nr = 0;

	for (i = 0; i < d->rows.nr; i++)
		nr += d->rows.v[i].count[STACK_DIFF_OLD].samples ||
		      d->rows.v[i].count[STACK_DIFF_NEW].samples;
	return nr;
}

static void put_rows_name(struct text *t, u32 nr, bool stacks)
{
	const char *what = "command";

	if (stacks)
		what = "stack";
	else if (t->v->by & DIFF_BY_NAME)
		what = "function";
	else if (t->v->by & DIFF_BY_FILE)
		what = "file";
	put_many(t->b, nr, what);
	if (t->v->children && !stacks)
		buf_adds(t->b, " with all that is called");
}

static bool is_clock(const struct diff_section *s)
{
	const size_t len = s->event ? strcspn(s->event, ":") : 0;

	return (len == 9 && !memcmp(s->event, "cpu-clock", len)) ||
	       (len == 10 && !memcmp(s->event, "task-clock", len));
}

/* Shares of a whole that may be less, or more. */
static void put_times(struct text *t, const struct stack_diff *d)
{
	buf_adds(t->b, ", ");
	text_duration(t->b, d->all[STACK_DIFF_OLD].weight);
	buf_adds(t->b, " and ");
	text_duration(t->b, d->all[STACK_DIFF_NEW].weight);
}

/* The answer: how many changed. */
static void put_answer(struct text *t, const struct diff_section *s, const struct stack_diff *d,
		       bool stacks)
{
	put_event(t->b, s);
	buf_adds(t->b, ": of ");
	put_rows_name(t, nr_rows(d), stacks);
	buf_addf(t->b, ", %s", t->c->bold);
	if (nr_changed(d))
		buf_addf(t->b, "%u more, %u less, %u new, %u gone", d->nr_verdicts[STACK_DIFF_MORE],
			 d->nr_verdicts[STACK_DIFF_LESS], d->nr_verdicts[STACK_DIFF_ADDED],
			 d->nr_verdicts[STACK_DIFF_GONE]);
	else
		buf_adds(t->b, "none changed");
	buf_addf(t->b, " beyond noise%s (%llu and ", *t->c->bold ? t->c->off : "",
		 (unsigned long long)d->all[STACK_DIFF_OLD].samples);
	put_many(t->b, d->all[STACK_DIFF_NEW].samples, "sample");
	if (is_clock(s))
		put_times(t, d);
	buf_adds(t->b, ")\n");
}

/* The row within noise that changed most; ID_NONE: none did. */
static u32 largest_noise(const struct stack_diff *d)
{
	const struct stack_diff_row *r;
	double most = 0;
	u32 i, row = ID_NONE;

	for (i = 0; i < d->rows.nr; i++) {
		r = &d->rows.v[i];
		if (r->verdict != STACK_DIFF_NOISE || !(r->needed > 0) || fabs(r->change) <= most)
			continue;
		most = fabs(r->change);
		row = i;
	}
	return row;
}

/* Two digits: no more is known of it. */
static double rounded(double v)
{
	const double unit = v < 100 ? 1 : pow(10, floor(log10(v)) - 1);

	return ceil(v / unit) * unit;
}

static const char *any_name(const struct diff_view *v, const struct diff_section *s, u32 row)
{
	const char *name = diff_view_name(v, s, row);

	if (!name)
		name = diff_view_file(v, s, row);
	return name ? name : diff_view_comm(v, s, row);
}

/* Two digits, or whole. */
static void put_points(struct buf *b, double v)
{
	buf_addf(b, v < 99.5 ? "%.2g" : "%.0f", v);
}

/* What these numbers of samples can show, and how many it would take to show more. */
static void put_limits(struct text *t, const struct diff_section *s, const struct stack_diff *d)
{
	const u32 row = largest_noise(d);
	const struct stack_diff_row *r;

	if (t->v->scale == STACK_DIFF_SHARE) {
		buf_adds(t->b, "Smallest detectable change: ");
		put_points(t->b, stack_diff_visible(d, 1));
		buf_adds(t->b, " points at 1 % of OLD, ");
		put_points(t->b, stack_diff_visible(d, 10));
		buf_adds(t->b, " at 10 %.\n");
	}
	if (row == ID_NONE || nr_changed(d))
		return;
	r = &d->rows.v[row];
	buf_adds(t->b, "The largest change, of ");
	put_name(t->b, any_name(t->v, s, row));
	buf_adds(t->b, " by ");
	if (t->v->scale == STACK_DIFF_SHARE)
		buf_addf(t->b, "%+.2f", r->change);
	else
		put_amount(t->b, r->change, true);
	buf_addf(t->b, "%s, would take about %.0f samples in each recording.\n", amount_name(t->v),
		 rounded(r->needed));
}

/* ---- tables ---- */

static const char *colour_of(const struct diff_colours *c, const struct stack_diff_row *r)
{
	switch (r->verdict) {
	case STACK_DIFF_MORE:
	case STACK_DIFF_ADDED:
		return c->more;
	case STACK_DIFF_LESS:
	case STACK_DIFF_GONE:
		return c->less;
	default:
		return c->dim;
	}
}

/* A table whose last columns are names; NULL: one that is not shown. */
static void begin_table(struct table *t, const char *const names[], u32 nr)
{
	static const struct {
		const char *title;
		struct table_column column;
	} numbers[] = {
		{"Old", {.right = true, .min = 8}},
		{"New", {.right = true, .gap = 2, .min = 7}},
		{"Change", {.right = true, .gap = 2, .min = 7}},
		{"Ratio", {.right = true, .gap = 2, .min = 6}},
		{"Verdict", {.gap = 2, .min = 12}},
	};
	u32 i;

	table_row(t);
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		table_column(t, &numbers[i].column);
		buf_adds(table_cell(t), numbers[i].title);
	}
	for (i = 0; i < nr; i++) {
		if (!names[i])
			continue;
		table_column(t, &(struct table_column){.gap = 2});
		buf_adds(table_cell(t), names[i]);
	}
}

/* A row, up to its names. */
static void put_row(const struct text *x, const struct stack_diff_row *r, struct table *t)
{
	const char *colour = colour_of(x->c, r);

	table_row(t);
	if (*colour)
		table_style(t, colour, x->c->off, 5);
	put_numbers(x->v, r, t);
	buf_adds(table_cell(t), stack_diff_verdict_name(r->verdict));
}

static void end_table(struct text *x, struct table *t)
{
	buf_addc(x->b, '\n');
	table_put(t, 0, x->b);
	table_free(t);
}

static enum diff_rows rows_of(const struct diff_view *v)
{
	return v->all ? DIFF_ROWS_COUNTED : DIFF_ROWS_CHANGED;
}

static void put_function_rows(struct text *x, const struct diff_section *s,
			      const struct diff_list *list)
{
	const struct diff_view *v = x->v;
	const char *const titles[] = {v->by & DIFF_BY_NAME ? "Function" : NULL,
				      v->by & DIFF_BY_FILE ? "File" : NULL,
				      v->by & DIFF_BY_COMM ? "Command" : NULL};
	struct table t = {0};
	u32 i, k;

	begin_table(&t, titles, ARRAY_SIZE(titles));
	for (i = 0; i < list->nr; i++) {
		const u32 row = list->v[i];
		const char *const names[] = {diff_view_name(v, s, row), diff_view_file(v, s, row),
					     diff_view_comm(v, s, row)};

		put_row(x, &diff_view_diff(v, s)->rows.v[row], &t);
		for (k = 0; k < ARRAY_SIZE(names); k++)
			if (names[k])
				put_name(table_cell(&t), names[k]);
	}
	end_table(x, &t);
}

/* Of two versions of a program under their own names, every function is gone or new. */
static int put_renamed(struct text *t, const struct diff_section *s, struct err *err)
{
	u32 rows[2];
	const int nr = diff_view_renamed(t->v, s, rows, err);
	const char *file;
	int side;

	if (nr <= 0)
		return nr;
	for (side = 0; side < STACK_DIFF_SIDES; side++) {
		file = diff_view_file(t->v, s, rows[side]);
		buf_adds(t->b, side ? " and " : "");
		text_escape(t->b, file, strlen(file));
	}
	buf_addf(t->b,
		 " have %d function%s of the same name%s: perf-lite diff -s sym compares %s\n", nr,
		 TEXT_PLURAL((u64)nr), TEXT_PLURAL((u64)nr), nr == 1 ? "it" : "them");
	return 0;
}

static int put_functions(struct text *t, const struct diff_section *s, struct diff_list *list,
			 struct err *err)
{
	const struct stack_diff *d = diff_view_diff(t->v, s);
	int ret = diff_view_functions(t->v, s, rows_of(t->v), list, err);

	if (ret)
		return ret;
	put_answer(t, s, d, false);
	put_limits(t, s, d);
	ret = put_renamed(t, s, err);
	if (!ret && list->nr)
		put_function_rows(t, s, list);
	return ret;
}

static int put_stacks(struct text *x, const struct diff_section *s, struct diff_list *list,
		      struct err *err)
{
	static const char *const title[] = {"Stack"};
	int ret = diff_view_stacks(x->v, s, rows_of(x->v), list, err);
	struct buf name = {0};
	struct diff_list path = {0};
	struct table t = {0};
	u32 i;

	if (ret)
		return ret;
	buf_addc(x->b, '\n');
	put_answer(x, s, &s->stacks.diff, true);
	begin_table(&t, title, 1);
	for (i = 0; i < list->nr && !ret; i++) {
		put_row(x, &s->stacks.diff.rows.v[list->v[i]], &t);
		buf_clear(&name);
		if (!diff_view_stack(s, list->v[i], &path, &name) || name.failed)
			ret = err_nomem(err);
		else
			put_name(table_cell(&t), buf_str(&name));
	}
	if (list->nr && !ret)
		end_table(x, &t);
	table_free(&t);
	buf_free(&name);
	vec_free(&path);
	return ret;
}

int diff_text(struct buf *b, const struct diff_view *v, const struct diff_colours *c,
	      struct err *err)
{
	struct text t = {.b = b, .v = v, .c = c};
	struct diff_list list = {0};
	const struct diff_section *s;
	int ret = 0;

	put_recording(b, v, STACK_DIFF_OLD);
	put_recording(b, v, STACK_DIFF_NEW);
	for (s = v->sections; s < v->sections + v->nr && !ret; s++) {
		buf_addc(b, '\n');
		if (!diff_view_comparable(s)) {
			diff_text_missing(b, s);
			continue;
		}
		ret = put_functions(&t, s, &list, err);
		if (!ret && v->stacks)
			ret = put_stacks(&t, s, &list, err);
	}
	vec_free(&list);
	return ret;
}
