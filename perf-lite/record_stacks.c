// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/record_stacks.h"

#include <errno.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "arch/arch.h"

#define STACK_RING_MIN (8ull << 20)

static bool has_stack(const struct record *c, const struct ev_spec *s)
{
	enum ev_callgraph how = ev_record_callgraph(s, &c->attrs);

	return how == EV_CALLGRAPH_DWARF || how == EV_CALLGRAPH_AUTO;
}

bool record_stacks_any(const struct record *c)
{
	u32 i;

	if (!c->any_event && c->attrs.call_graph > EV_CALLGRAPH_FP && !c->attrs.no_user_chain)
		return true;
	for (i = 0; i < c->list.specs.nr; i++)
		if (has_stack(c, &c->list.specs.v[i]))
			return true;
	return false;
}

u32 record_stacks_workers(const struct record *c)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	return record_stacks_any(c) ? unwinding_workers((u32)MAX(cpus, 1L)) : 0;
}

/* Samples a second of an event on one CPU; UINT32_MAX where nobody can know. */
static u64 rate(const struct record *c, const struct ev_spec *s)
{
	if (s->terms.has & EV_FREQ)
		return s->attr.sample_freq;
	if (s->terms.has & EV_PERIOD || c->attrs.period)
		return UINT32_MAX;
	if (c->attrs.frequency)
		return c->attrs.frequency;
	return s->attr.type == PERF_TYPE_TRACEPOINT ? UINT32_MAX : EV_RECORD_FREQUENCY;
}

/* What holds a quarter of a second's samples. */
static u64 wanted_bytes(const struct record *c)
{
	u64 bytes = STACK_RING_MIN, sum = 0;
	u32 i;

	for (i = 0; i < c->list.specs.nr; i++)
		if (has_stack(c, &c->list.specs.v[i]))
			sum += rate(c, &c->list.specs.v[i]) / 4 *
			       ev_record_stack(&c->list.specs.v[i], &c->attrs);
	while (bytes < sum && bytes < RECORDER_STACK_RING_BYTES)
		bytes *= 2;
	return bytes;
}

u64 record_stacks_ring_bytes(const struct record *c, struct buf *notes)
{
	u64 available = limits_memory_available(&c->root), wanted = wanted_bytes(c), bytes = wanted;

	while (available && bytes > RECORDER_RING_BYTES && bytes * c->cpus.nr > available / 4)
		bytes /= 2;
	if (bytes < wanted)
		buf_addf(
			notes,
			"buffers of %llu KiB instead of %llu KiB: memory is short; smaller stacks need less: --call-graph dwarf,16384\n",
			(unsigned long long)(bytes >> 10), (unsigned long long)(wanted >> 10));
	return bytes;
}

int record_stacks_choose(struct record *c, struct err *err)
{
	static const char *const names[] = {
		[EV_CALLGRAPH_DWARF] = "dwarf", [EV_CALLGRAPH_AUTO] = "auto"};
	const struct ev_spec *s;
	struct utsname un;
	enum ev_callgraph how;
	const struct arch *arch = NULL;
	u32 i;

	if (!record_stacks_any(c))
		return 0;
	if (!uname(&un))
		arch = arch_find(un.machine);
	if (!arch || !arch->user_regs) {
		err_set(err, EOPNOTSUPP, "stacks cannot be unwound on this machine");
		err_hint(err, "use --call-graph fp (frame pointers), the same as -g");
		return -EOPNOTSUPP;
	}
	c->attrs.user_regs = arch->user_regs;
	if (c->options.rings.overwrite) {
		err_set(err, EINVAL,
			"--overwrite keeps samples as they are: their stacks would be unwound too late");
		err_hint(err, "--keep-last 30s keeps them unwound, and far more of them");
		return -EINVAL;
	}
	for (i = 0; i < c->list.specs.nr; i++) {
		s = &c->list.specs.v[i];
		how = ev_record_callgraph(s, &c->attrs);
		if (!has_stack(c, s))
			continue;
		snprintf(c->call_graph, sizeof(c->call_graph), "%s,%u", names[how],
			 ev_record_stack(s, &c->attrs));
		break;
	}
	c->options.preamble.call_graph = c->call_graph;
	return 0;
}
