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

void seen_layout_make(struct seen_layout *l, const struct sample_layout *layout)
{
	u64 type = layout->sample_type;
	s32 at = sizeof(struct perf_event_header);

	*l = (struct seen_layout){.made = true, .plain = !(type & PERF_SAMPLE_READ)};
	take(type, PERF_SAMPLE_IDENTIFIER, &at);
	l->ip = take(type, PERF_SAMPLE_IP, &at);
	l->tid = take(type, PERF_SAMPLE_TID, &at);
	l->time = take(type, PERF_SAMPLE_TIME, &at);
	l->behind = sizeof(struct perf_event_header) + 8 * (u32)__builtin_popcountll(type & FIXED);
	l->chain = type & PERF_SAMPLE_CALLCHAIN;
	l->raw = type & PERF_SAMPLE_RAW;
	l->tid_in_raw = type & PERF_SAMPLE_TID ? -1 : layout->derive.tid_at;
}

static bool read_any(const struct seen_layout *l, const struct sample_layout *layout,
		     const struct rec *rec, struct seen_sample *s)
{
	struct sample v;

	if (!sample_layout_sample(layout, rec, &v))
		return false;
	s->time = v.ids.time;
	s->ip = layout->sample_type & PERF_SAMPLE_IP ? v.ip : 0;
	if (layout->sample_type & PERF_SAMPLE_TID) {
		s->pid = v.ids.pid;
		s->tid = v.ids.tid;
	}
	s->chain = v.chain;
	s->chain_nr = v.chain_nr;
	s->raw = v.raw;
	s->raw_size = v.raw_size;
	seen_sample_derive(l, s);
	return true;
}

bool seen_sample_read(const struct seen_layout *l, const struct sample_layout *layout,
		      const struct rec *rec, struct seen_sample *s)
{
	*s = SEEN_SAMPLE_NONE;
	return l->plain ? seen_sample_read_plain(l, rec, s) : read_any(l, layout, rec, s);
}
