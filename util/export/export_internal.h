/* SPDX-License-Identifier: GPL-2.0 */
/* export_internal.h - what the pages of export.h share. */
#ifndef EXPORT_EXPORT_INTERNAL_H
#define EXPORT_EXPORT_INTERNAL_H

#include "util/export/call_rows.h"
#include "util/export/export.h"
#include "util/export/spool.h"
#include "util/profile/trace_fields.h"

/*
 * export_pprof_wire.c: protocol buffers, the fields of one message, appended to a buffer.
 *
 * A message within a message is made in a buffer of its own and added as bytes. Fields of value 0
 * are left out, as readers take them for that.
 *
 * Source: protobuf.dev/programming-guides/encoding
 */

void export_proto_varint(struct buf *b, u64 v);
/* An integer; a negative one as the u64 of the same bits. */
void export_proto_integer(struct buf *b, u32 field, u64 v);
/* A string, a message, or packed integers; empty ones too. */
void export_proto_bytes(struct buf *b, u32 field, const void *p, size_t len);
/* The same of a buffer's, which is empty afterwards. */
void export_proto_message(struct buf *b, u32 field, struct buf *message);

/*
 * export_pprof_wire.c: bytes as a gzip file (RFC 1952), without name and time: the same bytes give the same file.
 */

struct gzip {
	void *stream; /* z_stream */
};

int export_gzip_init(struct gzip *g, struct err *err);
/* Compress the bytes and append what comes out. */
int export_gzip_add(struct gzip *g, const void *p, size_t len, struct buf *out, struct err *err);
/* Append the rest. */
int export_gzip_end(struct gzip *g, struct buf *out, struct err *err);
void export_gzip_free(struct gzip *g);

/*
 * export_gecko_tables.c: the tables that all threads of a Firefox profile share: "libs" and "shared", of
 * call_rows.h, and the categories their frames have.
 *
 * A row is a stack there, with the same number; functions, frames and names too.
 */

/* The value of "categories": one for each enum call_class, and of the markers. */
#define GECKO_CATEGORY_MARKER NR_CALL_CLASSES
void export_gecko_tables_categories(struct buf *out);

/* Append "libs" and "shared", as members of the profile. False when memory is out. */
bool export_gecko_tables_put(struct call_rows *c, struct spool *out);

/*
 * export_gecko_markers.c: samples of tracepoints as markers of the Firefox profiler, and the schemas that
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

int export_gecko_markers_init(struct gecko_markers *m, struct session *s, struct err *err);
/* The samples of this event are markers. */
bool export_gecko_markers_has(const struct gecko_markers *m, u32 event);
/* Append the data of a marker, at `time` as written, with a stack. */
void export_gecko_markers_put(struct gecko_markers *m, const struct session_sample *s,
			      const struct buf *time, u32 stack, struct buf *out);
/* Append the elements of "markerSchema". */
void export_gecko_markers_schemas(struct gecko_markers *m, struct buf *out);
void export_gecko_markers_free(struct gecko_markers *m);

#endif
