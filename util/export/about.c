// SPDX-License-Identifier: GPL-2.0
#include "util/export/about.h"

#include <string.h>

#include "util/base/text.h"
#include "util/profile/clock_pairs.h"

bool about_wall_clock(const struct session *s, u64 time, u64 *wall, struct buf *out)
{
	struct clock_pairs pairs = {0};
	bool read = clock_pairs_read(&pairs, s->source->recording);
	bool known = read && clock_pairs_know(&pairs, CLOCK_PAIR_REAL);

	out->failed |= !read;

	if (known)
		*wall = clock_pairs_convert(&pairs, CLOCK_PAIR_REAL, time);
	clock_pairs_free(&pairs);
	return known;
}

void about_command(const struct session *s, struct buf *out)
{
	const struct recording *r = s->source->recording;
	const char *arg = NULL;
	bool first = true;

	for (; (arg = recording_argument(r, arg)); first = false) {
		if (!first)
			buf_addc(out, ' ');
		text_escape(out, arg, strlen(arg));
	}
}

void about_fact(const struct session *s, const char *key, struct buf *out)
{
	const char *value = recording_fact(s->source->recording, key);

	if (value)
		text_escape(out, value, strlen(value));
}

u64 about_lost(const struct session *s)
{
	const struct recording *r = s->source->recording;

	return recording_lost(r, session_lost(s)) + recording_unwritten(r);
}

bool about_weight_is_clock(const struct event_desc *e)
{
	return e->attr.type == PERF_TYPE_SOFTWARE && (e->attr.config == PERF_COUNT_SW_CPU_CLOCK ||
						      e->attr.config == PERF_COUNT_SW_TASK_CLOCK);
}

bool about_weight_is_time(const struct event_desc *e)
{
	/* the fields that are counted are all delays and run times */
	return about_weight_is_clock(e) ||
	       (e->attr.type == PERF_TYPE_TRACEPOINT && e->layout.derive.period_at >= 0);
}

u64 about_weight_period(const struct event_desc *e)
{
	if (e->attr.type == PERF_TYPE_TRACEPOINT && e->layout.derive.period_at >= 0)
		return 0;
	if (!e->attr.freq)
		return e->attr.sample_period ? e->attr.sample_period : 1;
	return about_weight_is_clock(e) && e->attr.sample_freq ? 1000000000 / e->attr.sample_freq
							       : 0;
}
