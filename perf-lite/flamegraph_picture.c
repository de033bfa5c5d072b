// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/flamegraph_picture.h"

#include <ctype.h>
#include <string.h>

#define NS_PER_S 1000000000ull

bool flamegraph_picture_is_html(const char *path)
{
	const char *dot = path ? strrchr(path, '.') : NULL;

	return dot && (!strcmp(dot, ".html") || !strcmp(dot, ".htm"));
}

void flamegraph_picture_path(const char *path, const char *event, struct buf *out)
{
	const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
	const char *end = path + strlen(path);
	size_t i;

	/* a name that begins with its only dot has no ending */
	if (!dot || dot == path || (slash && dot <= slash + 1))
		dot = end;
	buf_add(out, path, (size_t)(dot - path));
	buf_addc(out, '.');
	for (i = 0; event[i]; i++)
		buf_addc(out, isalnum((unsigned char)event[i]) || strchr(":-_.=,+", event[i])
				      ? event[i]
				      : '_');
	buf_add(out, dot, (size_t)(end - dot));
}

static void put_seconds(struct buf *out, u64 ns)
{
	buf_addf(out, "%llu.%06llu", (unsigned long long)(ns / NS_PER_S),
		 (unsigned long long)(ns % NS_PER_S / 1000));
}

void flamegraph_picture_note(const struct reading *in, u32 event, u64 first, u64 last,
			     struct buf *out)
{
	buf_adds(out, in->s->source->recording.events.events.v[event].name);
	if (first > last)
		return;
	buf_adds(out, ", ");
	put_seconds(out, first);
	buf_adds(out, " to ");
	put_seconds(out, last);
	buf_adds(out, " s");
}

static bool counts_time(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
						    attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

const char *flamegraph_picture_unit(const struct reading *in, u32 event, u64 samples, u64 weight,
				    struct buf *room)
{
	const struct event_desc *e = &in->s->source->recording.events.events.v[event];

	if (weight == samples)
		return NULL;
	if (counts_time(&e->attr))
		return "ns";
	if (e->attr.type == PERF_TYPE_TRACEPOINT)
		return "counts";
	buf_clear(room);
	buf_add(room, e->name, strcspn(e->name, ":"));
	return room->len ? buf_str(room) : "counts";
}

void flamegraph_picture_warning(const struct reading *in, const char *damage, struct buf *out)
{
	const struct session *s = in->s;
	const struct recording *r = &s->source->recording;
	const u64 lost = recording_lost(r, MAX(s->lost, s->lost_samples)) + recording_unwritten(r);

	if (lost)
		buf_addf(out, "%llu samples were lost while recording", (unsigned long long)lost);
	if (damage && *damage)
		buf_addf(out, "%s%s", lost ? "; " : "", damage);
}
