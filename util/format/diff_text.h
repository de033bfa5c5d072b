/* SPDX-License-Identifier: GPL-2.0 */
/*
 * diff_text.h - a comparison as tables for people: first what changed, in a sentence, then the
 * rows.
 */
#ifndef FORMAT_DIFF_TEXT_H
#define FORMAT_DIFF_TEXT_H

#include "util/format/diff_view.h"

/* What switches a terminal to a colour and back; "" where colour is not wanted. */
struct diff_colours {
	const char *more, *less, *dim, *bold, *off;
};

int diff_text(struct buf *b, const struct diff_view *v, const struct diff_colours *c,
	      struct err *err);
/* Append a line that says in which recording an event has no samples. */
void diff_text_missing(struct buf *b, const struct diff_section *s);

#endif
