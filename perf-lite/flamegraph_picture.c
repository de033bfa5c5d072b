// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/cmd_flamegraph.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "util/format/time_text.h"

#define NS_PER_S     1000000000ull
#define FRACTION_END 29 /* of RFC 3339 with nine decimals: the zone follows */

/* What follows the last dot of a file's name; NULL: there is none. */
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

/* The arguments from `arg` on, with blanks between. */
static void put_arguments(const struct recording *r, const char *arg, struct buf *out)
{
	const char *sep = "";

	for (; arg; arg = recording_argument(r, arg), sep = " ")
		buf_addf(out, "%s%s", sep, arg);
}

void flamegraph_picture_title(const struct recording *r, struct buf *out)
{
	const char *arg = recording_argument(r, NULL);

	while (arg && strcmp(arg, "--") != 0)
		arg = recording_argument(r, arg);
	if (arg)
		arg = recording_argument(r, arg);
	put_arguments(r, arg ? arg : recording_argument(r, NULL), out);
}

void flamegraph_picture_dates(const struct recording *r, u64 first, u64 last, struct buf *out)
{
	struct buf from = {0}, to = {0};
	struct time_text t;
	struct err ignored;

	if (time_text_init(&t, TIME_FORM_RAW, true, r, &ignored)) {
		out->failed = true; /* nothing else can be wrong with that form */
		return;
	}
	if (time_text_knows_day(&t)) {
		time_text_put_rfc3339(&t, time_text_day(&t, first), &from);
		time_text_put_rfc3339(&t, time_text_day(&t, last), &to);
	}
	if (from.len > FRACTION_END && to.len > FRACTION_END) {
		buf_addf(out, "%s%.10s %.8s", out->len ? ", " : "", from.data, from.data + 11);
		if (memcmp(from.data, to.data, 10) != 0)
			buf_addf(out, " to %.10s %.8s", to.data, to.data + 11);
		else if (memcmp(from.data, to.data, 19) != 0)
			buf_addf(out, " to %.8s", to.data + 11);
		buf_addf(out, " %s", buf_str(&to) + FRACTION_END);
	}
	out->failed |= from.failed | to.failed;
	buf_free(&from);
	buf_free(&to);
	time_text_free(&t);
}

static void put_origin(const struct recording *r, const struct flamegraph_head *h, u64 first,
		       u64 last, struct buf *out)
{
	const char *host = recording_fact(r, "hostname");
	struct buf line = {0};

	buf_adds(out, host ? host : "");
	if (first <= last)
		flamegraph_picture_dates(r, first, last, out);
	put_arguments(r, recording_argument(r, NULL), &line);
	if (line.len && strcmp(buf_str(&line), buf_str(&h->title)) != 0)
		buf_addf(out, "%s%s", out->len ? ": " : "", buf_str(&line));
	out->failed |= line.failed;
	buf_free(&line);
}

int flamegraph_head_make(struct flamegraph_head *h, const struct reading *in, u32 event, u64 first,
			 u64 last, struct err *err)
{
	const struct recording *r = in->s->source->recording;

	flamegraph_picture_title(r, &h->title);
	put_origin(r, h, first, last, &h->origin);
	buf_adds(&h->event, r->events.events.v[event].name);
	if (first <= last) {
		buf_adds(&h->event, ", ");
		put_seconds(&h->event, first);
		buf_adds(&h->event, " to ");
		put_seconds(&h->event, last);
		buf_adds(&h->event, " s");
	}
	return h->title.failed || h->origin.failed || h->event.failed ? err_nomem(err) : 0;
}

void flamegraph_head_free(struct flamegraph_head *h)
{
	buf_free(&h->title);
	buf_free(&h->origin);
	buf_free(&h->event);
}

static bool counts_time(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
						    attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

const char *flamegraph_picture_unit(const struct reading *in, u32 event, u64 samples, u64 weight,
				    bool *time, struct buf *room)
{
	const struct event_desc *e = &in->s->source->recording->events.events.v[event];

	*time = weight != samples && counts_time(&e->attr);
	if (weight == samples || *time)
		return NULL;
	if (e->attr.type == PERF_TYPE_TRACEPOINT)
		return "counts";
	buf_clear(room);
	buf_add(room, e->name, strcspn(e->name, ":"));
	return room->len ? buf_str(room) : "counts";
}

void flamegraph_picture_warning(const struct reading *in, const char *damage, struct buf *out)
{
	const struct session *s = in->s;
	const struct recording *r = s->source->recording;
	const u64 lost = recording_lost(r, session_lost(s)) + recording_unwritten(r);

	if (lost)
		buf_addf(out, "%llu samples were lost while recording", (unsigned long long)lost);
	if (damage && *damage)
		buf_addf(out, "%s%s", lost ? "; " : "", damage);
}
