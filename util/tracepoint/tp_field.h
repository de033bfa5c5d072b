/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tp_field.h - the value of one field in one raw record (PERF_SAMPLE_RAW of a tracepoint).
 *
 * Every reader checks against the length of the record: a record cut short, or a __data_loc that
 * points outside, gives false, and so does a field that the record lacks (common_unread). Integers are host-endian.
 */
#ifndef TRACEPOINT_TP_FIELD_H
#define TRACEPOINT_TP_FIELD_H

#include <string.h>

#include "util/base/buf.h"
#include "util/tracepoint/tp_format.h"

/* Of a format with common_unread: does the record have the field? */
static inline bool tp_field_is_there(const struct tp_field *f, const void *raw, size_t len)
{
	u32 unread;

	if (!f->unread)
		return true;
	if (len < sizeof(unread) || f->unread_at > len - sizeof(unread))
		return false;
	memcpy(&unread, (const u8 *)raw + f->unread_at, sizeof(unread));
	return !(unread & f->unread);
}

/* The arguments of a system call lie in words, whatever their type is: is it an int in one? */
static inline bool tp_field_is_int_in_word(const struct tp_field *f)
{
	return f->size == 8 && (!strcmp(f->type, "int") || !strcmp(f->type, "pid_t"));
}

/* An integer of 1, 2, 4 or 8 bytes, sign-extended if the field is signed; false for any other. */
bool tp_field_int(const struct tp_field *f, const void *raw, size_t len, u64 *v);

/* Element `i` of an array of integers, fixed or dynamic. */
bool tp_field_elem(const struct tp_field *f, const void *raw, size_t len, size_t i, u64 *v);

/* The bytes of any field, those that a __data_loc or __rel_loc points to; char x[] at the end of
 * a record is the rest of it. Pointers into raw. */
bool tp_field_bytes(const struct tp_field *f, const void *raw, size_t len, const void **p,
		    size_t *n);

/* The same up to the first NUL. */
bool tp_field_string(const struct tp_field *f, const void *raw, size_t len, const char **s,
		     size_t *n);

/* Append the value in the plain form that needs no print fmt: 12, 0x7f12, text, ARRAY[00, 01]. */
void tp_field_print(const struct tp_field *f, const void *raw, size_t len, struct buf *out);

#endif
