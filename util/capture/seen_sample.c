// SPDX-License-Identifier: GPL-2.0
#include "util/capture/seen_sample.h"

/* What may stand before the call chain: one u64 each. */
#define FIXED                                                                           \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |  \
	 PERF_SAMPLE_PERIOD)

static s32 take(u64 type, u64 field, s32 *at)
{
	s32 here = *at;

	if (!(type & field))
		return -1;
	*at += 8;
	return here;
}

void seen_layout_make(struct seen_layout *l, const struct plan *plan)
{
	u64 type = plan->sample_type;
	s32 at = 0;

	*l = (struct seen_layout){.made = true, .plain = !(type & PERF_SAMPLE_READ), .chain = -1};
	take(type, PERF_SAMPLE_IDENTIFIER, &at);
	l->ip = take(type, PERF_SAMPLE_IP, &at);
	l->tid = take(type, PERF_SAMPLE_TID, &at);
	l->time = take(type, PERF_SAMPLE_TIME, &at);
	at = 8 * __builtin_popcountll(type & FIXED);
	if (type & PERF_SAMPLE_CALLCHAIN)
		l->chain = at;
	l->raw = type & PERF_SAMPLE_RAW ? at : -1;
	l->tid_in_raw = type & PERF_SAMPLE_TID ? -1 : plan->derive.tid_at;
}

static u64 get_u64(const u8 *p)
{
	u64 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static u32 get_u32(const u8 *p)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static bool read_plain(const struct seen_layout *l, const struct rec *rec, struct seen_sample *s)
{
	const u8 *body = rec->data + sizeof(struct perf_event_header), *end = rec->data + rec->size;
	const u8 *p = body + (l->chain >= 0 ? l->chain : MAX(l->raw, 0));
	u64 nr;

	/* every fixed field lies before the first of these, or before the end */
	if (p > end || MAX(MAX(l->ip, l->tid), l->time) + 8 > end - body)
		return false;
	if (l->ip >= 0)
		s->ip = get_u64(body + l->ip);
	if (l->time >= 0)
		s->time = get_u64(body + l->time);
	if (l->tid >= 0) {
		s->pid = get_u32(body + l->tid);
		s->tid = get_u32(body + l->tid + 4);
	}
	if (l->chain >= 0) {
		if (end - p < 8 || (nr = get_u64(p)) > (u64)(end - p - 8) / 8)
			return false;
		/* records are 8-byte aligned and so is every array in them */
		s->chain = (const u64 *)(const void *)(p + 8);
		s->chain_nr = (u32)nr;
		p += 8 + 8 * nr;
	}
	if (l->raw >= 0) {
		if (end - p < 4 || (s->raw_size = get_u32(p)) > (u64)(end - p - 4))
			return false;
		s->raw = p + 4;
	}
	return true;
}

static bool read_any(const struct plan *plan, const struct rec *rec, struct seen_sample *s)
{
	struct sample v;

	if (!plan_sample(plan, rec, &v))
		return false;
	s->time = v.ids.time;
	s->ip = plan->sample_type & PERF_SAMPLE_IP ? v.ip : 0;
	if (plan->sample_type & PERF_SAMPLE_TID) {
		s->pid = v.ids.pid;
		s->tid = v.ids.tid;
	}
	s->chain = v.chain;
	s->chain_nr = v.chain_nr;
	s->raw = v.raw;
	s->raw_size = v.raw_size;
	return true;
}

bool seen_sample_read(const struct seen_layout *l, const struct plan *plan, const struct rec *rec,
		      struct seen_sample *s)
{
	*s = (struct seen_sample){.pid = ID_NONE, .tid = ID_NONE};
	if (!(l->plain ? read_plain(l, rec, s) : read_any(plan, rec, s)))
		return false;
	if (l->tid_in_raw >= 0 && (u32)l->tid_in_raw + 4 <= s->raw_size)
		s->tid = get_u32(s->raw + l->tid_in_raw);
	return true;
}
