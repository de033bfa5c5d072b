/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trace_text.h - the text of a tracepoint, as its print fmt has it, with the symbols and strings
 * of the recording's kernel.
 */
#ifndef PROFILE_TRACE_TEXT_H
#define PROFILE_TRACE_TEXT_H

#include "util/profile/session.h"
#include "util/profile/short_text.h"

/* All the caller's. */
struct trace_text {
	struct symboliser *symboliser;
	struct tp_prog *const *programs; /* by event, NULL: not a tracepoint or not known */
	const struct printk_formats *strings;
	struct short_texts *known; /* symbols that fields name often; NULL: none are kept */
	bool numbers;              /* addresses are not named */
};

static inline bool trace_text_has(const struct trace_text *t, const struct session_sample *s)
{
	return t->programs[s->event] && s->sample->raw;
}

/* Append the text, without a newline at its end; nothing if there is none. */
void trace_text_put(const struct trace_text *t, const struct session_sample *s, struct buf *out);
/* The same of another program over the sample's record (tp_names.h). */
void trace_text_run(const struct trace_text *t, const struct tp_prog *prog, const struct sample *s,
		    struct buf *out);

/* The name of a kernel's address; false: it has none. `arg` is a const struct trace_text. */
bool trace_text_symbol(void *arg, u64 addr, bool with_offset, struct buf *out);

#endif
