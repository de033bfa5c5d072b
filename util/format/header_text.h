/* SPDX-License-Identifier: GPL-2.0 */
/*
 * header_text.h - what a recording says of itself, as lines that begin with "# ": script --header.
 *
 * The form and the keys are perf's, because tools look for "# ========" and "# cmdline".
 */
#ifndef FORMAT_HEADER_TEXT_H
#define FORMAT_HEADER_TEXT_H

#include "util/base/buf.h"
#include "util/file/recording.h"

/*
 * `path` is the file; its time is used where the recording has no time of its own. `all`: also what is long, topologies
 * and caches.
 */
void header_text(const struct recording *r, const char *path, bool all, struct buf *out);

/* Append the arguments of the recorder's command line, with blanks between, after this one; NULL: all. */
void header_text_arguments(const struct recording *r, const char *after, struct buf *out);
/* Append the command after "--" of the recorder's command line, else all of that. */
void header_text_command(const struct recording *r, struct buf *out);
/* Append "2026-11-22 04:30:01 to 04:30:06 +01:00", of RFC 3339, behind a comma if there is something; nothing if the day is not known. */
void header_text_dates(const struct recording *r, u64 first, u64 last, struct buf *out);
/*
 * What the weights of an event's samples are, `weight` all together: "cycles"; NULL: just samples, or, with
 * *time, ns. A constant, or in `room`.
 */
const char *header_text_unit(const struct event_desc *e, u64 samples, u64 weight, bool *time,
			     struct buf *room);
/* Likewise, of an event of which its name alone is known. */
const char *header_text_unit_named(const char *event, u64 samples, u64 weight, bool *time,
				   struct buf *room);

#endif
