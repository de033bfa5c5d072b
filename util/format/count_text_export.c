// SPDX-License-Identifier: GPL-2.0
#include "util/format/count_text.h"

#include <errno.h>
#include <string.h>

#include "util/base/json.h"
#include "util/base/text.h"
#include "util/format/count_bars.h"
#include "util/format/count_frames.h"

struct export
{
	const struct count_export *x;
	const struct count_view *view;
	const double *quantiles;
	u32 nr_quantiles;
	enum count_what what;
	bool is_signed;
	struct histogram spread;
	struct buf cell;
};

static int begin(struct export *e, const struct count_export *x, const struct count_view *v,
		 struct err *err)
{
	*e = (struct export){
		.x = x,
		.view = v,
		.quantiles = x->quantiles ? x->quantiles : count_text_quantiles,
		.nr_quantiles = x->quantiles ? x->nr_quantiles : COUNT_QUANTILES_DEFAULT,
		.what = v->table->options.what,
		.is_signed = v->table->keys->of_signed,
	};
	if (e->what < COUNT_LOG2)
		return 0;
	return histogram_init(&e->spread, &v->table->values, v->table->nr, err);
}

static int end(struct export *e, struct buf *out, struct err *err)
{
	out->failed |= e->cell.failed;
	if (e->what >= COUNT_LOG2)
		histogram_free(&e->spread);
	buf_free(&e->cell);
	return out->failed ? err_nomem(err) : 0;
}

static struct count_series series_of(const struct export *e, u32 row)
{
	return e->what >= COUNT_LOG2 ? histogram_of(&e->spread, row) : (struct count_series){0};
}

static void put_value(const struct export *e, const char *key, u64 v, struct buf *out)
{
	json_key(out, key);
	count_bars_value(v, e->is_signed, out);
}

static void put_count(const struct export *e, const struct count_sum *s, struct buf *out)
{
	json_put_unsigned(out, "count", s->nr);
	if (e->what == COUNT_NUMBER)
		return;
	json_key(out, "sum");
	count_bars_wide(s->sum, out);
	if (!s->with)
		return;
	json_put_double(out, "mean", (double)s->sum / (double)s->with);
	put_value(e, "min", s->least, out);
	put_value(e, "max", s->most, out);
}

static void put_quantiles(struct export *e, const struct count_sum *sum,
			  const struct count_series *s, struct buf *out)
{
	u64 v;
	u32 i;

	json_put_open(out, "quantiles", '{');
	for (i = 0; i < e->nr_quantiles; i++) {
		if (!count_text_quantile(e->quantiles[i], sum, s, &v))
			continue;
		buf_clear(&e->cell);
		count_text_quantile_name(e->quantiles[i], &e->cell);
		put_value(e, buf_str(&e->cell), v, out);
	}
	buf_addc(out, '}');
}

static void put_histogram(const struct export *e, const struct count_series *s, struct buf *out)
{
	static const struct count_bars_names names = {"from", "to", "count"};
	struct count_buckets b;

	if (histogram_buckets(&e->spread, s, &b, NULL))
		out->failed = true;
	count_bars_json(&b, e->is_signed, &names, out);
	histogram_free_buckets(&b);
}

static void put_numbers(struct export *e, const struct count_sum *sum, u32 row, struct buf *out)
{
	struct count_series s = series_of(e, row);

	put_count(e, sum, out);
	if (e->what == COUNT_QUANTILES)
		put_quantiles(e, sum, &s, out);
	else if (e->what > COUNT_SUM)
		put_histogram(e, &s, out);
}

static void put_row(struct export *e, u32 i, struct buf *out)
{
	const struct count_row *r = count_view_row(e->view, i);
	const struct count_keys *k = e->view->table->keys;
	u32 key;

	json_open_item(out, '{');
	for (key = 0; key < k->nr; key++) {
		json_key_escaped(out, k->v[key].name, strlen(k->v[key].name));
		count_names_json(e->view->table, r, key, out);
	}
	put_numbers(e, &r->sum, e->view->order[i], out);
	buf_addc(out, '}');
}

static void put_keys(const struct count_keys *k, struct buf *out)
{
	u32 i;

	json_put_open(out, "keys", '[');
	for (i = 0; i < k->nr; i++) {
		json_item(out);
		json_string(out, k->v[i].name, strlen(k->v[i].name));
	}
	buf_addc(out, ']');
	if (!k->has_of)
		return;
	json_put_string(out, "of", k->of.name);
	if (!k->of_unit[0])
		return;
	json_put_string(out, "unit", k->of_unit);
}

/* What is not among the rows, and what all is. */
static void put_sums(struct export *e, const struct count_sum *total, struct buf *out)
{
	const struct count_table *t = e->view->table;

	json_put_open(out, "rest", '{');
	json_put_unsigned(out, "rows", e->view->hidden);
	put_count(e, &e->view->rest, out);
	buf_addc(out, '}');
	json_put_open(out, "others", '{');
	put_count(e, &t->others, out);
	buf_addc(out, '}');
	json_put_open(out, "total", '{');
	put_numbers(e, total, COUNT_ROW_ALL, out);
	buf_addc(out, '}');
	if (e->what == COUNT_NUMBER)
		return;
	json_put_unsigned(out, "without", total->nr - total->with);
	json_put_unsigned(out, "clipped", t->clipped);
	json_put_unsigned(out, "rounded", t->values.rounded);
	json_put_unsigned(out, "unkept", t->values.unkept);
}

int count_export_json(const struct count_export *x, const struct count_view *v, struct buf *out,
		      struct err *err)
{
	struct count_sum total = count_table_total(v->table);
	struct export e;
	u32 i;

	if (begin(&e, x, v, err))
		return -ENOMEM;
	json_open(out, '{');
	if (x->members)
		buf_adds(out, x->members);
	json_put_unsigned(out, "samples", total.nr);
	put_keys(v->table->keys, out);
	json_put_open(out, "rows", '[');
	for (i = 0; i < v->shown; i++)
		put_row(&e, i, out);
	buf_addc(out, ']');
	put_sums(&e, &total, out);
	buf_adds(out, "}\n");
	return end(&e, out, err);
}

/* The least and the greatest have columns of their own. */
static bool is_end(double quantile)
{
	return quantile <= 0 || quantile >= 1;
}

void count_export_csv_head(const struct count_export *x, const struct count_view *v,
			   struct buf *out)
{
	const double *quantiles = x->quantiles ? x->quantiles : count_text_quantiles;
	u32 nr = x->quantiles ? x->nr_quantiles : COUNT_QUANTILES_DEFAULT, i;
	const struct count_keys *k = v->table->keys;

	buf_adds(out, "count");
	if (v->table->options.what != COUNT_NUMBER)
		buf_adds(out, ",sum,mean,min,max");
	for (i = 0; v->table->options.what == COUNT_QUANTILES && i < nr; i++) {
		if (is_end(quantiles[i]))
			continue;
		buf_addc(out, ',');
		count_text_quantile_name(quantiles[i], out);
	}
	for (i = 0; x->parts && i < x->parts->nr; i++)
		buf_addf(out, ",%s", x->parts->names[i]);
	for (i = 0; i < k->nr; i++) {
		buf_addc(out, ',');
		text_csv(out, k->v[i].name, strlen(k->v[i].name));
	}
	buf_addc(out, '\n');
}

static void put_csv_numbers(struct export *e, const struct count_sum *s, u32 row, struct buf *out)
{
	struct count_series series = series_of(e, row);
	u64 v;
	u32 i;

	buf_dec(out, s->nr, 0);
	if (e->what == COUNT_NUMBER)
		return;
	buf_addc(out, ',');
	count_bars_wide(s->sum, out);
	buf_addc(out, ',');
	if (s->with) {
		json_rounded(out, (double)s->sum / (double)s->with);
		buf_addc(out, ',');
		count_bars_value(s->least, e->is_signed, out);
		buf_addc(out, ',');
		count_bars_value(s->most, e->is_signed, out);
	} else {
		buf_adds(out, ",,");
	}
	for (i = 0; e->what == COUNT_QUANTILES && i < e->nr_quantiles; i++) {
		if (is_end(e->quantiles[i]))
			continue;
		buf_addc(out, ',');
		if (count_text_quantile(e->quantiles[i], s, &series, &v))
			count_bars_value(v, e->is_signed, out);
	}
}

static void put_csv_key(struct export *e, const struct count_row *r, u32 key, struct buf *out)
{
	buf_clear(&e->cell);
	if (sample_key_is_stack(e->view->table->keys->v[key].kind))
		count_frames_folded(&e->view->table->stacks[key], (u32)r->words[COUNT_SHAPES + key],
				    0, &e->cell);
	else
		count_names_put(e->view->table, r, key, &e->cell);
	buf_addc(out, ',');
	text_csv(out, buf_str(&e->cell), e->cell.len);
	out->failed |= e->cell.failed;
}

int count_export_csv(const struct count_export *x, const struct count_view *v, struct buf *out,
		     struct err *err)
{
	const struct count_row *r;
	struct export e;
	u32 i, key, part;

	if (begin(&e, x, v, err))
		return -ENOMEM;
	for (i = 0; i < v->shown; i++) {
		r = count_view_row(v, i);
		put_csv_numbers(&e, &r->sum, v->order[i], out);
		for (part = 0; x->parts && part < x->parts->nr; part++)
			buf_addf(
				out, ",%llu",
				(unsigned long long)x->parts->of(x->parts->arg, v->order[i], part));
		for (key = 0; key < v->table->keys->nr; key++)
			put_csv_key(&e, r, key, out);
		buf_addc(out, '\n');
	}
	return end(&e, out, err);
}
