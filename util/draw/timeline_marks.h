/* SPDX-License-Identifier: GPL-2.0 */
/*
 * timeline_marks.h - the bands of a heat map: what was lost, and where nothing could be recorded.
 */
#ifndef DRAW_TIMELINE_MARKS_H
#define DRAW_TIMELINE_MARKS_H

#include "util/draw/timeline_sheet.h"

/* Make one of those that touch, in s->marks; what lies outside the columns is left out. */
int timeline_marks_merge(struct timeline_sheet *s, struct err *err);
/* Append those of a row, whose top is y. Rows come in order. */
void timeline_marks_put(struct timeline_sheet *s, u32 row, u32 y);
bool timeline_marks_any(const struct timeline_sheet *s, enum timeline_kind kind);
const char *timeline_marks_class(enum timeline_kind kind);
const char *timeline_marks_legend(enum timeline_kind kind);
void timeline_marks_free(struct timeline_sheet *s);

#endif
