// SPDX-License-Identifier: GPL-2.0
#include "util/library/latency_internal.h"

#include <stdlib.h>

void latency_rows_reset(struct latency *l)
{
	u32 i;

	count_table_reset(&l->table);
	latency_states_reset(l);
	spans_set_rows(&l->spans, COUNT_ROW_OTHERS, LATENCY_ROW_LEFT_OUT);
	for (i = 0; i < l->slow.nr; i++)
		l->slow.v[i].span.row = COUNT_ROW_OTHERS;
}

struct rows {
	u32 *v, nr; /* by row: is it kept, and then its new number */
};

static int mark_row(void *arg, struct span *span)
{
	const struct rows *rows = arg;

	if (span->row < rows->nr)
		rows->v[span->row] = 1;
	return 0;
}

static int change_row(void *arg, struct span *span)
{
	const struct rows *rows = arg;

	if (span->row < rows->nr)
		span->row = rows->v[span->row];
	return 0;
}

/* Rows of open spans stay. */
static int forget_rows(struct latency *l, struct err *err)
{
	struct rows rows = {.nr = l->table.nr};
	u32 i;

	rows.v = calloc(MAX(rows.nr, 1u), sizeof(*rows.v));
	if (!rows.v)
		return err_nomem(err);
	spans_each_open(&l->spans, mark_row, &rows);
	for (i = 0; i < l->slow.nr; i++)
		if (l->slow.v[i].span.row < rows.nr)
			rows.v[l->slow.v[i].span.row] = 1;
	count_table_keep(&l->table, rows.v);
	spans_each_open(&l->spans, change_row, &rows);
	for (i = 0; i < l->slow.nr; i++)
		if (l->slow.v[i].span.row < rows.nr)
			l->slow.v[i].span.row = rows.v[l->slow.v[i].span.row];
	free(rows.v);
	return 0;
}

/* Not again and again for the same open spans. */
static bool is_time(const struct latency *l)
{
	const u32 max = l->table.options.max_rows;

	return l->rows.no_table && l->table.nr >= max / 2 &&
	       (l->table.nr - l->rows.kept >= max / 4 ||
		l->spans.account.begins - l->rows.begins >= max / 4);
}

static int make_room(struct latency *l, struct err *err)
{
	int ret = 0;

	if (!is_time(l))
		return 0;
	latency_states_empty(l);
	if (count_table_is_large(&l->table))
		latency_rows_reset(l);
	else
		ret = forget_rows(l, err);
	l->rows.kept = l->table.nr;
	l->rows.begins = l->spans.account.begins;
	return ret;
}

int latency_rows_find(struct latency *l, const struct session_sample *of,
		      const struct session_sample *s, u32 *row, struct err *err)
{
	int ret = make_room(l, err);

	return ret ? ret : count_table_find_row(&l->table, of, s, row, err);
}
