/* SPDX-License-Identifier: GPL-2.0 */
/*
 * recorded_events.h - what must be known of the opened events so that their records can be read: as
 * the kernel writes them, and as they are in the file, where samples that were unwound are shorter
 * (recorded_sample_put()). The first event of the list is the side-band's.
 */
#ifndef CAPTURE_RECORDED_EVENTS_H
#define CAPTURE_RECORDED_EVENTS_H

#include "util/base/buf.h"
#include "util/event/ev_open.h"
#include "util/record/chain.h"
#include "util/record/event_set.h"
#include "util/record/sample_layout.h"

/* Add each event of the list, with the ids of its counters, to the set, which is empty. */
int recorded_events_live(const struct ev_list *list, const struct counters *counters,
			 struct event_set *set, struct err *err);
int recorded_events_stored(const struct ev_list *list, const struct counters *counters,
			   bool keep_stacks, struct event_set *set, struct err *err);

/*
 * A sample that carries registers and a copy of the user's stack, made shorter:
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
/* Are samples of this event to be made shorter? */
static inline bool recorded_has_stack(const struct perf_event_attr *attr)
{
	return attr->sample_type & PERF_SAMPLE_STACK_USER;
}

/* Has it the kernel's chain, and no more of the stack than its leaf's caller may be in (unwind_leaf_caller())? */
static inline bool recorded_has_caller(const struct perf_event_attr *attr)
{
	return recorded_has_stack(attr) && attr->sample_stack_user == CHAIN_CALLER_STACK &&
	       attr->sample_type & PERF_SAMPLE_CALLCHAIN && !attr->exclude_callchain_user;
}

/* Make `attr` that of the stored samples; `keep`: with their registers and stacks. */
void recorded_stored_attr(struct perf_event_attr *attr, bool keep);

/*
 * Append the record with the user half user[0..nr), PERF_CONTEXT_USER not among it; none where nr
 * is 0. `s` is the record decoded. False: the user half does not fit into a record even without
 * the stack. Memory that is out shows in out->failed.
 */
bool recorded_sample_put(struct buf *out, const struct rec *rec, const struct sample *s,
			 const u64 *user, u32 nr, bool keep);

#endif
