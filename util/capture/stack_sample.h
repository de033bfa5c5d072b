/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stack_sample.h - a sample that carries registers and a copy of the user's stack, made shorter:
 * the user half of its call chain says what they were recorded for.
 *
 *	as recorded   ... nr, kernel half [USER, frame pointers]   ... raw   regs, stack   ...
 *	as stored     ... nr, kernel half [USER, user half]        ... raw   [regs, stack] ...
 *
 * All other fields are taken over as they are. Where the registers and the stack are kept, the copy
 * is cut to its valid bytes. One that was not filled keeps a word that is not valid behind them: as
 * recorded, a copy all of whose bytes are valid may be the beginning of a larger stack.
 *
 * Source: <linux/perf_event.h>, PERF_RECORD_SAMPLE.
 */
#ifndef CAPTURE_STACK_SAMPLE_H
#define CAPTURE_STACK_SAMPLE_H

#include "util/base/buf.h"
#include "util/record/sample_layout.h"

/* Are samples of this event to be made shorter? */
static inline bool stack_sample_is(const struct perf_event_attr *attr)
{
	return attr->sample_type & PERF_SAMPLE_STACK_USER;
}

/* Make `attr` that of the stored samples; `keep`: with their registers and stacks. */
void stack_sample_stored_attr(struct perf_event_attr *attr, bool keep);

/*
 * Append the record with the user half user[0..nr), PERF_CONTEXT_USER not among it; none where nr
 * is 0. `s` is the record decoded. False: the user half does not fit into a record even without
 * the stack. Memory that is out shows in out->failed.
 */
bool stack_sample_put(struct buf *out, const struct rec *rec, const struct sample *s,
		      const u64 *user, u32 nr, bool keep);

#endif
