// SPDX-License-Identifier: GPL-2.0
#include "util/tracepoint/tp_field.h"

#include <ctype.h>
#include <string.h>

#include "util/base/text.h"
#include "util/tracepoint/tp_prog_internal.h"

static bool load(const u8 *p, size_t size, bool is_signed, u64 *v)
{
	if (!tp_is_int_size(size))
		return false;
	*v = tp_load(p, (u32)size, is_signed);
	return true;
}

bool tp_field_int(const struct tp_field *f, const void *raw, size_t len, u64 *v)
{
	if (f->is_array || f->offset > len || f->size > len - f->offset ||
	    !tp_field_is_there(f, raw, len))
		return false;
	return load((const u8 *)raw + f->offset, f->size, f->is_signed, v);
}

bool tp_field_bytes(const struct tp_field *f, const void *raw, size_t len, const void **p,
		    size_t *n)
{
	size_t off = f->offset;
	u32 word;

	if (off > len || f->size > len - off || !tp_field_is_there(f, raw, len))
		return false;
	*n = f->size ? f->size : len - off;
	if (f->loc != TP_LOC_FIXED) {
		memcpy(&word, (const u8 *)raw + off, sizeof(word));
		off = (f->loc == TP_LOC_REL ? off + f->size : 0) + (word & 0xffff);
		*n = word >> 16;
		if (off > len || *n > len - off)
			return false;
	}
	*p = (const u8 *)raw + off;
	return true;
}

bool tp_field_elem(const struct tp_field *f, const void *raw, size_t len, size_t i, u64 *v)
{
	const void *p;
	size_t n;

	if (!f->elem_size || !tp_field_bytes(f, raw, len, &p, &n) || i >= n / f->elem_size)
		return false;
	return load((const u8 *)p + i * f->elem_size, f->elem_size, f->is_signed, v);
}

bool tp_field_string(const struct tp_field *f, const void *raw, size_t len, const char **s,
		     size_t *n)
{
	const void *p;

	if (!tp_field_bytes(f, raw, len, &p, n))
		return false;
	*s = p;
	*n = strnlen(p, *n);
	return true;
}

static bool is_text(const u8 *p, size_t n)
{
	size_t i;

	for (i = 0; i < n && p[i]; i++)
		if (!isprint(p[i]) && !isspace(p[i]))
			return false;
	return true;
}

static void print_array(const struct tp_field *f, const u8 *p, size_t n, struct buf *out)
{
	bool bytes = f->is_string || strstr(f->type, "u8") || strstr(f->type, "s8");
	size_t i;

	if (bytes && is_text(p, n)) {
		text_escape(out, (const char *)p, strnlen((const char *)p, n));
		return;
	}
	buf_adds(out, "ARRAY[");
	for (i = 0; i < n; i++)
		buf_addf(out, i ? ", %02x" : "%02x", p[i]);
	buf_addc(out, ']');
}

void tp_field_print(const struct tp_field *f, const void *raw, size_t len, struct buf *out)
{
	bool is_long = strstr(f->type, "long") != NULL;
	const void *p;
	size_t n;
	u64 v;

	if (!tp_field_is_there(f, raw, len)) {
		buf_addc(out, '-');
	} else if (!tp_field_bytes(f, raw, len, &p, &n)) {
		buf_adds(out, "INVALID");
	} else if (f->is_array || !load(p, n, f->is_signed, &v)) {
		print_array(f, p, n, out);
	} else if (f->is_pointer || (is_long && !(f->is_signed && f->size == 8))) {
		/* A long is an address more often than a number. */
		buf_adds(out, "0x");
		buf_hex(out, f->size == 4 ? (u32)v : v, 0);
	} else if (f->is_signed) {
		buf_sdec(out, (s64)v, f->size == 2 ? 2 : 0);
	} else {
		buf_dec(out, v, 0);
	}
}
