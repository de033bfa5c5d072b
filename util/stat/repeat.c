// SPDX-License-Identifier: GPL-2.0
#include "util/stat/repeat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double middle(const double *sorted, u32 nr)
{
	return nr % 2 ? sorted[nr / 2] : (sorted[nr / 2 - 1] + sorted[nr / 2]) / 2;
}

void stat_summary_of(struct stat_summary *s, double *values, u32 nr)
{
	double squares = 0;
	u32 i;

	*s = (struct stat_summary){.nr = nr};
	if (!nr)
		return;
	for (i = 0; i < nr; i++)
		s->mean += values[i] / nr;
	for (i = 0; i < nr; i++)
		squares += (values[i] - s->mean) * (values[i] - s->mean);
	if (nr > 1)
		s->stddev = sqrt(squares / (nr - 1));
	s->error = s->stddev / sqrt(nr);
	qsort(values, nr, sizeof(*values), by_value);
	s->min = values[0];
	s->max = values[nr - 1];
	s->median = middle(values, nr);
	for (i = 0; i < nr; i++)
		values[i] = fabs(values[i] - s->median);
	qsort(values, nr, sizeof(*values), by_value);
	s->mad = middle(values, nr);
}

double stat_summary_pct(double deviation, double mean)
{
	return mean ? 100 * deviation / fabs(mean) : 0;
}

static u32 nr_cells(const struct stat_table *t)
{
	return t->shape->nr_events * t->nr_keys;
}

int stat_runs_init(struct stat_runs *r, const struct stat_table *t, struct err *err)
{
	u32 n = nr_cells(t) + 1;

	*r = (struct stat_runs){.nr_cells = n};
	r->times = calloc(n, sizeof(*r->times));
	r->summaries = calloc(n, sizeof(*r->summaries));
	if (r->times && r->summaries)
		return 0;
	stat_runs_free(r);
	return err_nomem(err);
}

void stat_runs_free(struct stat_runs *r)
{
	free(r->values);
	free(r->times);
	free(r->summaries);
	*r = (struct stat_runs){0};
}

int stat_runs_add(struct stat_runs *r, const struct stat_table *t, struct err *err)
{
	const struct stat_cell *c = t->cells;
	double *row;
	u32 i;

	if (!vec_grow((void **)&r->values, &r->cap, r->nr + 1u, r->nr_cells * sizeof(*r->values)))
		return err_nomem(err);
	row = r->values + (size_t)r->nr++ * r->nr_cells;
	for (i = 0; i < r->nr_cells - 1; i++, c++) {
		row[i] = c->state == STAT_COUNTED ? c->value : NAN;
		r->times[i].enabled += c->enabled;
		r->times[i].running += c->running;
	}
	row[i] = t->elapsed_ns;
	return 0;
}

/* The values of one cell, those that are there. */
static u32 column(const struct stat_runs *r, u32 cell, double *values)
{
	u32 i, nr = 0;

	for (i = 0; i < r->nr; i++) {
		double v = r->values[(size_t)i * r->nr_cells + cell];

		if (!isnan(v))
			values[nr++] = v;
	}
	return nr;
}

/* An event that was counted in some runs has the mean of these. */
static void end_cell(struct stat_cell *c, const struct stat_summary *s,
		     const struct stat_count *times)
{
	if (!s->nr)
		return;
	c->state = STAT_COUNTED;
	c->reason = "";
	c->value = s->mean;
	c->total = (u64)llround(s->mean);
	c->enabled = times->enabled / s->nr;
	c->running = times->running / s->nr;
}

int stat_runs_end(struct stat_runs *r, struct stat_table *t, struct err *err)
{
	double *values = calloc(MAX(r->nr, 1u), sizeof(*values));
	u32 i;

	if (!values)
		return err_nomem(err);
	for (i = 0; i < r->nr_cells; i++) {
		stat_summary_of(&r->summaries[i], values, column(r, i, values));
		if (i < r->nr_cells - 1)
			end_cell(&t->cells[i], &r->summaries[i], &r->times[i]);
	}
	t->elapsed_ns = stat_runs_elapsed(r)->mean;
	free(values);
	return 0;
}

const struct stat_summary *stat_runs_cell(const struct stat_runs *r, const struct stat_table *t,
					  u32 event, u32 key)
{
	return &r->summaries[(size_t)event * t->nr_keys + key];
}

const struct stat_summary *stat_runs_elapsed(const struct stat_runs *r)
{
	return &r->summaries[r->nr_cells - 1];
}

double stat_runs_elapsed_of(const struct stat_runs *r, u32 run)
{
	return r->values[(size_t)run * r->nr_cells + r->nr_cells - 1];
}
