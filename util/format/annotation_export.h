/* SPDX-License-Identifier: GPL-2.0 */
/*
 * annotation_export.h - annotated functions for other programs, as docs/perf-lite-annotate.1 has it: one JSON object, or CSV with
 * a row for each instruction. Of names and lines of source a kilobyte is kept.
 *
 *	annotation_export_begin() -> annotation_export_put(), for each function -> annotation_export_end()
 */
#ifndef FORMAT_ANNOTATION_EXPORT_H
#define FORMAT_ANNOTATION_EXPORT_H

#include "util/format/annotation_text.h"

struct annotation_export {
	bool csv;                    /* else JSON */
	const char *path;            /* of the recording */
	struct source_text *sources; /* NULL: no lines of source */
	void (*flush)(void *arg);    /* called often: the output may be written, and emptied */
	void *arg;
};

void annotation_export_begin(const struct annotation_export *x, struct buf *out);
/* `a` NULL: its instructions cannot be shown, since `why`. */
void annotation_export_put(const struct annotation_export *x, const struct annotation_heading *h,
			   const struct annotation *a, const struct err *why, struct buf *out);
void annotation_export_end(const struct annotation_export *x, struct buf *out);

#endif
