// SPDX-License-Identifier: GPL-2.0
#include "util/profile/frame_text.h"

#include "util/base/text.h"

static bool is_module_file(const struct dso *d)
{
	return d->kind == DSO_MODULE && d->name[0] == '/';
}

/* The name as lsmod(8) shows it: of the file up to ".ko", and whatever compressed it. */
static void put_module(const char *file, struct buf *out)
{
	const char *end = strstr(file, ".ko");
	size_t at = out->len;

	buf_addc(out, '[');
	text_escape(out, file, end ? (size_t)(end - file) : strlen(file));
	buf_addc(out, ']');
	for (; !out->failed && at < out->len; at++)
		if (out->data[at] == '-')
			out->data[at] = '_';
}

void frame_text_file(const struct dso *dso, struct buf *out)
{
	const char *name = text_base_name(dso->name);

	if (is_module_file(dso))
		put_module(name, out);
	else
		text_escape(out, name, strlen(name));
}

void frame_text_symbol(const struct frame *f, bool with_offset, struct buf *out)
{
	if (!f->symbol) {
		buf_adds(out, "[unknown]");
		return;
	}
	text_escape(out, f->symbol, strlen(f->symbol));
	if (with_offset) {
		buf_adds(out, "+0x");
		buf_hex(out, f->offset, 0);
	}
}

void frame_text_dso(const struct process_model *m, const struct frame *f, bool with_offset,
		    struct buf *out)
{
	const struct dso *d;
	const char *name;

	if (f->dso == ID_NONE) {
		buf_adds(out, "[unknown]");
		return;
	}
	d = &m->dsos.v[f->dso];
	name = d->kind == DSO_KERNEL && m->kernel_file ? m->kernel_file : d->name;
	if (is_module_file(d) && !d->build_id_len)
		frame_text_file(d, out);
	else
		text_escape(out, name, strlen(name));
	if (with_offset) {
		buf_adds(out, "+0x");
		buf_hex(out, f->addr, 0);
	}
}
