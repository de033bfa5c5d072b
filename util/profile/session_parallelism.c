// SPDX-License-Identifier: GPL-2.0
#include "util/profile/session_internal.h"

#define CPUS_MAX 65536u /* no kernel knows more: what is above is damage */

bool parallelism_is_recorded(const struct event_set *events)
{
	u32 i;

	for (i = 0; i < events->events.nr; i++)
		if (events->events.v[i].attr.context_switch)
			return true;
	return false;
}

enum { NOT_SEEN, IDLE, RUNS };

static bool set_cpu(struct parallelism *p, u32 cpu, bool runs)
{
	u8 *state;

	if (cpu >= CPUS_MAX)
		return true;
	while (cpu >= p->cpus.nr)
		if (!vec_push(&p->cpus))
			return false;
	state = &p->cpus.v[cpu];
	p->seen += *state == NOT_SEEN;
	p->running -= *state == RUNS;
	p->running += runs;
	*state = runs ? RUNS : IDLE;
	return true;
}

bool parallelism_record(struct parallelism *p, const struct rec *rec, const struct rec_ids *ids)
{
	switch (rec->type) {
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return set_cpu(p, ids->cpu, !(rec->misc & PERF_RECORD_MISC_SWITCH_OUT) && ids->tid);
	case PERF_RECORD_EXIT:
		return set_cpu(p, ids->cpu, false);
	default:
		return true;
	}
}

bool parallelism_sample(struct parallelism *p, const struct rec_ids *ids)
{
	return set_cpu(p, ids->cpu, ids->tid != 0);
}

u64 parallelism_share(struct parallelism *p, const struct rec_ids *ids, u64 period)
{
	u32 among = ids->tid ? p->running : p->seen;
	double share;
	u64 whole;

	if (!ids->tid && p->running)
		return 0;
	share = (double)period / (among ? among : 1) + p->rest;
	whole = share < 0x1p63 ? (u64)share : period;
	p->rest = share < 0x1p63 ? share - (double)whole : 0;
	return whole;
}

void parallelism_free(struct parallelism *p)
{
	vec_free(&p->cpus);
}
