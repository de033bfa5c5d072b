// SPDX-License-Identifier: GPL-2.0
#include "util/format/stat_view.h"

#include <math.h>
#include <string.h>

#include "util/base/json.h"
#include "util/base/text.h"

/* Columns of perf stat 6.12. */
#define TIME_WIDTH    16
#define COUNT_WIDTH   18
#define UNIT_WIDTH    4
#define NAME_WIDTH    32
#define CGROUP_WIDTH  16
#define DERIVED_WIDTH 38
#define COMM_WIDTH    16
#define RATIO_WIDTH   20

/* A longer name moves only its own line out of the columns. */
#define NAME_WIDTH_MAX 60
#define COMM_WIDTH_MAX 32

static const int key_widths[] = {
	[STAT_PER_CPU] = 6,  [STAT_PER_CORE] = 18,  [STAT_PER_CLUSTER] = 20,
	[STAT_PER_DIE] = 12, [STAT_PER_SOCKET] = 6, [STAT_PER_NODE] = 6,
};

struct widths {
	int unit, name, comm;
};

static bool shows_any(const struct stat_table *t, u32 key)
{
	u32 e;

	for (e = 0; e < t->shape->nr_events; e++)
		if (stat_table_shows(t, e, key))
			return true;
	return false;
}

static struct widths find_widths(const struct stat_table *t)
{
	struct widths w = {UNIT_WIDTH, NAME_WIDTH, COMM_WIDTH};
	u32 e, k;

	for (e = 0; e < t->shape->nr_events; e++) {
		w.unit = MAX(w.unit, (int)strlen(t->shape->events[e].unit));
		w.name = MAX(w.name, (int)strlen(t->shape->events[e].name));
	}
	for (k = 0; t->by == STAT_PER_THREAD && k < t->nr_keys; k++)
		if (shows_any(t, k))
			w.comm = MAX(w.comm, (int)strlen(t->keys[k].comm));
	w.name = MIN(w.name, NAME_WIDTH_MAX);
	w.comm = MIN(w.comm, COMM_WIDTH_MAX);
	return w;
}

/* ---- title and names of columns ---- */

static void put_escaped(struct buf *b, const char *s)
{
	text_escape(b, s, strlen(s));
}

/* At the left of a column. */
static void put_in_column(struct buf *b, const char *s, int width)
{
	const size_t at = b->len;

	put_escaped(b, s);
	if (b->len - at < (size_t)width)
		buf_pad(b, ' ', (size_t)width - (b->len - at));
}

void stat_text_title(struct buf *b, const char *what, u32 runs)
{
	buf_adds(b, "\n Performance counter stats for ");
	put_escaped(b, what);
	if (runs > 1)
		buf_addf(b, " (%u runs)", runs);
	buf_adds(b, ":\n\n");
}

/* The titles of the columns before the counts of intervals. */
static void put_key_columns(struct buf *b, const struct stat_view *v, const struct widths *w)
{
	enum stat_aggregation by = v->table->by;

	buf_addf(b, "#%*s", TIME_WIDTH - 1, "time");
	if (by == STAT_PER_THREAD)
		buf_addf(b, " %*s-%-7s", w->comm, "comm", "pid");
	else if (by != STAT_GLOBAL)
		buf_addf(b, " %-*s", key_widths[by], stat_table_rows(v->table));
	if (stat_table_joins_cpus(v->table))
		buf_adds(b, " cpus");
}

static void put_columns(struct buf *b, const struct stat_view *v, const struct widths *w)
{
	put_key_columns(b, v, w);
	buf_addf(b, " %*s %*s events\n", COUNT_WIDTH, "counts", w->unit, "unit");
}

/* ---- rows ---- */

static void put_key(struct buf *b, const struct stat_view *v, const struct stat_row *r,
		    const struct widths *w)
{
	enum stat_aggregation by = v->table->by;
	struct buf name = {0};

	if (v->interval) {
		stat_view_time(v, &name);
		buf_addf(b, "%*s ", TIME_WIDTH, buf_str(&name));
		buf_clear(&name);
	}
	if (by == STAT_PER_THREAD) {
		put_escaped(&name, r->key->comm);
		buf_addf(b, "%*s-%-7d ", w->comm, buf_str(&name), r->key->tid);
	} else if (by != STAT_GLOBAL) {
		stat_key_print(r->key, by, &name);
		buf_addf(b, "%-*s ", key_widths[by], buf_str(&name));
	}
	if (stat_table_joins_cpus(v->table))
		buf_addf(b, "%4u ", r->cell->counters);
	b->failed |= name.failed;
	buf_free(&name);
}

/* A comma every three digits in front of the point. */
static void put_grouped(struct buf *b, const char *number)
{
	size_t digits;

	if (*number == '-')
		buf_addc(b, *number++);
	for (digits = strspn(number, "0123456789"); digits; digits--) {
		buf_addc(b, *number++);
		if (digits > 1 && digits % 3 == 1)
			buf_addc(b, ',');
	}
	buf_adds(b, number);
}

static void put_count(struct buf *b, const struct stat_text *s, const struct stat_row *r)
{
	struct buf number = {0}, grouped = {0};

	json_fixed(&number, r->value, stat_row_decimals(r));
	if (s->big_numbers)
		put_grouped(&grouped, buf_str(&number));
	buf_addf(b, "%*s ", COUNT_WIDTH, buf_str(s->big_numbers ? &grouped : &number));
	b->failed |= number.failed || grouped.failed;
	buf_free(&number);
	buf_free(&grouped);
}

static const char *colour_of(const struct stat_colours *c, enum stat_level level)
{
	switch (level) {
	case STAT_LESS_GOOD:
		return c->less_good;
	case STAT_NEARLY_BAD:
		return c->nearly_bad;
	case STAT_BAD:
		return c->bad;
	default:
		return "";
	}
}

static void put_derived(struct buf *b, const struct stat_colours *c, const struct stat_derived *d)
{
	const char *colour = colour_of(c, d->level);
	struct buf number = {0};

	json_fixed(&number, d->value, d->decimals);
	if (d->percent)
		buf_addc(&number, '%');
	else if (d->decimals == 2)
		buf_addc(&number, ' ');
	buf_addf(b, " # %s%8s%s %-*s", colour, buf_str(&number), *colour ? c->off : "",
		 DERIVED_WIDTH - MAX(8, (int)number.len) - 4, d->unit);
	b->failed |= number.failed;
	buf_free(&number);
}

static void put_event(struct buf *b, const struct stat_text *s, const struct stat_view *v,
		      const struct stat_row *r, const struct widths *w)
{
	const char *absent = stat_row_absent(r);

	if (absent)
		buf_addf(b, "%s%*s%s ", s->colours.dim, COUNT_WIDTH, absent,
			 *s->colours.dim ? s->colours.off : "");
	else
		put_count(b, s, r);
	put_in_column(b, r->event->unit, w->unit);
	buf_addc(b, ' ');
	put_in_column(b, r->event->name, w->name);
	if (v->table->cgroups) {
		buf_addc(b, ' ');
		put_in_column(b, r->event->cgroup ? r->event->cgroup : "", CGROUP_WIDTH);
	}
}

static void put_confidence(struct buf *b, const struct stat_view *v, const struct stat_row *r)
{
	double noise = v->runs ? stat_row_noise(r) : 0;

	if (noise)
		buf_addf(b, "  ( +-%6.2f%% )", noise);
	if (r->cell->running != r->cell->enabled)
		buf_addf(b, "  (%.2f%%)", r->running_pct);
}

static void end_line(struct buf *b)
{
	while (b->len && b->data[b->len - 1] == ' ')
		b->len--;
	buf_addc(b, '\n');
}

static void put_row(struct buf *b, const struct stat_text *s, const struct stat_view *v,
		    const struct stat_row *r, const struct widths *w)
{
	u32 i;

	put_key(b, v, r, w);
	put_event(b, s, v, r, w);
	for (i = 0; i < r->nr_derived; i++) {
		if (i) {
			end_line(b);
			put_key(b, v, r, w);
			buf_pad(b, ' ', (size_t)(COUNT_WIDTH + w->unit + w->name + 2));
			if (v->table->cgroups)
				buf_pad(b, ' ', CGROUP_WIDTH + 1);
		}
		put_derived(b, &s->colours, &r->derived[i]);
	}
	if (!r->nr_derived)
		buf_pad(b, ' ', DERIVED_WIDTH);
	put_confidence(b, v, r);
	end_line(b);
}

/* Of one more interval. */
static bool titles_due(struct stat_text *s)
{
	u32 before = s->intervals++;

	return !before || (s->header_every && before % s->header_every == 0);
}

void stat_text(struct buf *b, struct stat_text *s, const struct stat_view *v)
{
	struct widths w = find_widths(v->table);
	struct stat_row r;
	size_t i = 0;

	if (v->interval && titles_due(s))
		put_columns(b, v, &w);
	while (stat_view_next(v, &i, &r))
		put_row(b, s, v, &r, &w);
}

/* ---- ratios ---- */

/* The bytes before the counts of a row. */
static size_t key_width(const struct stat_view *v, const struct widths *w)
{
	enum stat_aggregation by = v->table->by;

	return (by == STAT_PER_THREAD ? (size_t)w->comm + 9
		: by != STAT_GLOBAL   ? (size_t)key_widths[by] + 1
				      : 0) +
	       (stat_table_joins_cpus(v->table) ? 5 : 0);
}

static void put_ratio_titles(struct buf *b, const struct stat_view *v, const struct stat_ratios *r,
			     const struct widths *w)
{
	struct buf title = {0};
	u32 i;

	if (v->interval) {
		put_key_columns(b, v, w);
		buf_addc(b, ' ');
	} else {
		buf_pad(b, ' ', key_width(v, w));
	}
	for (i = 0; i < r->nr; i++) {
		buf_clear(&title);
		stat_ratios_title(&r->v[i], v, &title);
		buf_addf(b, "%*s ", RATIO_WIDTH, buf_str(&title));
	}
	end_line(b);
	b->failed |= title.failed;
	buf_free(&title);
}

static void put_ratio(struct buf *b, const struct stat_text *s, const struct stat_view *v,
		      const struct stat_ratio *r, const struct stat_row *row)
{
	struct buf title = {0}, number = {0};
	const char *colour = s->colours.dim;
	struct stat_derived d;

	stat_ratios_title(r, v, &title);
	if (stat_ratios_value(r, v, row, &d)) {
		colour = colour_of(&s->colours, d.level);
		json_fixed(&number, d.value, d.decimals);
		buf_adds(&number, d.percent ? "%" : "");
	} else {
		buf_adds(&number, stat_ratios_absent(r, v, row));
	}
	buf_addf(b, "%s%*s%s ", colour, MAX(RATIO_WIDTH, (int)title.len), buf_str(&number),
		 *colour ? s->colours.off : "");
	b->failed |= title.failed || number.failed;
	buf_free(&title);
	buf_free(&number);
}

void stat_text_ratios(struct buf *b, struct stat_text *s, const struct stat_view *v,
		      const struct stat_ratios *r)
{
	struct widths w = find_widths(v->table);
	struct stat_row row;
	u32 key = 0, i;

	if (!v->interval || titles_due(s))
		put_ratio_titles(b, v, r, &w);
	while (stat_ratios_next(r, v, &key, &row)) {
		put_key(b, v, &row, &w);
		for (i = 0; i < r->nr; i++)
			put_ratio(b, s, v, &r->v[i], &row);
		end_line(b);
	}
}

/* ---- footer ---- */

/* As many decimals as give three digits of the deviation: more of them mean nothing. */
static int decimals_for(double deviation)
{
	if (deviation <= 0)
		return 9;
	if (deviation >= 1)
		return 2;
	return MIN(9, (int)ceil(-log10(deviation)) + 2);
}

/* The farther from the mean the longer, perf's measure; one that took no time ends somewhere. */
static size_t bar(double seconds, double mean)
{
	double off = 100 * fabs(seconds - mean) / MAX(seconds, 1e-9);

	return 1 + (size_t)MIN(off / 5, 60);
}

static void put_table_of_runs(struct buf *b, const struct stat_runs *runs, double mean,
			      int decimals)
{
	struct buf number = {0};
	double seconds;
	size_t indent;
	u32 i;

	buf_addf(&number, " %17.*f", decimals, mean);
	indent = strspn(buf_str(&number), " ");
	b->failed |= number.failed;
	buf_free(&number);
	buf_pad(b, ' ', indent);
	buf_adds(b, "# Table of individual measurements:\n");
	for (i = 0; i < runs->nr; i++) {
		seconds = stat_runs_elapsed_of(runs, i) / 1e9;
		buf_addf(b, " %17.*f (%+.*f) ", decimals, seconds, decimals, seconds - mean);
		buf_pad(b, '#', bar(seconds, mean));
		buf_addc(b, '\n');
	}
	buf_addc(b, '\n');
	buf_pad(b, ' ', indent);
	buf_adds(b, "# Final result:\n");
}

static void put_elapsed_of_runs(struct buf *b, const struct stat_runs *runs, bool table)
{
	const struct stat_summary *s = stat_runs_elapsed(runs);
	double mean = s->mean / 1e9, error = s->error / 1e9;
	int decimals = decimals_for(error);

	if (table)
		put_table_of_runs(b, runs, mean, decimals);
	buf_addf(b, " %17.*f +- %.*f seconds time elapsed", decimals, mean, decimals, error);
	if (error)
		buf_addf(b, "  ( +-%6.2f%% )", stat_summary_pct(error, mean));
	buf_addf(b, "\n %17.*f +- %.*f seconds, median and median absolute deviation\n\n", decimals,
		 s->median / 1e9, decimals, s->mad / 1e9);
}

void stat_text_footer(struct buf *b, const struct stat_view *v, const struct stat_reading *r,
		      bool times, bool table_of_runs)
{
	if (v->table->shape->nr_events)
		buf_addc(b, '\n');
	if (v->runs) {
		put_elapsed_of_runs(b, v->runs, table_of_runs);
		return;
	}
	buf_addf(b, " %17.9f seconds time elapsed\n\n", (double)(r->end_ns - r->origin_ns) / 1e9);
	if (times && r->ended)
		buf_addf(b, " %17.9f seconds user\n %17.9f seconds sys\n\n\n",
			 (double)r->user_ns / 1e9, (double)r->sys_ns / 1e9);
}

void stat_text_reasons(struct buf *b, const struct stat_view *v)
{
	const struct stat_event *last = NULL;
	struct stat_row r;
	size_t i = 0;

	while (stat_view_next(v, &i, &r)) {
		const char *absent = stat_row_absent(&r);

		/* of an event that was opened nowhere, once for all rows */
		if (!absent || (r.event == last && r.event->state != STAT_COUNTED))
			continue;
		last = r.event;
		put_escaped(b, r.event->name);
		if (r.event->state == STAT_COUNTED && v->table->by != STAT_GLOBAL) {
			buf_adds(b, ", ");
			stat_key_print(r.key, v->table->by, b);
		}
		buf_addf(b, ": %s", absent);
		if (*r.cell->reason)
			buf_addf(b, ": %s", r.cell->reason);
		buf_addc(b, '\n');
	}
}
