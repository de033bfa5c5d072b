/* SPDX-License-Identifier: GPL-2.0 */
/*
 * count_field.h - taking one field of a tracepoint out of raw data, compiled to a place and a size.
 *
 * It gives what tp_field.h gives, without looking at types for each record. Integers are host-endian.
 */
#ifndef REPORT_COUNT_FIELD_H
#define REPORT_COUNT_FIELD_H

#include "util/tracepoint/tp_field.h"

enum count_field_kind {
	COUNT_FIELD_NONE,
	COUNT_FIELD_INT,   /* 1, 2, 4 or 8 bytes */
	COUNT_FIELD_BYTES, /* everything else: strings and arrays */
};

struct count_field {
	u8 kind;
	u8 size; /* of an integer */
	bool is_signed;
	u32 offset;
	const struct tp_field *field;
};

struct count_field count_field_of(const struct tp_field *f);

/* False: the record is too short. */
static inline bool count_field_int(const struct count_field *f, const u8 *raw, u32 len, u64 *v)
{
	const u8 *p = raw + f->offset;
	u32 u32v;
	u16 u16v;

	if (len < f->offset || len - f->offset < f->size)
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
