/* SPDX-License-Identifier: GPL-2.0 */
/* gecko_internal.h - what the parts of gecko.h share. */
#ifndef EXPORT_GECKO_INTERNAL_H
#define EXPORT_GECKO_INTERNAL_H

#include "util/export/call_rows.h"
#include "util/export/gecko.h"
#include "util/export/spool.h"
#include "util/profile/trace_fields.h"

/*
 * gecko_tables.c: the tables that all threads of a Firefox profile share: "libs" and "shared", of
 * call_rows.h, and the categories their frames have.
 *
 * A row is a stack there, with the same number; functions, frames and names too.
 */

/* The value of "categories": one for each enum call_class, and of the markers. */
#define GECKO_CATEGORY_MARKER NR_CALL_CLASSES
void gecko_tables_categories(struct buf *out);

/* Append "libs" and "shared", as members of the profile. False when memory is out. */
bool gecko_tables_put(struct call_rows *c, struct spool *out);

/*
 * gecko_markers.c: samples of tracepoints as markers of the Firefox profiler, and the schemas that
 * describe their fields.
 *
 * A marker's "type" is the name of its event. Fields are strings (trace_fields_text()); one whose
 * name has a meaning of its own there ("type", "cause", ...) has "_" behind it.
 */

struct gecko_markers {
	struct session *session;
	struct trace_text text;
	struct trace_fields *events; /* by event; their keys are those of the markers */
	struct buf *heads;           /* by event: what the data of its markers begin with */
	u32 nr;
	struct buf scratch;
};

int gecko_markers_init(struct gecko_markers *m, struct session *s, struct err *err);
/* The samples of this event are markers. */
bool gecko_markers_has(const struct gecko_markers *m, u32 event);
/* Append the data of a marker, at `time` as written, with a stack. */
void gecko_markers_put(struct gecko_markers *m, const struct session_sample *s,
		       const struct buf *time, u32 stack, struct buf *out);
/* Append the elements of "markerSchema". */
void gecko_markers_schemas(struct gecko_markers *m, struct buf *out);
void gecko_markers_free(struct gecko_markers *m);

#endif
