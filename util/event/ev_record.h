/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_record.h - from what was asked to attrs for recording: what each sample carries, how often,
 * with which call chains; and the side-band event, which reports tasks and mappings.
 *
 * A sample carries only what cannot be derived (sample_layout.h), since the traced program waits for each byte of it:
 *
 *	tracepoint          TIME RAW, CALLCHAIN with -g. IP where it is asked for, or the call chain
 *	                    does not begin with it, TID where common_pid is not it, PERIOD where it
 *	                    is not always the same
 *	any other event     IP TID TIME, CALLCHAIN with -g, PERIOD where the kernel adapts it
 *	of hardware         DATA_SRC with addresses, WEIGHT_STRUCT, BRANCH_STACK if asked for
 *	every sample        IDENTIFIER, if the event cannot be known without it: that is, unless there is
 *	                    one event only, or tracepoints only, of one layout, none of them twice
 *	asked for           what `more` says, of every event
 *	complete            IDENTIFIER IP TID TIME CPU PERIOD of every event, and the rest as above
 *	side-band records   IDENTIFIER TID TIME CPU
 *
 * Records of context switches are in the rings of samples if those are of context switches, too: the reader of side-band
 * wakes for each record, and so would take the CPU from the program that it watches.
 *
 * Call chains: ev_chain_callgraph() below. Where those of frame pointers are deferred (deferred.h), their user
 * halves come in records of one more event, the last of the list, which has no samples, and writes into
 * the rings of these.
 */
#ifndef EVENT_EV_RECORD_H
#define EVENT_EV_RECORD_H

#include "util/base/buf.h"
#include "util/base/err.h"
#include "util/event/ev_spec.h"
#include "util/record/raw_layout.h"

struct ev_record_options {
	u64 frequency, period; /* 0: not given */
	u64 max_frequency;     /* kernel.perf_event_max_sample_rate; 0: not known */
	bool strict_frequency; /* fail rather than lower it */
	bool call_chain, no_user_chain, no_kernel_chain;
	bool syscalls_user_chain; /* of system calls the user half alone: the kernel's is always the same */
	bool defer; /* user halves by frame pointers are walked once for each stay in the kernel */
	enum ev_callgraph call_graph; /* how, with call_chain; NO: by frame pointers */
	u32 stack_size;               /* bytes of user stack, 0: the default */
	u64 user_regs; /* mask of the machine, for user stacks; 0: none are unwound */
	u64 link_reg;  /* likewise, beside frame pointers; 0: none is needed */
	u16 max_stack; /* of a chain; 0: kernel.perf_event_max_stack */
	bool all_user, all_kernel;
	bool addresses; /* -d: the address of the data, and of what a PMU knows where it came from */
	bool weight;    /* of what a PMU knows what it cost */
	u64 branches;   /* of a PMU: attr.branch_sample_type, 0: none */
	bool inherit, enable_on_exec;
	bool switch_events, cgroups, namespaces; /* side-band records of these, too */
	bool text_poke;                          /* ... and of changes of the kernel's code */
	u64 more;           /* PERF_SAMPLE_* that are asked for by name, of every event */
	u64 more_user_regs; /* masks of REGS_USER and REGS_INTR among them */
	u64 intr_regs;
	int clockid;
	bool sample_ip; /* of tracepoints too, without call chains */
	bool complete; /* samples carry all that could be derived, for a reader that does not: perf */
	bool root_pid_namespace; /* process ids here are the kernel's own */
	bool overwrite;          /* samples are written backward, the newest over the oldest */
	const u32 *selves;       /* tasks to leave out of tracepoints */
	u32 nr_selves;
};

/* Samples per second of an event without a rate of its own. */
#define EV_RECORD_FREQUENCY 4000
/*
 * Fill in the attrs of every spec and put the side-band event before them, and after them the one
 * for deferred chains, if there are such. `notes` gets a line for each change.
 */
int ev_record_configure(struct ev_list *list, const struct ev_record_options *o, struct buf *notes,
			struct err *err);

/* A term that says how to record, and that nothing here would heed; NULL: there is none. */
const char *ev_record_unheeded(const struct ev_terms *t);

/* What the format of a tracepoint says of its raw data (raw_layout.h); of others: nothing. */
void ev_record_derive(const struct ev_spec *s, struct sample_layout_derive *d);
/* Append its fields. Returns 0 or -ENOMEM; a spec that is no tracepoint has none. */
int ev_record_fields(const struct ev_spec *s, struct raw_fields *out);

/*
 * Which call chain the samples of an event carry, and how large a copy of the stack.
 *
 * For chains that are to be unwound, samples carry REGS_USER and STACK_USER, and of the kernel's
 * CALLCHAIN the kernel half, in EV_CALLGRAPH_AUTO both. Where a machine has the caller of a function
 * without a frame in a register, samples with frame pointers carry that (arch.h, link_reg). Those of probes in programs carry
 * the registers and CHAIN_CALLER_STACK bytes of the stack: where a function begins it has no frame yet. User halves of
 * frame pointers can be deferred (deferred.h), but of such probes and of events that are the last of their program.
 * A deferred half costs more than one walked at once, and pays from about four samples of one stay
 * in the kernel on.
 *
 * Source: perf_event_open(2); kernel/events/core.c, perf_sample_ustack_size().
 */

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
/* Do the chains follow frame pointers and carry what tells the caller of a function without a frame (unwind_leaf_caller())? */
bool ev_chain_has_caller(const struct ev_spec *s, const struct ev_record_options *o);

#endif
