// SPDX-License-Identifier: GPL-2.0
#include "util/profile/frame_text.h"

#include "util/base/text.h"

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
	text_escape(out, name, strlen(name));
	if (with_offset) {
		buf_adds(out, "+0x");
		buf_hex(out, f->addr, 0);
	}
}
