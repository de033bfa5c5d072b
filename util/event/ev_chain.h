/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_chain.h - which call chain the samples of an event carry, and how large a copy of the stack.
 *
 * For chains that are to be unwound, samples carry REGS_USER and STACK_USER, and of the kernel's
 * CALLCHAIN the kernel half, in EV_CALLGRAPH_AUTO both. Where a machine has the caller of a function
 * without a frame in a register, samples with frame pointers carry that (arch.h, link_reg). User halves of
 * frame pointers can be deferred (deferred.h), but of events that are the last of their program.
 * A deferred half costs more than one walked at once, and pays from about four samples of one stay
 * in the kernel on.
 *
 * Source: perf_event_open(2); kernel/events/core.c, perf_sample_ustack_size().
 */
#ifndef EVENT_EV_CHAIN_H
#define EVENT_EV_CHAIN_H

#include "util/event/ev_record.h"

/* Bytes of a copy of the user's stack: the default, with the kernel's own chain, and at most. */
#define EV_CHAIN_STACK      65528
#define EV_CHAIN_STACK_AUTO 16384
#define EV_CHAIN_STACK_MAX  65528

/*
 * How the event's call chains are made, and the size of its stack copy, the options being such. Where other
 * fields follow the copy in a sample the attr has a smaller one, which leaves room for them.
 */
enum ev_callgraph ev_chain_callgraph(const struct ev_spec *s, const struct ev_record_options *o);
u32 ev_chain_stack(const struct ev_spec *s, const struct ev_record_options *o);

/* Put that into the event's attr. */
void ev_chain_set(struct ev_spec *s, const struct ev_record_options *o);

/*
 * Make the copy of the stack smaller where a sample would be too long, the attr being complete but for that:
 * the length of a record has 16 bits. The kernel cuts the copy so that all before it has room, but
 * what is behind makes the length wrap around.
 */
void ev_chain_leave_room(struct perf_event_attr *a, u32 nr_events);

#endif
