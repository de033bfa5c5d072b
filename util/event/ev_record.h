/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_record.h - from what was asked to attrs for recording: what each sample carries, how often,
 * with which call chains; and the side-band event that tells of tasks and mappings.
 *
 * A sample carries what can be told in no other way (layout.h says how the rest is derived), since
 * the traced program waits for each byte of it:
 *
 *	tracepoint          TIME RAW, CALLCHAIN with -g. IP where it is asked for, or the call chain
 *	                    does not begin with it, TID where common_pid is not it, PERIOD where it
 *	                    is not always the same
 *	any other event     IP TID TIME, CALLCHAIN with -g, PERIOD where the kernel adapts it
 *	of hardware         DATA_SRC with addresses, WEIGHT_STRUCT, BRANCH_STACK if asked for
 *	every sample        IDENTIFIER, if the event cannot be told without: that is, unless there is
 *	                    one event only, or tracepoints only, of one layout, none of them twice
 *	asked for           what `more` says, of every event
 *	complete            IDENTIFIER IP TID TIME CPU PERIOD of every event, and the rest as above
 *	side-band records   IDENTIFIER TID TIME CPU
 *
 * Call chains are ev_chain.h's. Where those of frame pointers are deferred (deferred.h), their user
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
	u64 user_regs;                /* mask of the machine, for user stacks */
	u64 link_reg;                 /* likewise, beside frame pointers; 0: none is needed */
	u16 max_stack;                /* of a chain; 0: kernel.perf_event_max_stack */
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
	bool complete; /* samples tell all that could be derived, for a reader that does not: perf */
	bool root_pid_namespace; /* process ids here are the kernel's own */
	bool overwrite;          /* samples are written backward, the newest over the oldest */
	const u32 *selves;       /* tasks to leave out of tracepoints */
	u32 nr_selves;
};

/* Samples a second, of what is sampled by time and not told otherwise. */
#define EV_RECORD_FREQUENCY 4000
/*
 * Fill in the attrs of every spec and put the side-band event before them, and behind them the one
 * that tells of deferred chains, if there are such. `notes` gets a line
 * for what had to be changed.
 */
int ev_record_configure(struct ev_list *list, const struct ev_record_options *o, struct buf *notes,
			struct err *err);

/* What the format of a tracepoint says of its raw data (raw_layout.h); of others: nothing. */
void ev_record_derive(const struct ev_spec *s, struct sample_layout_derive *d);
/* Append its fields. Returns 0 or -ENOMEM; a spec that is no tracepoint has none. */
int ev_record_fields(const struct ev_spec *s, struct raw_fields *out);

#endif
