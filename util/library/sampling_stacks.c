// SPDX-License-Identifier: GPL-2.0
#include "util/library/sampling.h"

#include <errno.h>
#include <stdio.h>
#include <sys/utsname.h>

#include "arch/arch.h"
#include "util/event/ev_record.h"

#define STACK_RING_MIN (8ull << 20)

static const struct arch *this_arch(void)
{
	struct utsname un;

	return uname(&un) ? NULL : arch_find(un.machine);
}

static bool has_stack(const struct sampling *s, const struct ev_spec *spec)
{
	enum ev_callgraph how = ev_chain_callgraph(spec, &s->attrs);

	return how == EV_CALLGRAPH_DWARF || how == EV_CALLGRAPH_AUTO;
}

bool sampling_any_stacks(const struct sampling *s)
{
	u32 i;

	if (!s->any_event && s->attrs.call_graph > EV_CALLGRAPH_FP && !s->attrs.no_user_chain)
		return true;
	for (i = 0; i < s->list.specs.nr; i++)
		if (has_stack(s, &s->list.specs.v[i]))
			return true;
	return false;
}

static void set_registers(struct ev_record_options *o, const struct arch *arch)
{
	o->link_reg = arch ? arch->link_reg : 0;
	o->user_regs = arch ? arch->user_regs : 0;
}

bool sampling_any_callers(const struct sampling *s)
{
	struct ev_record_options o = s->attrs;
	u32 i;

	set_registers(&o, this_arch());
	if (s->rings.overwrite || o.no_user_chain)
		return false;
	if (!s->any_event)
		return o.call_chain && o.link_reg;
	for (i = 0; i < s->list.specs.nr; i++)
		if (ev_chain_has_caller(&s->list.specs.v[i], &o))
			return true;
	return false;
}

/* Samples a second of an event on one CPU; UINT32_MAX where nobody can know. */
static u64 rate(const struct sampling *s, const struct ev_spec *spec)
{
	if (spec->terms.has & EV_FREQ)
		return spec->attr.sample_freq;
	if (spec->terms.has & EV_PERIOD || s->attrs.period)
		return UINT32_MAX;
	if (s->attrs.frequency)
		return s->attrs.frequency;
	return spec->attr.type == PERF_TYPE_TRACEPOINT ? UINT32_MAX : EV_RECORD_FREQUENCY;
}

/* What holds a quarter of a second's samples. */
static u64 wanted_bytes(const struct sampling *s)
{
	u64 bytes = STACK_RING_MIN, sum = 0;
	u32 i;

	for (i = 0; i < s->list.specs.nr; i++)
		if (has_stack(s, &s->list.specs.v[i]))
			sum += rate(s, &s->list.specs.v[i]) / 4 *
			       ev_chain_stack(&s->list.specs.v[i], &s->attrs);
	while (bytes < sum && bytes < SAMPLING_STACK_RING_BYTES)
		bytes *= 2;
	return bytes;
}

u64 sampling_stacks_ring_bytes(const struct sampling *s, struct buf *notes)
{
	u64 available = limits_memory_available(&s->root), wanted = wanted_bytes(s), bytes = wanted;

	while (available && bytes > SAMPLING_RING_BYTES && bytes * s->cpus.nr > available / 4)
		bytes /= 2;
	if (bytes < wanted)
		buf_addf(
			notes,
			"buffers of %llu KiB instead of %llu KiB: not enough memory; smaller stacks need less: --call-graph dwarf,16384\n",
			(unsigned long long)(bytes >> 10), (unsigned long long)(wanted >> 10));
	return bytes;
}

int sampling_stacks_choose(struct sampling *s, struct err *err)
{
	static const char *const names[] = {
		[EV_CALLGRAPH_DWARF] = "dwarf", [EV_CALLGRAPH_AUTO] = "auto"};
	const struct ev_spec *spec;
	const struct arch *arch = this_arch();
	u32 i;

	set_registers(&s->attrs, arch);
	if (!sampling_any_stacks(s))
		return 0;
	if (!arch || !arch->user_regs) {
		err_set(err, EOPNOTSUPP, "stack unwinding is not supported on this machine");
		err_hint(err, "use --call-graph fp (frame pointers), the same as -g");
		return -EOPNOTSUPP;
	}
	if (s->rings.overwrite) {
		err_set(err, EINVAL,
			"--overwrite cannot be combined with --call-graph dwarf or auto: stacks must be unwound at once");
		err_hint(err, "use --keep-last 30s: it unwinds stacks and keeps many more samples");
		return -EINVAL;
	}
	for (i = 0; i < s->list.specs.nr; i++) {
		spec = &s->list.specs.v[i];
		if (!has_stack(s, spec))
			continue;
		snprintf(s->call_graph, sizeof(s->call_graph), "%s,%u",
			 names[ev_chain_callgraph(spec, &s->attrs)],
			 ev_chain_stack(spec, &s->attrs));
		break;
	}
	return 0;
}
