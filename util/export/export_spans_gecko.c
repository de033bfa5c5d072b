// SPDX-License-Identifier: GPL-2.0
#include "util/export/export_spans.h"

#include <stdlib.h>
#include <string.h>

#include "util/base/json.h"
#include "util/export/export_internal.h"

/* The spans of one thread. */
struct lane {
	u32 pid, tid;
	u32 comm; /* a name: the last one */
	u32 nr;
	u64 first; /* ns since the begin */
	struct spool data, names, starts, ends;
};

struct gecko_spans {
	struct export_spans spans;
	const struct export_spans_about *about;
	struct gecko_file file;
	struct hmap lane_of; /* pid, tid */
	VEC(struct lane) lanes;
	struct buf *keys; /* as the data have them */
	struct buf begin;
	struct session_holder holder; /* of the frames of all rows */
};

static struct lane *lane_of(struct gecko_spans *k, const struct export_span *s)
{
	const bool threaded = s->tid != ID_NONE;
	u32 pid = !threaded ? EXPORT_SPANS_PID : s->thread ? s->thread->pid : ID_NONE;
	u32 tid = threaded ? s->tid : EXPORT_SPANS_PID, id;
	u64 key = (u64)pid << 32 | tid;
	struct lane *l;

	id = hmap_get(&k->lane_of, key);
	if (id != ID_NONE)
		return &k->lanes.v[id];
	l = vec_push(&k->lanes);
	if (!l || !hmap_set(&k->lane_of, key, k->lanes.nr - 1))
		return NULL;
	*l = (struct lane){.pid = pid, .tid = tid, .first = UINT64_MAX};
	return l;
}

static void put_data(struct gecko_spans *k, const struct export_span *s, u32 row, struct buf *out)
{
	const struct export_spans_value *v;
	u32 i;

	json_open(out, '{');
	json_put_string(out, "type", k->about->name);
	if (s->cpu != ID_NONE)
		json_put_unsigned(out, "cpu", s->cpu);
	for (i = 0; i < k->about->nr_keys - k->about->stack; i++) {
		v = &s->values->v[i];
		if (!v->text)
			continue;
		json_key_escaped(out, buf_str(&k->keys[i]), k->keys[i].len);
		if (k->about->keys[i].ns)
			buf_adds(out, v->text);
		else
			json_string(out, v->text, strlen(v->text));
	}
	if (s->values->nr_frames)
		export_gecko_markers_cause(&k->begin, row, out);
	buf_addc(out, '}');
}

static void put_number(struct spool *column, u32 v)
{
	spool_item(column);
	buf_dec(&column->tail, v, 0);
	spool_settle(column);
}

static void put_time(struct spool *column, u64 ns)
{
	spool_item(column);
	export_gecko_ms(ns, &column->tail);
	spool_settle(column);
}

static int gecko_span(struct export_spans *spans, const struct export_span *s, struct buf *out,
		      struct err *err)
{
	struct gecko_spans *k = (struct gecko_spans *)spans;
	const struct export_spans_values *v = s->values;
	struct call_rows *rows = &k->file.rows;
	u64 begin = s->begin - MIN(s->begin, spans->from), end = s->end - MIN(s->end, spans->from);
	u32 name = call_rows_name(rows, s->name), row = 0;
	u32 comm = call_rows_name(rows, s->tid == ID_NONE ? k->about->name : s->comm);
	struct lane *l = lane_of(k, s);

	(void)out;
	if (v->nr_frames)
		row = call_rows_path(rows, v->frames, v->nr_frames);
	if (name == ID_NONE || comm == ID_NONE || row == ID_NONE || !l)
		return err_nomem(err);
	buf_clear(&k->begin);
	export_gecko_ms(begin, &k->begin);
	spool_item(&l->data);
	put_data(k, s, row, &l->data.tail);
	spool_settle(&l->data);
	put_number(&l->names, name);
	put_time(&l->starts, begin);
	put_time(&l->ends, end);
	l->comm = comm;
	l->first = MIN(l->first, begin);
	l->nr++;
	return k->begin.failed ? err_nomem(err) : 0;
}

/* ---- the file ---- */

static struct gecko_field field_of(const void *arg, u32 i)
{
	const struct export_spans_about *about = arg;

	return (struct gecko_field){about->keys[i].name,
				    about->keys[i].ns ? "nanoseconds" : "string"};
}

static bool put_lane(struct gecko_spans *k, struct lane *l)
{
	const char *comm = strtab_get(&k->file.rows.names, l->comm);
	struct gecko_track track = {
		.pid = l->pid, .tid = l->tid, .name = comm, .process = comm, .first = l->first};
	struct spool stacks = {0}, times = {0}, weights = {0};
	struct gecko_samples samples = {.stacks = &stacks, .times = &times, .weights = &weights};
	struct gecko_columns markers = {.nr = l->nr,
					.names = &l->names,
					.data = &l->data,
					.starts = &l->starts,
					.ends = &l->ends};

	if (!gecko_file_track(&k->file, &track))
		return false;
	gecko_file_samples(&k->file, &samples);
	gecko_file_markers(&k->file, &markers);
	return true;
}

static bool put_all(void *of)
{
	struct gecko_spans *k = of;
	struct gecko_schema g = {.name = k->about->name,
				 .nr = k->about->nr_keys - k->about->stack,
				 .field = field_of,
				 .arg = k->about};
	bool ok = true;
	u32 i;

	gecko_file_begin(&k->file, GECKO_MS, k->spans.from != 0, k->spans.from);
	export_gecko_markers_schema(&g, &k->file.all.tail);
	gecko_file_begin_tracks(&k->file);
	for (i = 0; ok && i < k->lanes.nr; i++)
		ok = put_lane(k, &k->lanes.v[i]);
	return ok && gecko_file_end(&k->file);
}

static int gecko_end(struct export_spans *spans, struct buf *out, struct err *err)
{
	struct gecko_spans *k = (struct gecko_spans *)spans;

	return spool_end(&k->file.all, put_all, k, out, err);
}

static void gecko_free(struct export_spans *spans)
{
	struct gecko_spans *k = (struct gecko_spans *)spans;
	struct lane *l;
	u32 i;

	for (l = k->lanes.v; l < k->lanes.v + k->lanes.nr; l++) {
		spool_free(&l->data);
		spool_free(&l->names);
		spool_free(&l->starts);
		spool_free(&l->ends);
	}
	vec_free(&k->lanes);
	hmap_free(&k->lane_of);
	session_release(&k->holder);
	gecko_file_free(&k->file);
	for (i = 0; k->keys && i < k->about->nr_keys; i++)
		buf_free(&k->keys[i]);
	free(k->keys);
	buf_free(&k->begin);
	free(k);
}

int export_spans_gecko(struct session *s, const struct export_spans_about *about,
		       struct export_spans **spans, struct err *err)
{
	static const struct export_spans_ops ops = {
		.span = gecko_span, .end = gecko_end, .free = gecko_free};
	struct gecko_spans *k = calloc(1, sizeof(*k));
	u32 i;

	if (!k)
		return err_nomem(err);
	k->spans.ops = &ops;
	k->about = about;
	*spans = &k->spans;
	session_hold(s, &k->holder);
	k->keys = calloc((size_t)about->nr_keys + 1, sizeof(*k->keys));
	if (!k->keys)
		return err_nomem(err);
	for (i = 0; i < about->nr_keys; i++) {
		export_gecko_markers_key(about->keys[i].name, &k->keys[i]);
		if (k->keys[i].failed)
			return err_nomem(err);
	}
	return gecko_file_init(&k->file, s, err);
}
