/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report_ranks.h - the rows of a report by one column, as numbers: the same where they compare the same.
 *
 * Each value is compared with others once, however many rows have it.
 */
#ifndef REPORT_REPORT_RANKS_H
#define REPORT_REPORT_RANKS_H

#include "util/report/report_view.h"

struct report_ranks {
	u32 *ranks; /* of rows */
	u32 *ties;  /* of functions: among those that are called the same */
};

/* The caller frees; false when memory is out, and there is nothing to free. */
bool report_ranks_make(struct report_ranks *r, const struct report_view *v,
		       const struct report_column *column);
void report_ranks_free(struct report_ranks *r);

#endif
