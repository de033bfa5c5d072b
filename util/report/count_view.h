/* SPDX-License-Identifier: GPL-2.0 */
/*
 * count_view.h - the rows of a table (count_table.h) in their order, of which the first ones are shown.
 *
 * Rows with more come first: more samples, or what else `by` says. Rows with the same are in the
 * order of their keys: numbers by value, texts by their bytes. So the same samples give the same
 * order, whenever each was seen.
 */
#ifndef REPORT_COUNT_VIEW_H
#define REPORT_COUNT_VIEW_H

#include "util/report/count_table.h"

enum count_order {
	COUNT_ORDER_NUMBER, /* of samples */
	COUNT_ORDER_SUM,    /* of what --of names; likewise */
	COUNT_ORDER_MEAN,
	COUNT_ORDER_MOST, /* the greatest */
};

struct count_view {
	const struct count_table *table;
	u32 *order;            /* of all rows that are not empty */
	u32 nr;                /* of these */
	u32 shown;             /* of them, the first */
	u32 hidden;            /* the others */
	struct count_sum rest; /* of them */
};

/* top: so many rows are shown, 0: all. The table must not change as long as the view is used. */
int count_view_init(struct count_view *v, const struct count_table *t, enum count_order by, u32 top,
		    struct err *err);
static inline const struct count_row *count_view_row(const struct count_view *v, u32 i)
{
	return count_table_row(v->table, v->order[i]);
}
void count_view_free(struct count_view *v);

#endif
