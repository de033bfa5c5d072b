/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_record.h - from what was asked to attrs for recording: what each sample carries, how often,
 * with which call chains; and the side-band event that tells of tasks and mappings.
 */
#ifndef EVENT_EV_RECORD_H
#define EVENT_EV_RECORD_H

#include "util/base/buf.h"
#include "util/base/err.h"
#include "util/event/ev_spec.h"

struct ev_record_options {
	u64 frequency, period; /* 0: not given */
	u64 max_frequency;     /* kernel.perf_event_max_sample_rate; 0: not known */
	bool strict_frequency; /* fail rather than lower it */
	bool call_chain, no_user_chain, no_kernel_chain;
	u16 max_stack; /* of a chain; 0: kernel.perf_event_max_stack */
	bool all_user, all_kernel;
	bool addresses; /* -d: sample the data address */
	bool inherit, enable_on_exec;
	bool switch_events;
	int clockid;
	u32 self; /* pid to leave out of tracepoints; 0: nobody */
};

/*
 * Fill in the attrs of every spec and put the side-band event before them. `notes` gets a line
 * for what had to be changed.
 */
int ev_record_configure(struct ev_list *list, const struct ev_record_options *o, struct buf *notes,
			struct err *err);

#endif
