// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/cmd_flamegraph.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "util/base/text.h"
#include "util/format/header_text.h"

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

/* `number`: 0 for the first of its name. */
static void put_path(const char *path, const char *event, u32 number, struct buf *out)
{
	const char *end = path + strlen(path), *dot = ending(path) ? ending(path) - 1 : end;
	size_t i;

	buf_add(out, path, (size_t)(dot - path));
	buf_addc(out, '.');
	for (i = 0; event[i]; i++)
		buf_addc(out, isalnum((unsigned char)event[i]) || strchr(":-_.=,+", event[i])
				      ? event[i]
				      : '_');
	if (number)
		buf_addf(out, ".%u", number);
	buf_add(out, dot, (size_t)(end - dot));
}

int flamegraph_picture_paths(const char *path, const struct event_set *events, struct strtab *paths,
			     struct err *err)
{
	struct buf one = {0};
	u32 i, number;

	for (i = 0; i < events->events.nr; i++) {
		number = 0;
		do {
			buf_clear(&one);
			put_path(path, events->events.v[i].name, number++, &one);
		} while (!one.failed && strtab_find(paths, one.data, one.len) != ID_NONE);
		if (one.failed || strtab_add(paths, one.data, one.len) == ID_NONE)
			break;
	}
	buf_free(&one);
	return i < events->events.nr ? err_nomem(err) : 0;
}

static void put_origin(const struct recording *r, const struct flamegraph_head *h, u64 first,
		       u64 last, struct buf *out)
{
	const char *host = recording_fact(r, "hostname");
	struct buf line = {0};

	buf_adds(out, host ? host : "");
	if (first <= last)
		header_text_dates(r, first, last, out);
	header_text_arguments(r, NULL, &line);
	if (line.len && strcmp(buf_str(&line), buf_str(&h->title)) != 0)
		buf_addf(out, "%s%s", out->len ? ": " : "", buf_str(&line));
	out->failed |= line.failed;
	buf_free(&line);
}

int flamegraph_head_make(struct flamegraph_head *h, const struct reading *in, u32 event, u64 first,
			 u64 last, struct err *err)
{
	const struct recording *r = in->s->source->recording;

	header_text_command(r, &h->title);
	put_origin(r, h, first, last, &h->origin);
	buf_adds(&h->event, r->events.events.v[event].name);
	if (in->session.threads.latency)
		buf_adds(&h->event, " by wall-clock time");
	if (first <= last) {
		buf_adds(&h->event, ", ");
		text_seconds(&h->event, first, 6);
		buf_adds(&h->event, " to ");
		text_seconds(&h->event, last, 6);
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

void flamegraph_picture_warning(const struct reading *in, const char *damage, struct buf *out)
{
	const struct session *s = in->s;
	const struct recording *r = s->source->recording;
	const u64 lost = recording_lost(r, session_lost(s)) + recording_unwritten(r);

	if (lost)
		buf_addf(out, "%llu sample%s %s lost while recording", (unsigned long long)lost,
			 TEXT_PLURAL(lost), TEXT_WERE(lost));
	if (damage && *damage)
		buf_addf(out, "%s%s", lost ? "; " : "", damage);
}
