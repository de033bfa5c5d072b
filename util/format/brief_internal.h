/* SPDX-License-Identifier: GPL-2.0 */
/*
 * brief_internal.h - the lines of a brief: what the pages of brief.h share.
 */
#ifndef FORMAT_BRIEF_INTERNAL_H
#define FORMAT_BRIEF_INTERNAL_H

#include "util/format/brief.h"

/*
 * In the order in which they are printed: the finding of the first event, those of all, those of each event with its
 * finding, the last two.
 */
enum brief_kind {
	BRIEF_FINDING,
	BRIEF_RECORDED,
	BRIEF_MACHINE,
	BRIEF_CHOSEN,
	BRIEF_DAMAGE,
	BRIEF_LOSS,
	BRIEF_STACKS,
	BRIEF_EVENT,
	BRIEF_FIELD,
	BRIEF_SELF,
	BRIEF_CHILDREN,
	BRIEF_PATH,
	BRIEF_FILES,
	BRIEF_COMMS,
	BRIEF_THREADS,
	BRIEF_OTHERS, /* events that have no line */
	BRIEF_NEXT,
};

struct brief_line {
	double rank; /* the lower, the more important */
	enum brief_kind kind;
	u32 event;
	u32 index; /* of a row, or part of a text that takes several lines */
};

struct brief_lines {
	VEC(struct brief_line) v;
};

#define BRIEF_LABEL 10 /* columns */

/* A text that is printed in several lines; NULL: none. */
const char *brief_line_text(const struct brief *b, enum brief_kind kind, u32 event);
/* The part of a text of this kind that line `index` has, *len bytes; NULL: there is no such line. */
const char *brief_line_part(enum brief_kind kind, const char *text, u32 index, size_t *len);
/* Is the next line another part of this one's text? */
bool brief_line_goes_on(const struct brief *b, u32 line);

#endif
