/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report_compare.h - which of two values of a key comes first in a report: < 0, 0, > 0.
 */
#ifndef REPORT_REPORT_COMPARE_H
#define REPORT_REPORT_COMPARE_H

#include "util/report/report_view.h"

/* Are its values functions (report_places.symbols)? */
static inline bool report_compare_is_symbol(enum report_kind kind)
{
	return kind == REPORT_SYMBOL || kind == REPORT_IPC;
}

/* As rows show them. */
int report_compare_values(const struct report_view *v, enum report_kind kind, u64 a, u64 b);
/* Functions that are called the same further by their files and addresses. */
int report_compare_fully(const struct report_view *v, enum report_kind kind, u64 a, u64 b);

#endif
