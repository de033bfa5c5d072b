// SPDX-License-Identifier: GPL-2.0
#include "util/format/stat_view.h"

#include <math.h>

bool stat_view_next(const struct stat_view *v, size_t *i, struct stat_row *row)
{
	const struct stat_table *t = v->table;
	u32 event, key;

	do {
		if (!stat_table_nth(t, (*i)++, &event, &key))
			return false;
	} while (!stat_table_shows(t, event, key));
	row->event = &t->shape->events[event];
	row->key = &t->keys[key];
	row->cell = stat_table_cell(t, event, key);
	row->summary = v->runs ? stat_runs_cell(v->runs, t, event, key) : NULL;
	row->value = row->cell->value * row->event->scale;
	row->running_pct = 100;
	if (row->cell->running != row->cell->enabled)
		row->running_pct = 100.0 * (double)row->cell->running / (double)row->cell->enabled;
	row->nr_derived = stat_derivations_get(v->derivations, t, event, key, row->derived);
	return true;
}

const char *stat_row_absent(const struct stat_row *row)
{
	switch (row->cell->state) {
	case STAT_NOT_COUNTED:
		return "<not counted>";
	case STAT_NOT_SUPPORTED:
		return "<not supported>";
	default:
		return NULL;
	}
}

unsigned int stat_row_decimals(const struct stat_row *row)
{
	return floor(row->event->scale) != row->event->scale ? 2 : 0;
}

double stat_row_noise(const struct stat_row *row)
{
	return stat_summary_pct(row->summary->error, row->summary->mean);
}

void stat_view_time(const struct stat_view *v, struct buf *b)
{
	u64 ns = v->table->end_ns - v->table->origin_ns;

	buf_dec(b, ns / 1000000000, 0);
	buf_addc(b, '.');
	buf_dec0(b, ns % 1000000000, 9);
}
