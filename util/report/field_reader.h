/* SPDX-License-Identifier: GPL-2.0 */
/*
 * field_reader.h - taking one field of a tracepoint out of raw data, compiled to a place and a size.
 *
 * It gives what tp_field.h gives, without looking at types for each record. Integers are host-endian.
 */
#ifndef REPORT_FIELD_READER_H
#define REPORT_FIELD_READER_H

#include "util/tracepoint/tp_field.h"

enum field_reader_kind {
	FIELD_READER_NONE,
	FIELD_READER_INT,   /* 1, 2, 4 or 8 bytes */
	FIELD_READER_BYTES, /* everything else: strings and arrays */
};

struct field_reader {
	u8 kind;
	u8 size; /* of an integer */
	bool is_signed;
	u32 offset;
	const struct tp_field *field;
};

struct field_reader field_reader_of(const struct tp_field *f);

/* False: the record is too short, or lacks it. */
static inline bool field_reader_int(const struct field_reader *f, const u8 *raw, u32 len, u64 *v)
{
	const u8 *p = raw + f->offset;
	u32 u32v;
	u16 u16v;

	if (len < f->offset || len - f->offset < f->size)
		return false;
	if (f->field->unread && !tp_field_is_there(f->field, raw, len))
		return false;
	switch (f->size) {
	case 8:
		memcpy(v, p, 8);
		return true;
	case 4:
		memcpy(&u32v, p, 4);
		*v = f->is_signed ? (u64)(s64)(s32)u32v : u32v;
		return true;
	case 2:
		memcpy(&u16v, p, 2);
		*v = f->is_signed ? (u64)(s64)(s16)u16v : u16v;
		return true;
	default:
		*v = f->is_signed ? (u64)(s64)(s8)*p : *p;
		return true;
	}
}

#endif
