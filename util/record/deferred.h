/* SPDX-License-Identifier: GPL-2.0 */
/*
 * deferred.h - user halves of call chains that the kernel walks later: once, when the thread goes
 * back to user space, for all samples that it had since it came (Linux 6.19).
 *
 *	sample    ... k0 k1 DEFERRED_CONTEXT cookie        events with the bit defer_callchain
 *	record    DEFERRED_RECORD: cookie, nr, u0 u1 ...   an event with the bit defer_output
 *
 * A cookie names one stay of one thread in the kernel. The record is written by the thread itself,
 * later than the samples: at return, at exit, or when a new program is begun, and then its chain is
 * of the new program. Of a thread that is still in the kernel when recording ends there is none.
 *
 * Source: <linux/perf_event.h> of Linux 6.19; older headers have none of these names.
 */
#ifndef RECORD_DEFERRED_H
#define RECORD_DEFERRED_H

#include "util/record/sample_layout.h"

/* PERF_RECORD_CALLCHAIN_DEFERRED, PERF_CONTEXT_USER_DEFERRED */
#define DEFERRED_RECORD  22u
#define DEFERRED_CONTEXT ((u64)-640)

/* The bits of an attr, whichever headers this was compiled with. */
void deferred_ask(struct perf_event_attr *attr); /* defer_callchain */
bool deferred_is_asked(const struct perf_event_attr *attr);
void deferred_tell(struct perf_event_attr *attr); /* defer_output */
bool deferred_is_told(const struct perf_event_attr *attr);
void deferred_forget(struct perf_event_attr *attr); /* neither */

/* Does the chain end in a cookie? Then the two words of that are its last ones. */
static inline bool deferred_chain(const u64 *chain, u32 nr)
{
	return nr >= 2 && chain[nr - 2] == DEFERRED_CONTEXT;
}

struct deferred {
	u64 cookie;
	const u64 *chain; /* addresses, leaf first; they lie in the record */
	u32 nr;
};

/* False: the record is shorter than it says. */
bool deferred_read(const struct sample_layout *layout, const struct rec *rec, struct deferred *d);

#endif
