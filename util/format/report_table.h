/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report_table.h - the columns of a report's table, and the cells in them: what tables of rows and
 * of nested rows (report_text.h, hierarchy_text.h) share.
 */
#ifndef FORMAT_REPORT_TABLE_H
#define FORMAT_REPORT_TABLE_H

#include "util/format/report_text.h"

/* One event's table, or that of a group. */
struct report_table {
	struct report_text *t;
	const struct report_view *v;
	struct report_table_column {
		const struct report_column *c;
		size_t width;
		size_t fixed; /* what was asked for, 0: nothing */
	} * columns;
	u32 nr;
	struct buf *out;
};

/* Choose the columns; those that are the same in all rows are left out with `elide`. False: memory is out. */
bool report_table_init(struct report_table *t, struct report_text *text,
		       const struct report_view *v, bool elide, struct buf *out);
void report_table_free(struct report_table *t);

/* The value shown above the table, since all rows have it in this column; else NULL. */
const char *report_table_elided(const struct report_text *t, const struct report_column *c);
/* "# Samples: 2K of event 'cpu-clock'" and what follows it. */
void report_table_event(const struct report_table *t);
const char *report_table_title(const struct report_table *t, u32 column);

/* What separates two columns, before column i. */
void report_table_between(const struct report_table *t, u32 i);
/* A text in its column; titles are padded on both sides. */
void report_table_text(const struct report_table *t, u32 i, const char *s, size_t len,
		       bool is_title);
/* The text of a key. */
void report_table_cell(const struct report_table *t, const struct report_entry *e, u32 i,
		       struct buf *cell);
/* A column of numbers: of each member of the group, or of the one event. */
void report_table_numbers(const struct report_table *t, u32 i, const struct report_numbers *n);

#endif
