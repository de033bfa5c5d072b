// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_chain.h"

#include <string.h>

#include "util/event/ev_function.h"
#include "util/record/deferred.h"

/* Of what a kernel puts into a sample: addresses, PERF_CONTEXT_*, bytes of a tracepoint, branches. */
#define MAX_STACK    127
#define MAX_CONTEXTS 8
#define MAX_RAW      8192
#define MAX_BRANCHES 64

enum ev_callgraph ev_chain_callgraph(const struct ev_spec *s, const struct ev_record_options *o)
{
	enum ev_callgraph how = s->terms.callgraph;

	if (!(s->terms.has & EV_CALLGRAPH))
		how = !o->call_chain  ? EV_CALLGRAPH_NO
		      : o->call_graph ? o->call_graph
				      : EV_CALLGRAPH_FP;
	/* a stack is for the user half alone */
	if ((o->no_user_chain || ev_function_is(s)) &&
	    (how == EV_CALLGRAPH_DWARF || how == EV_CALLGRAPH_AUTO))
		how = EV_CALLGRAPH_FP;
	return how;
}

u32 ev_chain_stack(const struct ev_spec *s, const struct ev_record_options *o)
{
	if (s->terms.has & EV_STACK_SIZE && s->terms.stack_size)
		return s->terms.stack_size;
	if (o->stack_size)
		return o->stack_size;
	return ev_chain_callgraph(s, o) == EV_CALLGRAPH_AUTO ? EV_CHAIN_STACK_AUTO : EV_CHAIN_STACK;
}

static bool is_of_syscalls(const struct ev_spec *s)
{
	return s->tp_system &&
	       (!strcmp(s->tp_system, "raw_syscalls") || !strcmp(s->tp_system, "syscalls"));
}

/* A thread whose next user code is another program's, or that has none: its stack is walked at once. */
static bool may_not_return(const struct ev_spec *s)
{
	static const struct {
		const char *system, *name;
	} last[] = {
		{"syscalls", "sys_enter_execve"}, {"syscalls", "sys_enter_execveat"},
		{"syscalls", "sys_enter_exit"},   {"syscalls", "sys_enter_exit_group"},
		{"sched", "sched_process_exec"},  {"sched", "sched_prepare_exec"},
		{"sched", "sched_process_exit"},
	};
	u32 i;

	for (i = 0; s->tp_system && i < ARRAY_SIZE(last); i++)
		if (!strcmp(s->tp_system, last[i].system) && !strcmp(s->tp_name, last[i].name))
			return true;
	return false;
}

/* Registers that are asked for by name are those and no other. */
static void set_link(struct perf_event_attr *a, const struct ev_record_options *o)
{
	if (!o->link_reg || o->more & PERF_SAMPLE_REGS_USER)
		return;
	a->sample_type |= PERF_SAMPLE_REGS_USER;
	a->sample_regs_user = o->link_reg;
}

void ev_chain_set(struct ev_spec *s, const struct ev_record_options *o)
{
	enum ev_callgraph how = ev_chain_callgraph(s, o);
	struct perf_event_attr *a = &s->attr;

	if (how == EV_CALLGRAPH_NO)
		return;
	a->sample_type |= PERF_SAMPLE_CALLCHAIN;
	a->exclude_callchain_user = o->no_user_chain || ev_function_is(s);
	a->exclude_callchain_kernel =
		o->no_kernel_chain || (o->syscalls_user_chain && is_of_syscalls(s));
	a->sample_max_stack = s->terms.has & EV_MAX_STACK ? (u16)s->terms.max_stack : o->max_stack;
	if (how == EV_CALLGRAPH_FP) {
		if (a->exclude_callchain_user)
			return;
		if (o->defer && !may_not_return(s))
			deferred_ask(a);
		else
			set_link(a, o);
		return;
	}
	a->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	a->exclude_callchain_user = how == EV_CALLGRAPH_DWARF;
	a->sample_regs_user = o->user_regs;
	a->sample_stack_user = ev_chain_stack(s, o);
}

/* Bytes of a sample behind the copy of the stack. */
static u32 bytes_behind_stack(const struct perf_event_attr *a)
{
	const u64 words = PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_PHYS_ADDR |
			  PERF_SAMPLE_CGROUP | PERF_SAMPLE_DATA_PAGE_SIZE |
			  PERF_SAMPLE_CODE_PAGE_SIZE;
	int n = __builtin_popcountll(a->sample_type & words);

	n += a->sample_type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT) ? 1 : 0;
	if (a->sample_type & PERF_SAMPLE_REGS_INTR)
		n += 1 + __builtin_popcountll(a->sample_regs_intr);
	return 8 * (u32)n;
}

/* Bytes before it at most. */
static u32 bytes_before_stack(const struct perf_event_attr *a, u32 nr_events)
{
	const u32 frames = a->sample_max_stack ? a->sample_max_stack : MAX_STACK;
	u32 bytes = sizeof(struct perf_event_header) + 9 * 8;

	if (a->sample_type & PERF_SAMPLE_READ)
		bytes += 8 * (3 + 3 * nr_events);
	if (a->sample_type & PERF_SAMPLE_CALLCHAIN)
		bytes += 8 * (1 + frames + MAX_CONTEXTS);
	if (a->sample_type & PERF_SAMPLE_RAW)
		bytes += 8 + MAX_RAW;
	if (a->sample_type & PERF_SAMPLE_BRANCH_STACK)
		bytes += 16 + MAX_BRANCHES * (u32)sizeof(struct perf_branch_entry);
	return bytes + 8 * (1 + (u32)__builtin_popcountll(a->sample_regs_user));
}

void ev_chain_leave_room(struct perf_event_attr *a, u32 nr_events)
{
	const u32 behind = bytes_behind_stack(a), before = bytes_before_stack(a, nr_events);
	const u32 max = UINT16_MAX - 8, used = MIN(before + behind + 16, max);

	if (a->sample_type & PERF_SAMPLE_STACK_USER && behind)
		a->sample_stack_user = MIN(a->sample_stack_user, (max - used) & ~7u);
}
