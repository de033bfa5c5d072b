/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report_order.h - the order of the rows of a report.
 *
 * As perf's: by the columns of report_keys.order, numbers falling, all else rising, what is not
 * known last. Of a group, numbers of the leader decide, then those of the others from left to right;
 * or first those of the member `sort_member`, and those of the leader not at all. Of rows of one
 * thread that weigh the same with all that they called, the caller comes first (report_entries.h,
 * rank): what would sort before its caller by the other columns follows it. Fields that are numbers
 * are sorted as such. Rows that look the same are in the order of their addresses.
 *
 * Distinct values are sorted first: rows are then compared by rank.
 */
#ifndef REPORT_REPORT_ORDER_H
#define REPORT_REPORT_ORDER_H

#include "util/report/report_view.h"

/* Sort the rows. False when memory is out: they are as they were. */
bool report_order_sort(struct report_view *v);

/* Order two rows by one key alone, functions of one name by their addresses: < 0, 0, > 0. */
int report_order_compare_key(const struct report_view *v, const struct report_entry *x,
			     const struct report_entry *y, const struct report_column *c);

#endif
