// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/flamegraph_picture.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#define NS_PER_S 1000000000ull

/* What stands behind the last dot of a file's name; NULL: there is none. */
static const char *ending(const char *path)
{
	const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');

	/* a name that begins with its only dot has no ending */
	return dot && dot != path && (!slash || dot > slash + 1) ? dot + 1 : NULL;
}

bool flamegraph_picture_is_html(const char *path)
{
	const char *end = path ? ending(path) : NULL;

	return end && (!strcasecmp(end, "html") || !strcasecmp(end, "htm"));
}

int flamegraph_picture_check(const char *path, struct err *err)
{
	static const struct {
		const char *end, *hint;
	} others[] = {
		{"txt", "folded stacks as text: perf-lite script --folded"},
		{"folded", "folded stacks as text: perf-lite script --folded"},
		{"json", "perf-lite convert writes JSON for speedscope and the Firefox profiler"},
		{"gz", "-o - writes to a pipe: perf-lite flamegraph -o - | gzip"},
		{"svgz", "-o - writes to a pipe: perf-lite flamegraph -o - | gzip"},
		{"png", NULL},
		{"jpg", NULL},
		{"jpeg", NULL},
		{"gif", NULL},
		{"webp", NULL},
		{"avif", NULL},
		{"bmp", NULL},
		{"tif", NULL},
		{"tiff", NULL},
		{"pdf", NULL},
		{"ps", NULL},
		{"eps", NULL},
	};
	const char *end = path ? ending(path) : NULL;
	size_t i;

	for (i = 0; end && i < ARRAY_SIZE(others); i++) {
		if (strcasecmp(end, others[i].end) != 0)
			continue;
		err_set(err, EINVAL, "a picture is SVG (.svg) or HTML (.html): it cannot be %s",
			path);
		if (others[i].hint)
			err_hint(err, "%s", others[i].hint);
		else
			err_hint(err,
				 "write .svg; rsvg-convert, inkscape or a browser make .%s of it",
				 end);
		return -EINVAL;
	}
	return 0;
}

void flamegraph_picture_path(const char *path, const char *event, struct buf *out)
{
	const char *end = path + strlen(path), *dot = ending(path) ? ending(path) - 1 : end;
	size_t i;

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
