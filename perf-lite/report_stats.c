// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf-lite/input.h"
#include "perf-lite/report.h"
#include "util/base/text.h"
#include "util/file/perfdata_abi.h"
#include "util/format/header_text.h"
#include "util/profile/group_read.h"

struct type_counts {
	u64 all;
	u64 by_type[PERFDATA_TYPE_FIRST];
	u64 *samples; /* by event */
	u32 nr_events;
	struct group_read group;
};

static const char *user_type_name(u32 type)
{
	static const char *const names[] = {
		[PERFDATA_HEADER_ATTR - PERFDATA_TYPE_FIRST] = "ATTR",
		[PERFDATA_HEADER_EVENT_TYPE - PERFDATA_TYPE_FIRST] = "EVENT_TYPE",
		[PERFDATA_HEADER_TRACING_DATA - PERFDATA_TYPE_FIRST] = "TRACING_DATA",
		[PERFDATA_HEADER_BUILD_ID - PERFDATA_TYPE_FIRST] = "BUILD_ID",
		[PERFDATA_FINISHED_ROUND - PERFDATA_TYPE_FIRST] = "FINISHED_ROUND",
		[PERFDATA_ID_INDEX - PERFDATA_TYPE_FIRST] = "ID_INDEX",
		[PERFDATA_AUXTRACE_INFO - PERFDATA_TYPE_FIRST] = "AUXTRACE_INFO",
		[PERFDATA_AUXTRACE - PERFDATA_TYPE_FIRST] = "AUXTRACE",
		[PERFDATA_AUXTRACE_ERROR - PERFDATA_TYPE_FIRST] = "AUXTRACE_ERROR",
		[PERFDATA_THREAD_MAP - PERFDATA_TYPE_FIRST] = "THREAD_MAP",
		[PERFDATA_CPU_MAP - PERFDATA_TYPE_FIRST] = "CPU_MAP",
		[PERFDATA_STAT_CONFIG - PERFDATA_TYPE_FIRST] = "STAT_CONFIG",
		[PERFDATA_STAT - PERFDATA_TYPE_FIRST] = "STAT",
		[PERFDATA_STAT_ROUND - PERFDATA_TYPE_FIRST] = "STAT_ROUND",
		[PERFDATA_EVENT_UPDATE - PERFDATA_TYPE_FIRST] = "EVENT_UPDATE",
		[PERFDATA_TIME_CONV - PERFDATA_TYPE_FIRST] = "TIME_CONV",
		[PERFDATA_HEADER_FEATURE - PERFDATA_TYPE_FIRST] = "FEATURE",
		[PERFDATA_COMPRESSED - PERFDATA_TYPE_FIRST] = "COMPRESSED",
		[PERFDATA_FINISHED_INIT - PERFDATA_TYPE_FIRST] = "FINISHED_INIT",
		[PERFDATA_COMPRESSED2 - PERFDATA_TYPE_FIRST] = "COMPRESSED2",
		[PERFDATA_BPF_METADATA - PERFDATA_TYPE_FIRST] = "BPF_METADATA",
		[PERFDATA_SCHEDSTAT_CPU - PERFDATA_TYPE_FIRST] = "SCHEDSTAT_CPU",
		[PERFDATA_SCHEDSTAT_DOMAIN - PERFDATA_TYPE_FIRST] = "SCHEDSTAT_DOMAIN",
	};

	return type < ARRAY_SIZE(names) ? names[type] : NULL;
}

static void put_count(const char *name, u32 type, u64 nr, u64 all, struct buf *out)
{
	char unnamed[24];

	if (!nr)
		return;
	if (!name) {
		snprintf(unnamed, sizeof(unnamed), "UNKNOWN_%u", type);
		name = unnamed;
	}
	buf_addf(out, "%16s events: %10llu  (%4.1f%%)\n", name, (unsigned long long)nr,
		 100.0 * (double)nr / (double)all);
}

static void put_counts(const struct type_counts *n, const struct source *s, struct buf *out)
{
	const struct event_desc *events = s->recording->events.events.v;
	u64 all = n->all;
	u32 i;

	for (i = 0; i < RECORDING_USER_TYPES; i++)
		all += s->recording->perf.user_types[i];
	buf_addf(out, "\nAggregated stats:\n%16s events: %10llu\n", "TOTAL",
		 (unsigned long long)all);
	for (i = 0; i < PERFDATA_TYPE_FIRST; i++)
		put_count(i < PERF_RECORD_MAX ? rec_type_name(i) : NULL, i, n->by_type[i], all,
			  out);
	for (i = 0; i < RECORDING_USER_TYPES; i++)
		put_count(user_type_name(i), i + PERFDATA_TYPE_FIRST,
			  s->recording->perf.user_types[i], all, out);
	for (i = 0; i < n->nr_events; i++) {
		if (!n->samples[i])
			continue;
		text_escape(out, events[i].name, strlen(events[i].name));
		buf_addf(out, " stats:\n%16s events: %10llu\n", "SAMPLE",
			 (unsigned long long)n->samples[i]);
	}
}

/* Events may be described after the first records. */
static bool room_for(struct type_counts *n, u32 event)
{
	u64 *v;

	if (event < n->nr_events)
		return true;
	v = realloc(n->samples, ((size_t)event + 1) * sizeof(*v));
	if (!v)
		return false;
	memset(v + n->nr_events, 0, ((size_t)event + 1 - n->nr_events) * sizeof(*v));
	n->samples = v;
	n->nr_events = event + 1;
	return true;
}

static bool count_sample(struct type_counts *n, u32 event)
{
	if (!room_for(n, event))
		return false;
	n->samples[event]++;
	return true;
}

/* A sample with the counts of a group is one of each member that counted. */
static bool count_samples(struct type_counts *n, const struct event_set *events, u32 event,
			  const struct rec *rec)
{
	const struct event_desc *desc = &events->events.v[event];
	const struct sample_layout *layout = &desc->layout;
	struct sample sample;
	u64 id, counted;
	u32 member;

	if (!(layout->sample_type & PERF_SAMPLE_READ) ||
	    !sample_layout_sample(layout, rec, &sample) ||
	    !group_read_begin(&n->group, desc, &sample))
		return count_sample(n, event);
	while (group_read_next(&n->group, &id, &counted)) {
		member = hmap_get(&events->by_id, id);
		if (member != ID_NONE && !count_sample(n, member))
			return false;
	}
	return true;
}

static int count(struct type_counts *n, struct source *s, struct err *err)
{
	struct rec rec;
	u32 event;
	int ret;

	while ((ret = source_next(s, &rec, err)) > 0) {
		n->all++;
		if (rec.type < PERFDATA_TYPE_FIRST)
			n->by_type[rec.type]++;
		if (rec.type != PERF_RECORD_SAMPLE)
			continue;
		event = event_set_find(&s->recording->events, &rec);
		if (event == ID_NONE)
			continue;
		if (!count_samples(n, &s->recording->events, event, &rec))
			return err_nomem(err);
	}
	return ret;
}

int report_stats(struct report *r, struct buf *out, struct err *err)
{
	struct type_counts n = {0};
	struct source *s;
	int ret;

	input_spare_interrupt(r->in.session.path);
	s = source_open(r->in.session.path, err);
	if (!s)
		return -EINVAL;
	s->want.no_chains = s->want.no_raw = true;
	ret = count(&n, s, err);
	if (!ret) {
		if (r->header || r->header_only)
			header_text(s->recording, r->in.session.path, r->show_info, out);
		if (!r->header_only)
			put_counts(&n, s, out);
		ret = input_damage_report(s->recording, 0, r->in.quiet, err);
	}
	group_read_free(&n.group);
	free(n.samples);
	source_close(s);
	return ret;
}
