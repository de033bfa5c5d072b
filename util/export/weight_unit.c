// SPDX-License-Identifier: GPL-2.0
#include "util/export/weight_unit.h"

bool weight_unit_is_clock(const struct event_desc *e)
{
	return e->attr.type == PERF_TYPE_SOFTWARE && (e->attr.config == PERF_COUNT_SW_CPU_CLOCK ||
						      e->attr.config == PERF_COUNT_SW_TASK_CLOCK);
}

bool weight_unit_is_time(const struct event_desc *e)
{
	/* the fields that are counted are all delays and run times */
	return weight_unit_is_clock(e) ||
	       (e->attr.type == PERF_TYPE_TRACEPOINT && e->layout.derive.period_at >= 0);
}

u64 weight_unit_period(const struct event_desc *e)
{
	if (e->attr.type == PERF_TYPE_TRACEPOINT && e->layout.derive.period_at >= 0)
		return 0;
	if (!e->attr.freq)
		return e->attr.sample_period ? e->attr.sample_period : 1;
	return weight_unit_is_clock(e) && e->attr.sample_freq ? 1000000000 / e->attr.sample_freq
							      : 0;
}
