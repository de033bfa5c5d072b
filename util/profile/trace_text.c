// SPDX-License-Identifier: GPL-2.0
#include "util/profile/trace_text.h"

#include "util/profile/frame_text.h"
#include "util/profile/printk_formats.h"
#include "util/tracepoint/tp_prog.h"

bool trace_text_symbol(void *arg, u64 addr, bool with_offset, struct buf *out)
{
	const struct trace_text *t = arg;
	u64 how = (u64)t->symboliser->model->kernel.maps_state << 1 | with_offset;
	const struct frame *f;
	size_t at = out->len;
	u32 id;

	if (t->known && short_text_put(t->known, addr, how, out))
		return true;
	id = symboliser_address(t->symboliser, NULL, PERF_RECORD_MISC_KERNEL, addr);
	f = id == ID_NONE ? NULL : &t->symboliser->frames.v[id];
	if (!f || !f->symbol)
		return false;
	frame_text_symbol(f, with_offset, out);
	if (t->known && !out->failed)
		short_text_keep(t->known, addr, how, out->data + at, out->len - at);
	return true;
}

static const char *find_string(void *arg, u64 addr)
{
	const struct trace_text *t = arg;

	return printk_formats_find(t->strings, addr);
}

void trace_text_run(const struct trace_text *t, const struct tp_prog *prog, const struct sample *s,
		    struct buf *out)
{
	const struct tp_run run = {
		.raw = s->raw,
		.len = s->raw_size,
		.symbol = t->numbers ? NULL : trace_text_symbol,
		.string = find_string,
		.arg = (void *)t,
	};

	tp_prog_run(prog, &run, out);
}

void trace_text_put(const struct trace_text *t, const struct session_sample *s, struct buf *out)
{
	if (trace_text_has(t, s))
		trace_text_run(t, t->programs[s->event], s->sample, out);
}
