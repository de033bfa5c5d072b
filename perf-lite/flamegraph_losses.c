// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/cmd_flamegraph.h"

static struct flamegraph_cpu *find_cpu(struct flamegraph_losses *l, u32 cpu)
{
	while (l->cpus.nr <= cpu)
		if (!vec_push(&l->cpus))
			return NULL;
	return &l->cpus.v[cpu];
}

bool flamegraph_losses_sample(struct flamegraph_losses *l, u32 cpu, u64 time)
{
	struct flamegraph_cpu *c;

	if (cpu >= FLAMEGRAPH_CPUS_MAX)
		return true;
	c = find_cpu(l, cpu);
	if (c)
		c->last = time;
	return c;
}

static bool add_span(struct flamegraph_losses *l, u32 cpu, enum timeline_kind kind, u64 from,
		     u64 to, u64 count)
{
	struct flamegraph_span *span = vec_push(&l->spans);

	if (span)
		*span = (struct flamegraph_span){cpu, kind, from, to, count};
	return span;
}

/* Records came again at `time`: since the CPU's last sample, so many were lost. */
static bool add_lost(struct flamegraph_losses *l, const struct session_record *r, u64 count)
{
	u64 from = r->ids.time;

	l->reported += count;
	if (r->ids.cpu < l->cpus.nr) {
		l->cpus.v[r->ids.cpu].lost = true;
		if (!l->partly && l->cpus.v[r->ids.cpu].last)
			from = MIN(from, l->cpus.v[r->ids.cpu].last);
	}
	return add_span(l, r->ids.cpu, TIMELINE_LOST, from, r->ids.time, count);
}

static bool add_throttle(struct flamegraph_losses *l, const struct session_record *r, u64 time)
{
	struct flamegraph_cpu *state =
		r->ids.cpu < FLAMEGRAPH_CPUS_MAX ? find_cpu(l, r->ids.cpu) : NULL;
	u64 since;

	if (!state)
		return r->ids.cpu >= FLAMEGRAPH_CPUS_MAX;
	if (r->rec->type == PERF_RECORD_THROTTLE) {
		state->throttled = state->throttled ? state->throttled : time;
		return true;
	}
	since = state->throttled;
	state->throttled = 0;
	return !since || add_span(l, r->ids.cpu, TIMELINE_THROTTLED, since, time, 0);
}

/* Take in perf's records of losses. */
bool flamegraph_losses_record(struct flamegraph_losses *l, const struct session_record *r)
{
	struct cur b = rec_body(r->rec);
	u64 n;

	if (r->rec->type == PERF_RECORD_LOST)
		cur_skip(&b, 8);
	n = cur_u64(&b);    /* how many were lost, or when it was throttled */
	if (!r->ids.time) { /* perf's sums at the end have none */
		l->sums += r->rec->type == PERF_RECORD_LOST_SAMPLES ? n : 0;
		return true;
	}
	switch (r->rec->type) {
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		return add_lost(l, r, n);
	default:
		return add_throttle(l, r, r->ids.time);
	}
}

static enum timeline_kind kind_of(u32 cause)
{
	switch (cause) {
	case LOSS_THROTTLED:
		return TIMELINE_THROTTLED;
	case LOSS_STOPPED:
		return TIMELINE_STOPPED;
	case LOSS_OFFLINE:
		return TIMELINE_OFFLINE;
	default:
		return TIMELINE_LOST;
	}
}

static u64 last_sample(const struct flamegraph_losses *l)
{
	u64 last = 0;
	u32 i;

	for (i = 0; i < l->cpus.nr; i++)
		last = MAX(last, l->cpus.v[i].last);
	return last;
}

/* Who was paused to the end. */
static bool end_throttles(struct flamegraph_losses *l)
{
	const u64 last = last_sample(l);
	u32 i;

	for (i = 0; i < l->cpus.nr; i++)
		if (l->cpus.v[i].throttled && l->cpus.v[i].throttled <= last &&
		    !add_span(l, i, TIMELINE_THROTTLED, l->cpus.v[i].throttled, last, 0))
			return false;
	return true;
}

/*
 * Samples lost at the end of perf's recording: a ring that stays full gets no more records, but the totals count
 * them. It is the ring of a CPU that lost records before; if there are several, the number for each is unknown.
 */
static bool end_lost(struct flamegraph_losses *l)
{
	const u64 last = last_sample(l);
	u32 i, nr = 0;

	if (!l->to_end || l->partly || l->sums <= l->reported)
		return true;
	for (i = 0; i < l->cpus.nr; i++)
		nr += l->cpus.v[i].lost;
	for (i = 0; i < l->cpus.nr; i++)
		if ((nr ? l->cpus.v[i].lost : l->cpus.v[i].last != 0) &&
		    !add_span(l, i, TIMELINE_LOST, l->cpus.v[i].last ? l->cpus.v[i].last : last,
			      last, nr == 1 ? l->sums - l->reported : 0))
			return false;
	return true;
}

/* Take the losses from the LOSS blocks of our files; the PERF_RECORD_LOST records that they also hold repeat them. */
static bool take_blocks(struct flamegraph_losses *l, const struct recording *r, u32 event)
{
	const struct loss *b;
	u32 i;

	l->spans.nr = 0;
	for (i = 0; i < r->losses.nr; i++) {
		b = &r->losses.v[i];
		if (!b->from || b->to < b->from ||
		    (b->event != ID_NONE && event != ID_NONE && b->event != event))
			continue;
		if (!add_span(l, b->cpu, kind_of(b->cause), b->from, b->to, b->count))
			return false;
	}
	return true;
}

int flamegraph_losses_end(struct flamegraph_losses *l, const struct recording *r, u32 event,
			  struct err *err)
{
	bool ok = r->losses.nr ? take_blocks(l, r, event) : end_throttles(l) && end_lost(l);

	return ok ? 0 : err_nomem(err);
}

void flamegraph_losses_free(struct flamegraph_losses *l)
{
	vec_free(&l->spans);
	vec_free(&l->cpus);
}
