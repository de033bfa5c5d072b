// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/stat_metrics.h"

static void put_events(struct buf *b, const struct stat_metric *m)
{
	u32 i;

	for (i = 0; i < STAT_METRIC_EVENTS && m->events[i]; i++)
		buf_addf(b, "%s%s", i ? "," : "", m->events[i]);
}

void stat_metrics_print(struct buf *b, struct ev_env *env)
{
	const struct stat_metric *m;
	const char *missing;
	struct buf events = {0};
	u32 i;

	for (i = 0; (m = stat_metric_nth(i)); i++) {
		if (!stat_metric_measurable(m, env, &missing))
			continue;
		buf_clear(&events);
		put_events(&events, m);
		buf_addf(b, "  %-16s %-46s [%s]\n", m->name, m->help, buf_str(&events));
	}
	b->failed |= events.failed;
	buf_free(&events);
}
