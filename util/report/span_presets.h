/* SPDX-License-Identifier: GPL-2.0 */
/*
 * span_presets.h - sets of points between which time is measured, as text that people write.
 *
 *	struct span_presets p = {0};
 *	span_presets_parse(&p, text, len, "FILE", err) -> p.v[0..nr) -> span_presets_free(&p)
 *
 *	# a comment
 *	NAME    what it shows
 *	    --from 'EVENT:KEY if FILTER' --then ... --to ...
 *	    --until POINTS --on KEYS
 *	    --own-from POINTS --own-to POINTS
 *	    --by KEYS --latest --whole --skip-missing
 *
 * A name begins its line, what belongs to it does not. Options are those of the command, and --own-from, --own-to and --whole;
 * values are in quotes if blanks are in them. --from and --to are needed, --then can be there several times.
 * Points are not looked at. span_presets_put() writes what is read here.
 */
#ifndef REPORT_SPAN_PRESETS_H
#define REPORT_SPAN_PRESETS_H

#include "util/base/arena.h"
#include "util/base/buf.h"
#include "util/report/spans.h"

#define SPAN_PRESETS_THENS 8
#define SPAN_PRESETS_BYTES (1u << 20) /* of a file, at most */

struct span_preset {
	const char *name, *help;
	const char *from, *to, *until, *on,
		*by;                           /* from and to are there; NULL: the others are not */
	const char *thens[SPAN_PRESETS_THENS]; /* behind the last one NULL, if there is room */
	/* instead of from and to, by a thread's own switches: where others' events may not be read; NULL: none */
	const char *own_from, *own_to;
	const char *nothing; /* what to try where there are no spans; NULL: nothing */
	enum spans_repeat repeat;
	bool whole; /* spans that are open when the table is printed end there, and are split */
	bool skips_missing; /* of points without which spans begin and end, the events may be missing; so of all that are built in */
	u32 line;           /* of the file; 0: it is of none */
};

struct span_presets {
	VEC(struct span_preset) v;
	struct arena arena;
};

/* Append those of the text. -EINVAL: the message begins with the file and the line; nothing is certain of `v` then. */
int span_presets_parse(struct span_presets *p, const void *text, size_t len, const char *file,
		       struct err *err);
/* NULL: there is none of that name. */
const struct span_preset *span_presets_find(const struct span_presets *p, const char *name);
void span_presets_put(const struct span_preset *p, struct buf *out);
void span_presets_free(struct span_presets *p);

#endif
