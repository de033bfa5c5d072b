// SPDX-License-Identifier: GPL-2.0
#include "util/format/diff_text.h"

#include <math.h>
#include <string.h>

#include "util/base/text.h"

#define NAME_WIDTH_MAX 60 /* a longer name moves only its own line out of the columns */
#define VERDICT_WIDTH  12
#define NAME_HEADING   "Function"
#define FILE_HEADING   "File"
#define COMM_HEADING   "Command"

struct text {
	struct buf *b;
	const struct diff_view *v;
	const struct diff_colours *c;
	int name_width, file_width;
};

/* "1 sample", "2 samples" */
static void put_many(struct buf *b, u64 n, const char *what)
{
	buf_addf(b, "%llu %s%s", (unsigned long long)n, what, n == 1 ? "" : "s");
}

/* ---- names ---- */

/* Names of recordings are escaped already; folded text may hold anything. */
static void put_name(struct buf *b, const char *s, int width)
{
	const size_t begin = b->len;
	size_t shown;

	text_escape(b, s, strlen(s));
	shown = text_width(b->data + begin, b->len - begin);
	if (shown < (size_t)width)
		buf_pad(b, ' ', (size_t)width - shown);
}

static int width_of(const char *s)
{
	return s ? (int)MIN(strlen(s), (size_t)NAME_WIDTH_MAX) : 0;
}

static void end_line(struct buf *b)
{
	while (b->len && b->data[b->len - 1] == ' ')
		b->len--;
	buf_addc(b, '\n');
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

static void put_right(struct buf *b, struct buf *cell, int width)
{
	if (cell->len < (size_t)width)
		buf_pad(b, ' ', (size_t)width - cell->len);
	buf_adds(b, buf_str(cell));
	b->failed |= cell->failed;
	buf_clear(cell);
}

static void put_numbers(struct text *t, const struct stack_diff_row *r)
{
	const bool share = t->v->scale == STACK_DIFF_SHARE;
	struct buf cell = {0};
	int i;

	for (i = 0; i < STACK_DIFF_SIDES; i++) {
		if (share)
			buf_addf(&cell, "%.2f%%", r->value[i]);
		else
			put_amount(&cell, r->value[i], false);
		put_right(t->b, &cell, 8 + i);
	}
	if (share)
		buf_addf(&cell, "%+.2f", r->change);
	else
		put_amount(&cell, r->change, true);
	put_right(t->b, &cell, 9);
	if (isnan(diff_view_ratio(r)))
		buf_addc(&cell, '-');
	else
		buf_addf(&cell, "%.2f", diff_view_ratio(r));
	put_right(t->b, &cell, 8);
	buf_free(&cell);
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

/* What these numbers of samples can tell, and how many it would take to tell more. */
static void put_limits(struct text *t, const struct diff_section *s, const struct stack_diff *d)
{
	const u32 row = largest_noise(d);
	const struct stack_diff_row *r;

	if (t->v->scale == STACK_DIFF_SHARE)
		buf_addf(t->b,
			 "A change of %.2g points would be told from noise where OLD has 1 %%, of "
			 "%.2g where it has 10 %%.\n",
			 stack_diff_visible(d, 1), stack_diff_visible(d, 10));
	if (row == ID_NONE || nr_changed(d))
		return;
	r = &d->rows.v[row];
	buf_adds(t->b, "The largest change, of ");
	put_name(t->b, any_name(t->v, s, row), 0);
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

static void put_heading(struct text *t)
{
	buf_addf(t->b, "\n%8s%9s%9s%8s  %-*s  ", "Old", "New", "Change", "Ratio", VERDICT_WIDTH,
		 "Verdict");
}

static void put_row(struct text *t, const struct stack_diff_row *r)
{
	const char *colour = colour_of(t->c, r);

	buf_adds(t->b, colour);
	put_numbers(t, r);
	buf_addf(t->b, "  %-*s%s  ", VERDICT_WIDTH, stack_diff_verdict_name(r->verdict),
		 *colour ? t->c->off : "");
}

static void find_widths(struct text *t, const struct diff_section *s, const struct diff_list *list)
{
	u32 i;

	t->name_width = (int)strlen(NAME_HEADING);
	t->file_width = (int)strlen(FILE_HEADING);
	for (i = 0; i < list->nr; i++) {
		const char *name = diff_view_name(t->v, s, list->v[i]),
			   *file = diff_view_file(t->v, s, list->v[i]);

		t->name_width = MAX(t->name_width, width_of(name));
		t->file_width = MAX(t->file_width, width_of(file));
	}
}

static void put_keys(struct text *t, const char *name, const char *file, const char *comm)
{
	if (name)
		put_name(t->b, name, t->name_width);
	if (name && (file || comm))
		buf_adds(t->b, "  ");
	if (file)
		put_name(t->b, file, t->file_width);
	if (file && comm)
		buf_adds(t->b, "  ");
	if (comm)
		put_name(t->b, comm, 0);
	end_line(t->b);
}

static enum diff_rows rows_of(const struct diff_view *v)
{
	return v->all ? DIFF_ROWS_COUNTED : DIFF_ROWS_CHANGED;
}

static int put_functions(struct text *t, const struct diff_section *s, struct diff_list *list,
			 struct err *err)
{
	const struct stack_diff *d = diff_view_diff(t->v, s);
	int ret = diff_view_functions(t->v, s, rows_of(t->v), list, err);
	u32 i;

	if (ret)
		return ret;
	put_answer(t, s, d, false);
	put_limits(t, s, d);
	if (!list->nr)
		return 0;
	find_widths(t, s, list);
	put_heading(t);
	put_keys(t, t->v->by & DIFF_BY_NAME ? NAME_HEADING : NULL,
		 t->v->by & DIFF_BY_FILE ? FILE_HEADING : NULL,
		 t->v->by & DIFF_BY_COMM ? COMM_HEADING : NULL);
	for (i = 0; i < list->nr; i++) {
		put_row(t, &d->rows.v[list->v[i]]);
		put_keys(t, diff_view_name(t->v, s, list->v[i]),
			 diff_view_file(t->v, s, list->v[i]), diff_view_comm(t->v, s, list->v[i]));
	}
	return 0;
}

static int put_stacks(struct text *t, const struct diff_section *s, struct diff_list *list,
		      struct err *err)
{
	int ret = diff_view_stacks(t->v, s, rows_of(t->v), list, err);
	struct buf name = {0};
	struct diff_list path = {0};
	u32 i;

	if (ret)
		return ret;
	buf_addc(t->b, '\n');
	put_answer(t, s, &s->stacks.diff, true);
	if (list->nr) {
		put_heading(t);
		buf_adds(t->b, "Stack\n");
	}
	for (i = 0; i < list->nr && !ret; i++) {
		put_row(t, &s->stacks.diff.rows.v[list->v[i]]);
		buf_clear(&name);
		if (!diff_view_stack(s, list->v[i], &path, &name) || name.failed)
			ret = err_nomem(err);
		else
			put_name(t->b, buf_str(&name), 0);
		buf_addc(t->b, '\n');
	}
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
