/* SPDX-License-Identifier: GPL-2.0 */
/*
 * branch_chain.h - call chains from a processor's record of calls (perf record --call-graph lbr): the kernel's half as it
 * was recorded, PERF_CONTEXT_USER, the function that was entered last, and the calls that led there.
 *
 * Branches that are recorded with PERF_SAMPLE_BRANCH_CALL_STACK are a stack: a return takes the call away that it belongs
 * to. They know of user code only, and of as many calls as the processor has room for. The addresses are those of call
 * instructions, not return addresses.
 *
 * Source: perf_event_open(2); tools/perf/util/machine.c, resolve_lbr_callchain_sample().
 */
#ifndef PROFILE_BRANCH_CHAIN_H
#define PROFILE_BRANCH_CHAIN_H

#include "util/base/err.h"
#include "util/record/sample_layout.h"

struct branch_chain {
	u64 *v;
	u32 nr, cap;
};

/*
 * Replace s->chain where its branches are such a stack, which `branch_type` of the event says; what it points to lives
 * until the next call. A sample without user code keeps its chain. -ENOMEM.
 */
int branch_chain_join(struct branch_chain *b, u64 branch_type, struct sample *s, struct err *err);

void branch_chain_free(struct branch_chain *b);

#endif
