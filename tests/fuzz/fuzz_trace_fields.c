// SPDX-License-Identifier: GPL-2.0
/*
 * Fields of tracepoints as JSON: a format text, a byte 0, and the raw record. Whatever the format
 * says and the record holds, what comes out is one JSON object on one line.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/text.h"
#include "util/profile/printk_formats.h"
#include "util/profile/trace_fields.h"
#include "util/tracepoint/tp_prog.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* Behind the value at s; aborts if there is none. */
static const char *skip_value(const char *s, unsigned int depth);

static const char *skip_string(const char *s)
{
	for (s++; *s != '"'; s++) {
		if ((u8)*s < 0x20)
			abort();
		if (*s == '\\' && !*++s)
			abort();
	}
	return s + 1;
}

static const char *skip_members(const char *s, char end, unsigned int depth)
{
	if (*++s == end)
		return s + 1;
	for (;; s++) {
		if (end == '}') {
			if (*s != '"')
				abort();
			s = skip_string(s);
			if (*s++ != ':')
				abort();
		}
		s = skip_value(s, depth);
		if (*s == end)
			return s + 1;
		if (*s != ',')
			abort();
	}
}

static const char *skip_value(const char *s, unsigned int depth)
{
	if (depth > 3)
		abort();
	if (*s == '{' || *s == '[')
		return skip_members(s, *s == '{' ? '}' : ']', depth + 1);
	if (*s == '"')
		return skip_string(s);
	if (!strncmp(s, "null", 4))
		return s + 4;
	s += *s == '-';
	if (!isdigit((u8)*s) || (*s == '0' && isdigit((u8)s[1])))
		abort();
	while (isdigit((u8)*s))
		s++;
	return s;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	const u8 *nul = size ? memchr(data, 0, size) : NULL;
	size_t text = nul ? (size_t)(nul - data) : size, len = nul ? size - text - 1 : 0;
	const struct tp_opts opts = {.hz = 250};
	const struct printk_formats strings = {0};
	const struct trace_text none = {.strings = &strings, .numbers = true};
	struct trace_fields t;
	struct sample s = {0};
	struct buf out = {0};
	struct tp_format *f;
	u8 *raw;
	u32 i;

	f = tp_format_parse((const char *)data, text, NULL);
	if (!f)
		return 0;
	raw = malloc(len ? len : 1);
	if (!raw || trace_fields_init(&t, f, &opts, NULL))
		abort();
	if (len)
		memcpy(raw, nul + 1, len);
	s.raw = raw;
	s.raw_size = (u32)len;
	trace_fields_json(&t, &none, &s, &out);
	if (out.data[0] != '{' || *skip_value(out.data, 0) || !text_is_plain(out.data, out.len))
		abort();
	for (i = 0; i < t.nr; i++)
		trace_fields_text(&t.v[i], &none, &s, &out);
	buf_free(&out);
	free(raw);
	trace_fields_free(&t);
	tp_format_free(f);
	return 0;
}
