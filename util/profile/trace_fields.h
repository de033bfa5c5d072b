/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trace_fields.h - the fields of a tracepoint as values with types, not as text.
 *
 *	integer            a number, signed as declared; 8 bytes wide system call arguments that are
 *	                   declared int are read as that
 *	pointer            "0xffff8881..."
 *	char array         a string, up to the first NUL; bytes that are no text as text_escape() shows them
 *	other array        [1,2,3]; of a type without known elements, its bytes
 *	with names         {"value":2,"name":"NO_SOCKET"} (tp_names.h)
 *	past the record    null
 */
#ifndef PROFILE_TRACE_FIELDS_H
#define PROFILE_TRACE_FIELDS_H

#include "util/profile/trace_text.h"

struct trace_field {
	const struct tp_field *field; /* the session's */
	struct tp_prog *names;        /* NULL: it has none */
	struct buf key; /* "name": as JSON, the comma before it included but for the first */
};

/* Fields of one event: all but the common ones (common_pid, ...), or those that were added. */
struct trace_fields {
	struct trace_field *v;
	u32 nr, cap;
};

/* Of a format that the session knows; format NULL: no fields. */
int trace_fields_init(struct trace_fields *t, const struct tp_format *format,
		      const struct tp_opts *opts, struct err *err);
/* One more field, to a zero-initialised or filled *t. */
int trace_fields_add(struct trace_fields *t, const struct tp_format *format,
		     const struct tp_field *field, const struct tp_opts *opts, struct err *err);
/* Likewise, for trace_fields_text() alone, which says of addresses of code what function it is (tp_field_format.h). */
int trace_fields_init_shown(struct trace_fields *t, const struct tp_format *format,
			    const struct tp_opts *opts, struct err *err);
void trace_fields_free(struct trace_fields *t);

/* The index of the field of that name, or ID_NONE. */
u32 trace_fields_find(const struct trace_fields *t, const char *name);

/* What holds all values of a field; TRACE_FIELD_TEXT: numbers that have names, and what is no number. */
enum trace_field_type {
	TRACE_FIELD_SIGNED32,
	TRACE_FIELD_UNSIGNED32,
	TRACE_FIELD_SIGNED64,
	TRACE_FIELD_UNSIGNED64,
	TRACE_FIELD_INTEGER, /* signed or not, of 64 bits: of no field, but of two */
	TRACE_FIELD_TEXT,
};
enum trace_field_type trace_fields_type(const struct trace_field *f);
/* What holds the values of both. */
enum trace_field_type trace_fields_join(enum trace_field_type a, enum trace_field_type b);
/* The value of a field that is a number, extended to 64 bits. False: the record lacks it. */
bool trace_fields_number(const struct trace_field *f, const struct sample *s, u64 *v);
/* Does the record have the value? */
bool trace_fields_is_there(const struct trace_field *f, const struct sample *s);

/* Append all as one JSON object. */
void trace_fields_json(const struct trace_fields *t, const struct trace_text *text,
		       const struct sample *s, struct buf *out);
/* Append the value of one as JSON. */
void trace_fields_value(const struct trace_field *f, const struct trace_text *text,
			const struct sample *s, struct buf *out);
/* Append the value of one as plain text: its name if it has one, else 12, 0x1f, text, [1,2]. */
void trace_fields_text(const struct trace_field *f, const struct trace_text *text,
		       const struct sample *s, struct buf *out);

#endif
