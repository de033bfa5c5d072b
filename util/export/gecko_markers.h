/* SPDX-License-Identifier: GPL-2.0 */
/*
 * gecko_markers.h - samples of tracepoints as markers of the Firefox profiler, and the schemas that
 * tell it of their fields.
 *
 * A marker's "type" is the name of its event. Fields are strings (trace_fields_text()); one whose
 * name has a meaning of its own there ("type", "cause", ...) has "_" behind it.
 */
#ifndef EXPORT_GECKO_MARKERS_H
#define EXPORT_GECKO_MARKERS_H

#include "util/format/trace_fields.h"

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
