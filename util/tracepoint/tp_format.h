/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tp_format.h - the format of one tracepoint: events/SYSTEM/NAME/format of tracefs.
 *
 * The text is what the kernel's trace_events.c writes: name, ID, one line per field, and the
 * "print fmt". A format owns everything it points to; free it with tp_format_free() after every
 * program that was compiled from it (tp_prog.h). The name of the system is not in the text.
 *
 * Of a format with common_unread, records may lack fields whose memory could not be read when they were made (probe.h).
 */
#ifndef TRACEPOINT_TP_FORMAT_H
#define TRACEPOINT_TP_FORMAT_H

#include "util/base/arena.h"
#include "util/base/err.h"
#include "util/base/types.h"

/* Where the bytes of a field are. */
enum tp_loc {
	TP_LOC_FIXED, /* in the field itself */
	TP_LOC_DATA,  /* __data_loc: u32 of length << 16 | offset from the start of the record */
	TP_LOC_REL,   /* __rel_loc: the same, offset from the end of the field */
};

struct tp_field {
	const char *name;
	const char *type; /* "unsigned long", "char *", "char" for char[16] and __data_loc char[] */
	u32 offset, size; /* of what is in the record: the u32 for a __data_loc */
	u32 elem_size;    /* bytes of one element; the size itself if no array; 0 if unknown */
	u32 nr_elem;      /* of a fixed array; 0 if unknown: flexible or TP_LOC_DATA/REL */
	u32 unread; /* the bit of common_unread that says that a record lacks it; 0: all have it */
	u32 unread_at; /* where that is, 4 bytes */
	enum tp_loc loc;
	bool is_common; /* common_type, common_pid, ... */
	bool is_signed;
	bool is_array;
	bool is_pointer;
	bool is_string; /* char array, NUL-terminated text */
};

struct tp_format {
	const char *name;
	u32 id; /* the attr.config of PERF_TYPE_TRACEPOINT, and common_type of its records */
	const struct tp_field *fields;
	u32 nr_fields;         /* the common ones first */
	const char *print_fmt; /* what follows "print fmt:", NUL-terminated; "" if there is none */
	size_t print_fmt_len;
	struct arena arena;
};

/* NULL if the text is no format file. At most TP_FORMAT_MAX bytes. */
#define TP_FORMAT_MAX (1u << 20)
struct tp_format *tp_format_parse(const char *text, size_t len, struct err *err);
void tp_format_free(struct tp_format *f);

/* NULL if there is no such field. */
const struct tp_field *tp_format_field(const struct tp_format *f, const char *name);
const struct tp_field *tp_format_field_n(const struct tp_format *f, const char *name, size_t len);

#endif
