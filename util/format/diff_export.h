/* SPDX-License-Identifier: GPL-2.0 */
/*
 * diff_export.h - a comparison for programs: CSV, JSON, and folded stacks with two counts.
 *
 * All rows that the view does not limit are there, those within noise too.
 */
#ifndef FORMAT_DIFF_EXPORT_H
#define FORMAT_DIFF_EXPORT_H

#include "util/format/diff_view.h"

/*
 * A line with the names of the columns, and one for each function, or, if the view has stacks, for
 * each stack (RFC 4180, but for its line ends).
 */
int diff_export_csv(struct buf *b, const struct diff_view *v, struct err *err);
/* One object. */
int diff_export_json(struct buf *b, const struct diff_view *v, struct err *err);
/*
 * "outermost;...;innermost OLD NEW", weights as they are, one line for each stack, in order: what
 * difffolded.pl writes. Of the only section there is.
 */
int diff_export_folded(struct buf *b, const struct diff_view *v, struct err *err);

#endif
