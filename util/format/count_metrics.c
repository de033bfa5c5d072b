// SPDX-License-Identifier: GPL-2.0
#include "util/format/count_metrics.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/format/count_names.h"
#include "util/format/count_text.h"
#include "util/format/openmetrics.h"

struct writing {
	const struct count_metrics *m;
	const struct count_table *t;
	enum count_what what;
	bool scaled; /* ns as seconds */
	struct buf name;
	struct histogram spread;
	struct openmetrics_labels labels;
	struct buf value; /* of a key */
	struct buf *out;
};

/* ---- labels ---- */

static void add_key(struct writing *w, const struct count_row *r, u32 key)
{
	const char *name = w->t->keys->v[key].name;

	if (sample_key_is_stack(w->t->keys->v[key].kind) || !count_names_has(w->t, r, key))
		return;
	buf_clear(&w->value);
	count_names_put(w->t, r, key, &w->value);
	openmetrics_key(&w->labels, name, w->value.data, w->value.len);
}

/* ---- numbers ---- */

static __int128 value_of(const struct writing *w, u64 v)
{
	return w->t->keys->of_signed ? (__int128)(s64)v : (__int128)v;
}

static void put_sample(struct writing *w, const char *suffix, const char *more, __int128 v,
		       bool scaled)
{
	openmetrics_sample(w->out, buf_str(&w->name), suffix, &w->labels, more);
	openmetrics_number(w->out, v, scaled);
}

static void put_quantiles(struct writing *w, const struct count_sum *sum,
			  const struct count_series *s)
{
	char more[48];
	u64 v;
	u32 i;

	for (i = 0; i < w->m->nr_quantiles; i++) {
		if (!count_text_quantile(w->m->quantiles[i], sum, s, &v))
			continue;
		snprintf(more, sizeof(more), "quantile=\"%.10g\"", w->m->quantiles[i]);
		put_sample(w, "", more, value_of(w, v), w->scaled);
	}
}

/*
 * The buckets end at the same numbers in all rows, at any time: their sums are a histogram, too. They are the steps that were
 * asked for, or else powers of two: of ns from 1 us to a minute, of others up to 2^40.
 */
#define TIME_FIRST 10u
#define TIME_LAST  36u
#define PLAIN_LAST 40u

static u32 nr_bounds(const struct writing *w)
{
	const struct count_values *v = &w->t->values;

	if (v->scale == COUNT_BY_STEP)
		return (u32)((v->to - v->from + v->step - 1) / v->step);
	return w->scaled ? TIME_LAST - TIME_FIRST + 1 : PLAIN_LAST + 1;
}

static u32 power_of(const struct writing *w, u32 i)
{
	return w->scaled ? TIME_FIRST + i : i;
}

/* The greatest number in bucket i. */
static __int128 bound_of(const struct writing *w, u32 i)
{
	const struct count_values *v = &w->t->values;

	if (v->scale == COUNT_BY_STEP)
		return MIN(value_of(w, v->from) + (__int128)v->step * (i + 1), value_of(w, v->to)) -
		       1;
	return ((__int128)1 << power_of(w, i)) - 1;
}

static bool is_within(const struct writing *w, u64 value, u32 i)
{
	switch (w->t->values.scale) {
	case COUNT_BY_STEP:
		return (s64)value <= (s64)i;
	case COUNT_BY_LOG2:
		return (s64)value <= (s64)power_of(w, i);
	default:
		return value_of(w, value) <= bound_of(w, i);
	}
}

static void put_bucket(struct writing *w, u32 i, u64 nr)
{
	buf_clear(&w->value);
	buf_adds(&w->value, "le=\"");
	openmetrics_number(&w->value, bound_of(w, i), w->scaled);
	/* without the end of the line */
	w->value.len -= !w->value.failed;
	buf_addc(&w->value, '"');
	put_sample(w, "_bucket", buf_str(&w->value), nr, false);
}

static void put_buckets(struct writing *w, const struct count_sum *sum,
			const struct count_series *s)
{
	u32 nr = nr_bounds(w), at = 0, i;
	u64 within = 0;

	for (i = 0; i < nr; i++) {
		for (; at < s->nr && is_within(w, s->v[at].value, i); at++)
			within += s->v[at].nr;
		put_bucket(w, i, within);
	}
	put_sample(w, "_bucket", "le=\"+Inf\"", sum->with, false);
}

static void put_numbers(struct writing *w, const struct count_sum *sum, u32 row)
{
	struct count_series s = {0};
	bool falls;

	if (w->what == COUNT_NUMBER) {
		put_sample(w, "_total", NULL, sum->nr, false);
		return;
	}
	if (w->what >= COUNT_LOG2)
		s = histogram_of(&w->spread, row);
	if (w->what == COUNT_QUANTILES)
		put_quantiles(w, sum, &s);
	else if (w->what > COUNT_SUM)
		put_buckets(w, sum, &s);
	/* a sum that may fall is no counter; of a histogram, neither comes without the other */
	falls = w->t->options.negative || (sum->with && value_of(w, sum->least) < 0);
	if (!falls || w->what == COUNT_SUM || w->what == COUNT_QUANTILES)
		put_sample(w, "_count", NULL, sum->with, false);
	if (!falls)
		put_sample(w, "_sum", NULL, sum->sum, w->scaled);
}

/* ---- rows ---- */

static int put_row(struct writing *w, u32 row, struct err *err)
{
	const struct count_row *r = count_table_row(w->t, row);
	u32 key;

	if (!r->sum.nr)
		return 0;
	openmetrics_labels_clear(&w->labels);
	for (key = 0; key < w->t->keys->nr; key++)
		add_key(w, r, key);
	if (openmetrics_labels_distinct(&w->labels, err))
		return -ENOMEM;
	put_numbers(w, &r->sum, row);
	return 0;
}

static void put_family(struct writing *w)
{
	static const char *const types[] = {[COUNT_NUMBER] = "counter",
					    [COUNT_SUM] = "summary",
					    [COUNT_LOG2] = "histogram",
					    [COUNT_LINEAR] = "histogram",
					    [COUNT_QUANTILES] = "summary"};

	buf_adds(&w->name, w->m->name);
	if (w->what != COUNT_NUMBER && !w->m->durations) {
		buf_addc(&w->name, '_');
		openmetrics_name(&w->name, w->t->keys->of.name);
	}
	buf_adds(&w->name, w->scaled ? "_seconds" : "");
	openmetrics_family(w->out, buf_str(&w->name), types[w->what], w->scaled ? "seconds" : NULL,
			   w->m->help);
}

int count_metrics_put(const struct count_metrics *m, const struct count_table *t, struct buf *out,
		      struct err *err)
{
	struct writing w = {.m = m, .t = t, .what = t->options.what, .out = out};
	int ret = 0;
	u32 i;

	w.scaled = w.what != COUNT_NUMBER && (m->durations || !strcmp(t->keys->of_unit, "ns"));
	if (w.what >= COUNT_LOG2)
		ret = histogram_init(&w.spread, &t->values, t->nr, err);
	if (!ret)
		put_family(&w);
	for (i = 0; i < t->nr && !ret; i++)
		ret = put_row(&w, i, err);
	if (!ret && t->others.nr) {
		openmetrics_labels_clear(&w.labels);
		openmetrics_label(&w.labels, "others", "true", strlen("true"));
		put_numbers(&w, &t->others, COUNT_ROW_OTHERS);
	}
	if (!ret && (out->failed || w.name.failed || w.value.failed))
		ret = err_nomem(err);
	if (w.what >= COUNT_LOG2)
		histogram_free(&w.spread);
	openmetrics_labels_free(&w.labels);
	buf_free(&w.name);
	buf_free(&w.value);
	return ret;
}
