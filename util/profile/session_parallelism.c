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

static bool set_thread(struct parallelism *p, u32 tid, bool runs)
{
	const bool ran = hmap_get(&p->threads, tid) == RUNS;

	if (!tid || tid == ID_NONE || ran == runs)
		return true;
	p->running += runs;
	p->running -= ran;
	return hmap_set(&p->threads, tid, runs ? RUNS : IDLE);
}

static bool set(struct parallelism *p, const struct rec_ids *ids, bool runs)
{
	return ids->cpu == ID_NONE ? set_thread(p, ids->tid, runs)
				   : set_cpu(p, ids->cpu, runs && ids->tid);
}

bool parallelism_record(struct parallelism *p, const struct rec *rec, const struct rec_ids *ids)
{
	switch (rec->type) {
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return set(p, ids, !(rec->misc & PERF_RECORD_MISC_SWITCH_OUT));
	case PERF_RECORD_EXIT:
		return set(p, ids, false);
	default:
		return true;
	}
}

bool parallelism_sample(struct parallelism *p, const struct rec_ids *ids)
{
	return set(p, ids, true);
}

u64 parallelism_share(struct parallelism *p, const struct rec_ids *ids, u64 period)
{
	u32 among = ids->tid ? p->running : p->seen;
	double share;
	u64 whole;

	if (!ids->tid && p->running)
		return 0;
	share = (double)period / (among ? among : 1);
	/* multiples of the golden ratio: no rhythm of the samples keeps step with them */
	share += (double)(u32)(p->shares++ * 2654435769u) / 0x1p32;
	whole = share < 0x1p63 ? (u64)share : period;
	return whole;
}

void parallelism_free(struct parallelism *p)
{
	vec_free(&p->cpus);
	hmap_free(&p->threads);
}
