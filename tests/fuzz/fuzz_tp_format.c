// SPDX-License-Identifier: GPL-2.0
/*
 * Event formats and records: a format text, a byte 0, and the raw record. Whatever parses is
 * compiled and run over the record, as perf and as the kernel, and every field is read by itself.
 */
#include <stdlib.h>
#include <string.h>

#include "util/tracepoint/tp_field.h"
#include "util/tracepoint/tp_prog.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void read_fields(const struct tp_format *f, const u8 *raw, size_t len, struct buf *out)
{
	const void *p;
	const char *s;
	size_t n;
	u32 i;
	u64 v;

	for (i = 0; i < f->nr_fields; i++) {
		const struct tp_field *fl = &f->fields[i];

		if (tp_format_field(f, fl->name)->offset > TP_FORMAT_MAX)
			abort();
		tp_field_int(fl, raw, len, &v);
		tp_field_elem(fl, raw, len, i, &v);
		if (tp_field_bytes(fl, raw, len, &p, &n) &&
		    ((const u8 *)p < raw || (const u8 *)p + n > raw + len))
			abort();
		if (tp_field_string(fl, raw, len, &s, &n) && memchr(s, 0, n))
			abort();
		tp_field_print(fl, raw, len, out);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	const u8 *nul = size ? memchr(data, 0, size) : NULL;
	size_t text = nul ? (size_t)(nul - data) : size, len = nul ? size - text - 1 : 0;
	struct tp_format *f;
	struct buf out = {0};
	unsigned int i;
	u8 *raw;

	f = tp_format_parse((const char *)data, text, NULL);
	if (!f)
		return 0;
	raw = malloc(len ? len : 1);
	if (raw) {
		if (len)
			memcpy(raw, nul + 1, len);
		for (i = 0; i < 3; i++) {
			struct tp_opts opts = {.compat = i == 1, .hz = 250};
			struct tp_run run = {.raw = raw, .len = len};
			struct tp_prog *p =
				i < 2 ? tp_prog_compile(f, &opts, NULL) : tp_prog_fields(f, NULL);

			buf_clear(&out);
			if (p)
				tp_prog_run(p, &run, &out);
			tp_prog_free(p);
		}
		read_fields(f, raw, len, &out);
	}
	free(raw);
	buf_free(&out);
	tp_format_free(f);
	return 0;
}
