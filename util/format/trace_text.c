// SPDX-License-Identifier: GPL-2.0
#include "util/format/trace_text.h"

#include <string.h>

#include "util/base/text.h"
#include "util/tracepoint/tp_run.h"

static bool put_symbol(void *arg, u64 addr, bool with_offset, struct buf *out)
{
	const struct trace_text *t = arg;
	u32 id = resolver_address(t->resolver, NULL, PERF_RECORD_MISC_KERNEL, addr);
	const struct frame *f = id == ID_NONE ? NULL : &t->resolver->frames.v[id];

	if (!f || !f->symbol)
		return false;
	text_escape(out, f->symbol, strlen(f->symbol));
	if (with_offset) {
		buf_adds(out, "+0x");
		buf_hex(out, f->offset, 0);
	}
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
		.symbol = put_symbol,
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
