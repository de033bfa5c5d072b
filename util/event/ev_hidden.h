/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_hidden.h - a warning where BPF programs keep the hits of a tracepoint from all perf events (bpf_programs.h).
 *
 *	struct ev_hidden h = {0};
 *	ev_hidden_look() at a counter of each event that is open -> ev_hidden_end()
 *
 * It comes when events are opened, since who records for an hour wants to know it before; and only of programs whose code
 * can hide a hit, so bpftrace may run beside. It costs one ioctl(2) for an event, whatever the CPUs. The kernel answers
 * who has CAP_PERFMON; others are not warned. A program that is attached later is not noticed.
 */
#ifndef EVENT_EV_HIDDEN_H
#define EVENT_EV_HIDDEN_H

#include "util/base/buf.h"
#include "util/event/ev_spec.h"

struct ev_hidden {
	u32 nr; /* tracepoints that have such programs */
};

/* `fd` is a counter of spec `spec`. A tracepoint that is there several times is named once, many are counted. */
void ev_hidden_look(struct ev_hidden *h, const struct ev_list *list, u32 spec, int fd,
		    struct buf *notes);
void ev_hidden_end(const struct ev_hidden *h, struct buf *notes);

/* The same of one counter, without the event's name and a newline. False: no program hides its hits. */
bool ev_hidden_why(int fd, struct buf *out);

#endif
