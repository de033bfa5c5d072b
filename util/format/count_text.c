// SPDX-License-Identifier: GPL-2.0
#include "util/format/count_text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/num.h"
#include "util/base/table.h"
#include "util/base/text.h"
#include "util/format/count_bars.h"

#define COLUMNS_MAX (7 + COUNT_QUANTILES_MAX + COUNT_PARTS_MAX + COUNT_KEYS_MAX)
#define BARS_INDENT "        "
#define COUNT_WIDTH 8

const double count_text_quantiles[COUNT_QUANTILES_DEFAULT] = {0.5, 0.9, 0.99, 0.999, 1};

enum column_kind {
	COLUMN_COUNT,
	COLUMN_SUM,
	COLUMN_MEAN,
	COLUMN_MIN,
	COLUMN_MAX,
	COLUMN_QUANTILE,
	COLUMN_PART,
	COLUMN_KEY,
	COLUMN_NUMBER, /* the caller's */
	COLUMN_LAST,
};

struct column {
	enum column_kind kind;
	u32 at; /* of a quantile, a part, a key */
};

/* A row of the table, or the sum of all. */
struct line {
	const struct count_sum *sum;
	const struct count_row *row; /* NULL: of all */
	struct count_series series;
	u32 number; /* of the row, or COUNT_ROW_ALL */
};

struct counts_text {
	const struct count_text *text;
	const struct count_view *view;
	const double *quantiles;
	u32 nr_quantiles;
	struct column columns[COLUMNS_MAX];
	u32 nr;
	struct histogram spread;
	bool spreads; /* there is one */
	bool blocks;  /* a row has more than one line */
	struct count_sum total;
	struct table table;
};

static const struct count_keys *keys_of(const struct counts_text *t)
{
	return t->view->table->keys;
}

static enum count_what what_of(const struct counts_text *t)
{
	return t->view->table->options.what;
}

/* One that is there already would be a second column of the same name. */
static void add_share(double share, double *shares, u32 *nr)
{
	u32 i;

	for (i = 0; i < *nr; i++)
		if (shares[i] == share)
			return;
	shares[(*nr)++] = share;
}

int count_text_parse_quantiles(const char *text, double *shares, u32 *nr, struct err *err)
{
	char copy[256], *word, *save = NULL, *end;
	double v;

	*nr = 0;
	if (strlen(text) >= sizeof(copy))
		return err_set(err, EINVAL, "the list of quantiles is too long");
	strcpy(copy, text);
	for (word = strtok_r(copy, ", ", &save); word; word = strtok_r(NULL, ", ", &save)) {
		if (*nr == COUNT_QUANTILES_MAX)
			return err_set(err, EINVAL, "more than %u quantiles", COUNT_QUANTILES_MAX);
		v = !strcmp(word, "max") ? 100 : !strcmp(word, "min") ? 0 : -1;
		if (v < 0) {
			word += *word == 'p';
			v = strtod(word, &end);
			if (end == word || *end || !(v >= 0 && v <= 100))
				v = -1;
		}
		if (v < 0)
			break;
		add_share(v / 100, shares, nr);
	}
	if (!word && *nr)
		return 0;
	err_set(err, EINVAL, "'%s' is no list of quantiles", text);
	err_hint(err, "percentages, min, max: for example 50,90,99.9,max");
	return -EINVAL;
}

void count_text_quantile_name(double share, struct buf *out)
{
	if (share <= 0)
		buf_adds(out, "min");
	else if (share >= 1)
		buf_adds(out, "max");
	else
		buf_addf(out, "p%.10g", share * 100);
}

bool count_text_quantile(double share, const struct count_sum *sum, const struct count_series *s,
			 u64 *v)
{
	if (share > 0 && share < 1)
		*v = histogram_quantile(s, share);
	else
		*v = share > 0 ? sum->most : sum->least;
	return share > 0 && share < 1 ? s->nr != 0 : sum->with != 0;
}

static void add_column(struct counts_text *t, enum column_kind kind, u32 at, bool right)
{
	table_column(&t->table, &(struct table_column){.right = right,
						       .gap = t->nr ? 2 : 0,
						       .min = t->nr ? 0 : COUNT_WIDTH});
	t->columns[t->nr++] = (struct column){.kind = kind, .at = at};
}

/* Is it a quantile that is shown? */
static bool is_quantile(const struct counts_text *t, double share)
{
	u32 i;

	for (i = 0; what_of(t) == COUNT_QUANTILES && i < t->nr_quantiles; i++)
		if ((share > 0) == (t->quantiles[i] > 0) && (share < 1) == (t->quantiles[i] < 1))
			return true;
	return false;
}

/* The least is share 0, the greatest 1. */
static bool has_end(const struct counts_text *t, enum count_what what, double share)
{
	if (what == COUNT_NUMBER)
		return false;
	return what != COUNT_QUANTILES || (t->text->with_sum && !is_quantile(t, share));
}

static void choose_columns(struct counts_text *t)
{
	enum count_what what = what_of(t);
	u32 i;

	add_column(t, COLUMN_COUNT, 0, true);
	if (t->text->number)
		add_column(t, COLUMN_NUMBER, 0, true);
	if (what == COUNT_SUM ||
	    ((t->text->durations || t->text->with_sum) && what != COUNT_NUMBER))
		add_column(t, COLUMN_SUM, 0, true);
	if (t->text->sums)
		what = COUNT_NUMBER;
	if (what != COUNT_NUMBER)
		add_column(t, COLUMN_MEAN, 0, true);
	if (has_end(t, what, 0))
		add_column(t, COLUMN_MIN, 0, true);
	for (i = 0; what == COUNT_QUANTILES && i < t->nr_quantiles; i++)
		add_column(t, COLUMN_QUANTILE, i, true);
	if (has_end(t, what, 1))
		add_column(t, COLUMN_MAX, 0, true);
	for (i = 0; t->text->parts && i < t->text->parts->nr; i++)
		if (t->text->parts->of(t->text->parts->arg, COUNT_ROW_ALL, i))
			add_column(t, COLUMN_PART, i, true);
	for (i = 0; i < keys_of(t)->nr; i++) {
		if (sample_key_is_stack(keys_of(t)->v[i].kind))
			t->blocks = true;
		else
			add_column(t, COLUMN_KEY, i, count_names_is_number(t->view->table, i));
	}
	if (t->text->last)
		add_column(t, COLUMN_LAST, 0, false);
	t->blocks |= what == COUNT_LOG2 || what == COUNT_LINEAR;
}

static const char *title_of(const struct count_text *text, enum column_kind kind)
{
	static const char *const names[] = {
		[COLUMN_COUNT] = "count", [COLUMN_SUM] = "sum", [COLUMN_MEAN] = "mean",
		[COLUMN_MIN] = "min",     [COLUMN_MAX] = "max",
	};

	if (kind == COLUMN_NUMBER)
		return text->number->title;
	if (kind == COLUMN_LAST)
		return text->last->title;
	return text->titles && kind <= COLUMN_MEAN ? text->titles[kind] : names[kind];
}

static void put_title(const struct counts_text *t, const struct column *c, struct buf *out)
{
	const char *key;

	if (c->kind == COLUMN_QUANTILE) {
		count_text_quantile_name(t->quantiles[c->at], out);
	} else if (c->kind == COLUMN_PART) {
		buf_adds(out, t->text->parts->names[c->at]);
	} else if (c->kind == COLUMN_KEY) {
		key = keys_of(t)->v[c->at].name;
		text_escape(out, key, strlen(key));
	} else {
		buf_adds(out, title_of(t->text, c->kind));
	}
	if (c->kind != COLUMN_COUNT && c->kind < COLUMN_KEY && keys_of(t)->of_unit[0] &&
	    !t->text->durations)
		buf_addf(out, " (%s)", keys_of(t)->of_unit);
}

static void put_value(const struct counts_text *t, u64 v, struct buf *out)
{
	if (t->text->durations)
		text_duration(out, v);
	else
		count_bars_value(v, keys_of(t)->of_signed, out);
}

static void put_sum(const struct counts_text *t, __int128 sum, struct buf *out)
{
	if (t->text->durations)
		text_duration(out, (u64)sum);
	else
		count_bars_wide(sum, out);
}

/* What is a number of --of. */
static void put_number(const struct counts_text *t, const struct column *c, const struct line *l,
		       struct buf *out)
{
	u64 v;

	if (!l->sum->with && (c->kind != COLUMN_SUM || t->text->durations)) {
		buf_addc(out, '-');
		return;
	}
	switch (c->kind) {
	case COLUMN_SUM:
		put_sum(t, l->sum->sum, out);
		break;
	case COLUMN_MEAN:
		if (t->text->durations)
			text_duration(out, (u64)(l->sum->sum / (__int128)l->sum->with));
		else
			buf_addf(out, "%.1f", (double)l->sum->sum / (double)l->sum->with);
		break;
	case COLUMN_MIN:
		put_value(t, l->sum->least, out);
		break;
	case COLUMN_MAX:
		put_value(t, l->sum->most, out);
		break;
	default:
		if (count_text_quantile(t->quantiles[c->at], l->sum, &l->series, &v))
			put_value(t, v, out);
		else
			buf_addc(out, '-');
	}
}

static void put_cell(const struct counts_text *t, const struct column *c, const struct line *l,
		     struct buf *out)
{
	if (c->kind == COLUMN_COUNT)
		buf_dec(out, l->sum->nr, 0);
	else if (c->kind == COLUMN_NUMBER)
		t->text->number->put(t->text->number->arg, l->number, out);
	else if (c->kind == COLUMN_LAST)
		t->text->last->put(t->text->last->arg, l->number, out);
	else if (c->kind == COLUMN_PART)
		text_duration(out, t->text->parts->of(t->text->parts->arg, l->number, c->at));
	else if (c->kind != COLUMN_KEY)
		put_number(t, c, l, out);
	else if (l->row)
		count_names_put(t->view->table, l->row, c->at, out);
}

static struct line line_of(const struct counts_text *t, u32 i)
{
	const struct count_row *r = count_view_row(t->view, i);
	struct line l = {.sum = &r->sum, .row = r, .number = t->view->order[i]};

	if (t->spreads)
		l.series = histogram_of(&t->spread, t->view->order[i]);
	return l;
}

static struct line line_of_all(const struct counts_text *t)
{
	struct line l = {.sum = &t->total, .number = COUNT_ROW_ALL};

	if (t->spreads)
		l.series = histogram_of(&t->spread, COUNT_ROW_ALL);
	return l;
}

static void put_titles(struct counts_text *t)
{
	u32 c;

	table_row(&t->table);
	table_style(&t->table, t->text->bold, t->text->off, t->nr);
	for (c = 0; c < t->nr; c++)
		put_title(t, &t->columns[c], table_cell(&t->table));
}

static void put_bars(struct counts_text *t, const struct count_series *s, struct buf *out)
{
	enum count_bars_unit unit = t->text->durations         ? COUNT_BARS_TIME
				    : what_of(t) == COUNT_LOG2 ? COUNT_BARS_BINARY
							       : COUNT_BARS_PLAIN;
	struct count_buckets b;

	if (histogram_buckets(&t->spread, s, &b, NULL))
		out->failed = true;
	count_bars_put(&b, keys_of(t)->of_signed, unit, BARS_INDENT, out);
	histogram_free_buckets(&b);
}

static void put_stacks(struct counts_text *t, const struct count_row *r, struct buf *out)
{
	const struct count_keys *k = keys_of(t);
	u32 i, nr = 0;

	for (i = 0; i < k->nr; i++)
		nr += sample_key_is_stack(k->v[i].kind);
	for (i = 0; i < k->nr; i++) {
		if (!sample_key_is_stack(k->v[i].kind))
			continue;
		if (nr > 1)
			buf_addf(out, "    %s:\n", k->v[i].name);
		count_names_stack(t->view->table, r, i, "\t", out);
	}
}

static void put_row(struct counts_text *t, u32 i)
{
	struct line l = line_of(t, i);
	struct buf *out;
	u32 c;

	table_row(&t->table);
	for (c = 0; c < t->nr; c++)
		put_cell(t, &t->columns[c], &l, table_cell(&t->table));
	if (!t->blocks)
		return;
	out = table_text(&t->table);
	put_stacks(t, l.row, out);
	if (what_of(t) == COUNT_LOG2 || what_of(t) == COUNT_LINEAR)
		put_bars(t, &l.series, out);
	buf_addc(out, '\n');
}

/* The rows that there is room for; returns how many. */
static u32 put_rows(struct counts_text *t, u32 room)
{
	const u32 before = t->table.lines.nr;
	u32 i, lines;

	for (i = 0; i < t->view->shown; i++) {
		lines = t->table.lines.nr;
		put_row(t, i);
		if (!t->text->height || table_height(&t->table, before) <= room)
			continue;
		table_shorten(&t->table, lines);
		break;
	}
	return i;
}

static u32 lines_in(const char *s)
{
	u32 n = 0;

	for (; *s; s++)
		n += *s == '\n';
	return n;
}

static void put_amount(const struct counts_text *t, const struct count_sum *s, struct buf *out)
{
	buf_addf(out, "%llu (%.1f %%)", (unsigned long long)s->nr, num_percent(s->nr, t->total.nr));
	if (what_of(t) == COUNT_SUM || t->text->durations) {
		buf_adds(out, ", sum ");
		put_sum(t, s->sum, out);
	}
	buf_addc(out, '\n');
}

static void put_rest(struct counts_text *t, u32 shown)
{
	struct buf *out = table_text(&t->table);
	const struct count_view *v = t->view;
	struct count_sum rest = {0};
	u32 i;

	for (i = shown; i < v->nr; i++)
		count_table_join(v->table, &rest, &count_view_row(v, i)->sum);
	if (shown < v->nr) {
		buf_addf(out, "... and %u more: ", v->nr - shown);
		put_amount(t, &rest, out);
	}
	if (v->table->others.nr) {
		buf_adds(out, "... and others without a row: ");
		put_amount(t, &v->table->others, out);
	}
}

static void put_total(struct counts_text *t)
{
	struct line l = line_of_all(t);
	u32 c;

	table_row(&t->table);
	for (c = 0; c < t->nr && t->columns[c].kind != COLUMN_KEY; c++)
		put_cell(t, &t->columns[c], &l, table_cell(&t->table));
	buf_adds(table_tail(&t->table), "total");
}

/* "3 samples have no row of their own" */
static void put_without(const char *counted, u64 nr, const char *what, struct buf *out)
{
	buf_addf(out, "%llu %s%s %s no %s", (unsigned long long)nr, counted ? counted : "sample",
		 TEXT_PLURAL(nr), nr == 1 ? "has" : "have", what);
}

static void put_limit(struct buf *out, u64 nr, const char *what)
{
	if (nr)
		buf_addf(out, "%llu %s\n", (unsigned long long)nr, what);
}

void count_text_limits(const struct count_table *t, const char *counted, bool spread,
		       struct buf *out)
{
	struct count_sum total = count_table_total(t);

	if (t->others.nr) {
		put_without(counted, t->others.nr,
			    t->others.nr == 1 ? "row of its own" : "row of their own", out);
		buf_addf(out, ": no more than %u row%s kept\n", t->options.max_rows,
			 t->options.max_rows == 1 ? " is" : "s are");
	}
	if (t->keys->has_of && total.with < total.nr) {
		put_without(counted, total.nr - total.with, "", out);
		buf_addf(out, "'%s'\n", t->keys->of.name);
	}
	put_limit(out, t->clipped, "values of 2^63 or more were taken for 2^63 - 1");
	if (!spread)
		return;
	put_limit(out, t->values.rounded,
		  "values were rounded, by less than 1.6 %: there are too many different ones");
	put_limit(out, t->values.unkept,
		  "values are not among these: there are too many different ones");
}

static void put_table(struct counts_text *t, struct buf *out)
{
	const char *notes = t->text->notes ? t->text->notes : "";
	struct buf limits = {0};
	u32 fixed, shown;

	count_text_limits(t->view->table, t->text->counted, true, &limits);
	/* heading, titles, rest, others, total */
	fixed = 5 + lines_in(buf_str(&limits)) + lines_in(notes);
	put_titles(t);
	shown = put_rows(t, t->text->height > fixed ? t->text->height - fixed : 0);
	put_rest(t, shown);
	if (t->view->nr != 1 || shown != 1 || t->view->table->others.nr)
		put_total(t);
	if (t->text->heading) {
		buf_adds(out, t->text->heading);
		buf_addc(out, '\n');
	}
	t->table.fit = t->text->fit;
	table_put(&t->table, t->text->width, out);
	buf_add(out, buf_str(&limits), limits.len);
	buf_adds(out, notes);
	out->failed |= limits.failed;
	buf_free(&limits);
}

int count_text_put(const struct count_text *text, const struct count_view *v, struct buf *out,
		   struct err *err)
{
	struct counts_text t = {
		.text = text,
		.view = v,
		.quantiles = text->quantiles ? text->quantiles : count_text_quantiles,
		.nr_quantiles = text->quantiles ? text->nr_quantiles : COUNT_QUANTILES_DEFAULT,
		.total = count_table_total(v->table),
		.spreads = v->table->options.what >= COUNT_LOG2,
	};

	if (t.spreads && histogram_init(&t.spread, &v->table->values, v->table->nr, err))
		return -ENOMEM;
	choose_columns(&t);
	put_table(&t, out);
	table_free(&t.table);
	if (t.spreads)
		histogram_free(&t.spread);
	return out->failed ? err_nomem(err) : 0;
}
