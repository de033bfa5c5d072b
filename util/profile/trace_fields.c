// SPDX-License-Identifier: GPL-2.0
#include "util/profile/trace_fields.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/json.h"
#include "util/base/text.h"
#include "util/tracepoint/tp_field.h"
#include "util/tracepoint/tp_field_format.h"
#include "util/tracepoint/tp_names.h"

int trace_fields_add(struct trace_fields *t, const struct tp_format *format,
		     const struct tp_field *field, const struct tp_opts *opts, struct err *err)
{
	struct trace_field *f = vec_push(t);
	struct tp_field_format shown;

	if (!f)
		return err_nomem(err);
	f->field = field;
	if (t->nr > 1)
		buf_addc(&f->key, ',');
	json_string(&f->key, field->name, strlen(field->name));
	buf_addc(&f->key, ':');
	if (f->key.failed)
		return err_nomem(err);
	/* an address of the network, a mask of CPUs: its bytes alone say little */
	if (field->is_array && !field->is_string) {
		if (tp_field_format_compile(format, field, opts, &shown, err))
			return -ENOMEM;
		f->names = shown.prog;
		return 0;
	}
	if (field->is_array || field->is_pointer)
		return 0;
	return tp_names_compile(format, field, opts, &f->names, err) ? -ENOMEM : 0;
}

int trace_fields_init(struct trace_fields *t, const struct tp_format *format,
		      const struct tp_opts *opts, struct err *err)
{
	u32 i;

	*t = (struct trace_fields){0};
	for (i = 0; format && i < format->nr_fields; i++)
		if (!format->fields[i].is_common &&
		    trace_fields_add(t, format, &format->fields[i], opts, err))
			return -ENOMEM;
	return 0;
}

int trace_fields_init_shown(struct trace_fields *t, const struct tp_format *format,
			    const struct tp_opts *opts, struct err *err)
{
	struct tp_field_format shown;
	u32 i;

	if (trace_fields_init(t, format, opts, err))
		return -ENOMEM;
	for (i = 0; i < t->nr; i++) {
		if (t->v[i].names)
			continue;
		if (tp_field_format_compile(format, t->v[i].field, opts, &shown, err))
			return -ENOMEM;
		t->v[i].names = shown.prog;
	}
	return 0;
}

void trace_fields_free(struct trace_fields *t)
{
	u32 i;

	for (i = 0; i < t->nr; i++) {
		tp_prog_free(t->v[i].names);
		buf_free(&t->v[i].key);
	}
	vec_free(t);
}

u32 trace_fields_find(const struct trace_fields *t, const char *name)
{
	u32 i;

	for (i = 0; i < t->nr; i++)
		if (!strcmp(t->v[i].field->name, name))
			return i;
	return ID_NONE;
}

enum trace_field_type trace_fields_type(const struct trace_field *f)
{
	const struct tp_field *field = f->field;

	if (f->names || field->is_array || field->is_string || field->loc != TP_LOC_FIXED)
		return TRACE_FIELD_TEXT;
	switch (field->size) {
	case 1:
	case 2:
	case 4:
		return field->is_signed ? TRACE_FIELD_SIGNED32 : TRACE_FIELD_UNSIGNED32;
	case 8:
		if (tp_field_is_int_in_word(field))
			return TRACE_FIELD_SIGNED32;
		return field->is_signed ? TRACE_FIELD_SIGNED64 : TRACE_FIELD_UNSIGNED64;
	default:
		return TRACE_FIELD_TEXT;
	}
}

enum trace_field_type trace_fields_join(enum trace_field_type a, enum trace_field_type b)
{
	const enum trace_field_type low = MIN(a, b), high = MAX(a, b);

	if (low == high)
		return low;
	switch (high) {
	case TRACE_FIELD_UNSIGNED32:
		return TRACE_FIELD_SIGNED64;
	case TRACE_FIELD_SIGNED64:
		return high;
	case TRACE_FIELD_UNSIGNED64:
		return low == TRACE_FIELD_UNSIGNED32 ? high : TRACE_FIELD_INTEGER;
	case TRACE_FIELD_INTEGER:
		return high;
	default:
		return TRACE_FIELD_TEXT;
	}
}

bool trace_fields_number(const struct trace_field *f, const struct sample *s, u64 *v)
{
	if (!tp_field_int(f->field, s->raw, s->raw_size, v))
		return false;
	if (tp_field_is_int_in_word(f->field))
		*v = (u64)(s64)(s32)*v;
	return true;
}

bool trace_fields_is_there(const struct trace_field *f, const struct sample *s)
{
	const void *p;
	size_t n;

	return tp_field_bytes(f->field, s->raw, s->raw_size, &p, &n);
}

static void put_integer(const struct tp_field *f, u64 v, struct buf *out)
{
	if (tp_field_is_int_in_word(f))
		buf_sdec(out, (s32)v, 0);
	else if (f->is_signed)
		buf_sdec(out, (s64)v, 0);
	else
		buf_dec(out, v, 0);
}

static void put_array(const struct tp_field *f, const struct sample *s, const u8 *p, size_t n,
		      struct buf *out)
{
	u64 v;
	size_t i;

	buf_addc(out, '[');
	if (f->elem_size && tp_field_elem(f, s->raw, s->raw_size, 0, &v)) {
		for (i = 0; tp_field_elem(f, s->raw, s->raw_size, i, &v); i++) {
			if (i)
				buf_addc(out, ',');
			put_integer(f, v, out);
		}
	} else {
		for (i = 0; i < n; i++) {
			if (i)
				buf_addc(out, ',');
			buf_dec(out, p[i], 0);
		}
	}
	buf_addc(out, ']');
}

/* A string as script shows it, in quotes if it is to be JSON. */
static void put_string(const char *s, size_t n, bool json, struct buf *out)
{
	struct buf plain = {0};

	if (!json) {
		text_escape(out, s, n);
	} else if (text_is_plain(s, n)) {
		json_string(out, s, n);
	} else {
		text_escape(&plain, s, n);
		json_string(out, buf_str(&plain), plain.len);
		out->failed |= plain.failed;
		buf_free(&plain);
	}
}

static void put_value(const struct tp_field *f, const struct sample *s, bool json, struct buf *out)
{
	const void *p;
	size_t n;
	u64 v;

	if (!tp_field_bytes(f, s->raw, s->raw_size, &p, &n)) {
		buf_adds(out, json ? "null" : f->unread ? "-" : "?");
	} else if (f->is_string) {
		put_string(p, strnlen(p, n), json, out);
	} else if (!tp_field_int(f, s->raw, s->raw_size, &v)) {
		put_array(f, s, p, n, out);
	} else if (f->is_pointer) {
		buf_adds(out, json ? "\"0x" : "0x");
		buf_hex(out, f->size == 4 ? (u32)v : v, 0);
		if (json)
			buf_addc(out, '"');
	} else {
		put_integer(f, v, out);
	}
}

static void put_named(const struct trace_field *f, const struct trace_text *text,
		      const struct sample *s, struct buf *out)
{
	struct buf name = {0};

	buf_adds(out, "{\"value\":");
	put_value(f->field, s, true, out);
	buf_adds(out, ",\"name\":");
	trace_text_run(text, f->names, s, &name);
	json_string(out, buf_str(&name), name.len);
	buf_addc(out, '}');
	out->failed |= name.failed;
	buf_free(&name);
}

void trace_fields_value(const struct trace_field *f, const struct trace_text *text,
			const struct sample *s, struct buf *out)
{
	if (f->names && trace_fields_is_there(f, s))
		put_named(f, text, s, out);
	else
		put_value(f->field, s, true, out);
}

void trace_fields_json(const struct trace_fields *t, const struct trace_text *text,
		       const struct sample *s, struct buf *out)
{
	const struct trace_field *f;
	u32 i;

	buf_addc(out, '{');
	for (i = 0; i < t->nr; i++) {
		f = &t->v[i];
		buf_add(out, f->key.data, f->key.len);
		trace_fields_value(f, text, s, out);
	}
	buf_addc(out, '}');
}

void trace_fields_text(const struct trace_field *f, const struct trace_text *text,
		       const struct sample *s, struct buf *out)
{
	if (f->names && trace_fields_is_there(f, s))
		trace_text_run(text, f->names, s, out);
	else
		put_value(f->field, s, false, out);
}
