// SPDX-License-Identifier: GPL-2.0
#include "util/format/stat_view.h"

#include <string.h>

#include "util/base/json.h"
#include "util/base/text.h"

static void put_quoted(struct buf *b, const char *s, const char *sep)
{
	if (!strpbrk(s, "\"\n\r") && !(*sep && strstr(s, sep))) {
		buf_adds(b, s);
		return;
	}
	buf_addc(b, '"');
	for (; *s; s++) {
		if (*s == '"')
			buf_addc(b, '"');
		buf_addc(b, *s);
	}
	buf_addc(b, '"');
}

/* Names come from other people: no control bytes. */
static void put_name(struct buf *b, const char *s, const char *sep)
{
	struct buf plain = {0};

	text_escape(&plain, s, strlen(s));
	put_quoted(b, buf_str(&plain), sep);
	b->failed |= plain.failed;
	buf_free(&plain);
}

static void put_key(struct buf *b, const struct stat_view *v, const struct stat_row *r,
		    const char *sep)
{
	enum stat_aggregation by = v->table->by;
	struct buf name = {0};

	if (v->interval || v->summary) {
		if (v->summary)
			buf_adds(b, "summary");
		else
			stat_view_time(v, b);
		buf_adds(b, sep);
	}
	stat_key_print(r->key, by, &name);
	if (name.len) {
		put_quoted(b, buf_str(&name), sep);
		buf_adds(b, sep);
	}
	b->failed |= name.failed;
	buf_free(&name);
	if (stat_table_joins_cpus(v->table))
		buf_addf(b, "%u%s", r->cell->counters, sep);
}

static void put_derived(struct buf *b, const struct stat_derived *d, const char *sep)
{
	buf_adds(b, sep);
	json_fixed(b, d->value, d->decimals);
	buf_adds(b, sep);
	put_name(b, d->unit, sep);
}

static void put_row(struct buf *b, const struct stat_view *v, const struct stat_row *r,
		    const char *sep)
{
	const char *absent = stat_row_absent(r);

	put_key(b, v, r, sep);
	if (absent)
		buf_adds(b, absent);
	else
		json_fixed(b, r->value, stat_row_decimals(r));
	buf_addf(b, "%s%s%s", sep, r->event->unit, sep);
	put_name(b, r->event->name, sep);
	if (v->table->cgroups) {
		buf_adds(b, sep);
		put_name(b, r->event->cgroup ? r->event->cgroup : "", sep);
	}
	if (v->runs) {
		buf_adds(b, sep);
		json_fixed(b, stat_row_noise(r), 2);
		buf_addc(b, '%');
	}
	buf_adds(b, sep);
	buf_dec(b, r->cell->running, 0);
	buf_adds(b, sep);
	json_fixed(b, r->running_pct, 2);
	if (r->nr_derived)
		put_derived(b, &r->derived[0], sep);
	else
		buf_addf(b, "%s%s", sep, sep);
	buf_addc(b, '\n');
}

void stat_csv(struct buf *b, const struct stat_view *v, const char *separator)
{
	u32 empty = 4 + v->table->cgroups + (v->runs != NULL), k, n;
	struct stat_row r;
	size_t i = 0;

	while (stat_view_next(v, &i, &r)) {
		put_row(b, v, &r, separator);
		for (k = 1; k < r.nr_derived; k++) {
			put_key(b, v, &r, separator);
			for (n = 0; n < empty; n++)
				buf_adds(b, separator);
			put_derived(b, &r.derived[k], separator);
			buf_addc(b, '\n');
		}
	}
}

static void put_head(struct buf *b, const struct stat_view *v, const struct stat_ratios *r,
		     const char *sep)
{
	enum stat_aggregation by = v->table->by;
	struct buf title = {0};
	u32 i;

	if (v->interval || v->summary)
		buf_addf(b, "time%s", sep);
	if (by != STAT_GLOBAL)
		buf_addf(b, "%s%s%s", stat_table_rows(v->table),
			 by == STAT_PER_THREAD ? "-pid" : "", sep);
	if (stat_table_joins_cpus(v->table))
		buf_addf(b, "cpus%s", sep);
	for (i = 0; i < r->nr; i++) {
		buf_clear(&title);
		stat_ratios_title(&r->v[i], v, &title);
		put_quoted(b, buf_str(&title), sep);
		buf_adds(b, sep);
	}
	buf_addc(b, '\n');
	b->failed |= title.failed;
	buf_free(&title);
}

void stat_csv_ratios(struct buf *b, const struct stat_view *v, const struct stat_ratios *r,
		     const char *separator, bool head)
{
	struct stat_derived d;
	struct stat_row row;
	u32 key = 0, i;

	if (head)
		put_head(b, v, r, separator);
	while (stat_ratios_next(r, v, &key, &row)) {
		put_key(b, v, &row, separator);
		for (i = 0; i < r->nr; i++) {
			if (stat_ratios_value(&r->v[i], v, &row, &d))
				json_fixed(b, d.value, d.decimals);
			buf_adds(b, separator);
		}
		buf_addc(b, '\n');
	}
}
