// SPDX-License-Identifier: GPL-2.0
#include "util/export/export_spans.h"

#include <stdlib.h>
#include <string.h>

#include "util/base/json.h"
#include "util/export/export_internal.h"

struct chrome_spans {
	struct export_spans spans;
	const struct export_spans_about *about;
	struct chrome_tracks tracks;
	u64 id; /* of the latest pair */
	bool begun;
	bool unthreaded; /* there are some of no thread */
};

static void put_args(const struct chrome_spans *k, const struct export_span *s, struct buf *out)
{
	const struct export_spans_value *v;
	const char *name;
	u32 i;

	json_put_open(out, "args", '{');
	json_put_unsigned(out, "ns", s->end - s->begin);
	if (s->cpu != ID_NONE)
		json_put_unsigned(out, "cpu", s->cpu);
	for (i = 0; i < k->about->nr_keys; i++) {
		v = &s->values->v[i];
		name = k->about->keys[i].name;
		if (!v->text)
			continue;
		if (!strcmp(name, "cpu") || !strcmp(name, "ns"))
			json_key(out, *name == 'c' ? "cpu_" : "ns_");
		else
			json_key_escaped(out, name, strlen(name));
		if (v->number)
			buf_adds(out, v->text);
		else
			json_string(out, v->text, strlen(v->text));
	}
	buf_addc(out, '}');
}

/* The begin of an event, and what all have. */
static void put_head(struct chrome_spans *k, const char *phase, const struct export_span *s,
		     u64 time, struct buf *out)
{
	u32 pid = s->thread ? s->thread->pid : ID_NONE;

	buf_adds(out, k->begun ? ",\n" : "{\"traceEvents\":[\n");
	json_open(out, '{');
	json_put_string(out, "ph", phase);
	json_put_string(out, "cat", k->about->name);
	if (s->tid == ID_NONE)
		export_chrome_ids(EXPORT_SPANS_PID, 0, out);
	else
		export_chrome_ids(pid, s->tid, out);
	json_key(out, "ts");
	export_chrome_time(time, out);
	json_put_string(out, "name", s->name);
	k->begun = true;
}

static void put_slice(struct chrome_spans *k, const struct export_span *s, struct buf *out)
{
	put_head(k, "X", s, s->begin, out);
	json_key(out, "dur");
	export_chrome_time(s->end - s->begin, out);
	put_args(k, s, out);
	buf_addc(out, '}');
}

static void put_pair(struct chrome_spans *k, const struct export_span *s, struct buf *out)
{
	k->id++;
	put_head(k, "b", s, s->begin, out);
	json_put_unsigned(out, "id", k->id);
	put_args(k, s, out);
	buf_addc(out, '}');
	put_head(k, "e", s, s->end, out);
	json_put_unsigned(out, "id", k->id);
	buf_addc(out, '}');
}

static int chrome_span(struct export_spans *spans, const struct export_span *s, struct buf *out,
		       struct err *err)
{
	struct chrome_spans *k = (struct chrome_spans *)spans;

	if (s->tid == ID_NONE)
		k->unthreaded = true;
	else if (!chrome_tracks_see(&k->tracks, s->thread ? s->thread->pid : ID_NONE, s->tid,
				    s->thread, s->comm))
		return err_nomem(err);
	if (k->about->nests && s->tid != ID_NONE)
		put_slice(k, s, out);
	else
		put_pair(k, s, out);
	return out->failed ? err_nomem(err) : 0;
}

static int chrome_end(struct export_spans *spans, struct buf *out, struct err *err)
{
	struct chrome_spans *k = (struct chrome_spans *)spans;

	if (!k->begun)
		buf_adds(out, "{\"traceEvents\":[");
	if (k->unthreaded) {
		buf_adds(out, ",\n");
		export_chrome_name(EXPORT_SPANS_PID, 0, "process_name", k->about->name, out);
	}
	chrome_tracks_put(&k->tracks, out);
	buf_adds(out, "]}\n");
	return out->failed ? err_nomem(err) : 0;
}

static void chrome_free(struct export_spans *spans)
{
	struct chrome_spans *k = (struct chrome_spans *)spans;

	chrome_tracks_free(&k->tracks);
	free(k);
}

int export_spans_chrome(struct session *s, const struct export_spans_about *about,
			struct export_spans **spans, struct err *err)
{
	static const struct export_spans_ops ops = {
		.span = chrome_span, .end = chrome_end, .free = chrome_free};
	struct chrome_spans *k = calloc(1, sizeof(*k));

	if (!k)
		return err_nomem(err);
	k->spans.ops = &ops;
	k->about = about;
	k->tracks.model = &s->model;
	*spans = &k->spans;
	return 0;
}
