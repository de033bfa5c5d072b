// SPDX-License-Identifier: GPL-2.0
#include "util/export/export_internal.h"

#include <stdlib.h>

#include "util/base/json.h"
#include "util/base/num.h"
#include "util/base/text.h"
#include "util/export/about.h"
#include "util/export/call_rows.h"
#include "util/export/spool.h"

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

/* The samples of one event in one thread, while that had one name. */
struct lane {
	u32 event, pid, tid;
	u32 comm; /* a name */
	u32 row;  /* of the entry that is not written yet, ID_NONE: there is none */
	u64 weight;
	u64 total;
	struct spool stacks, weights;
};

struct speedscope {
	struct sink sink;
	struct session *session;
	struct call_rows rows;
	struct strtab lane_of; /* (event, thread, command) -> lane */
	VEC(struct lane) lanes;
	VEC(u32) path;    /* functions of a stack, innermost first */
	struct spool all; /* the file */
	u32 nr_events;    /* that have samples */
};

/* ---- samples ---- */

static struct lane *lane_of(struct speedscope *k, const struct session_sample *s)
{
	const u32 key[] = {s->event, (u32)(s->thread - k->session->model.threads.v),
			   s->thread->comm};
	u32 id = strtab_add(&k->lane_of, key, sizeof(key));
	struct lane *l;

	if (id == ID_NONE || id < k->lanes.nr)
		return id == ID_NONE ? NULL : &k->lanes.v[id];
	l = vec_push(&k->lanes);
	if (!l)
		return NULL;
	*l = (struct lane){.event = s->event,
			   .pid = s->sample->ids.pid,
			   .tid = s->sample->ids.tid,
			   .comm = call_rows_name(&k->rows, s->comm),
			   .row = ID_NONE};
	return l->comm == ID_NONE ? NULL : l;
}

/* Write the entry that is complete. */
static bool put_entry(struct speedscope *k, struct lane *l)
{
	struct buf *out = &l->stacks.tail;
	struct call_row row;
	u32 at, n = 0;

	for (at = l->row; at != ID_NONE; at = row.parent) {
		row = call_rows_row(&k->rows, at);
		if (!vec_reserve(&k->path, n + 1))
			return false;
		k->path.v[n++] = call_rows_frame(&k->rows, row.frame).function;
	}
	spool_item(&l->stacks);
	buf_addc(out, '[');
	while (n-- > 0) {
		buf_dec(out, k->path.v[n], 0);
		buf_addc(out, n ? ',' : ']');
	}
	spool_settle(&l->stacks);
	spool_item(&l->weights);
	buf_dec(&l->weights.tail, l->weight, 0);
	spool_settle(&l->weights);
	l->row = ID_NONE;
	return true;
}

static int speedscope_sample(struct sink *sink, const struct session_sample *s, struct buf *out,
			     struct err *err)
{
	struct speedscope *k = (struct speedscope *)sink;
	u32 row = call_rows_get(&k->rows, s);
	struct lane *l = lane_of(k, s);
	u64 weight = session_sample_weight(s);

	(void)out;
	if (row == ID_NONE || !l)
		return err_nomem(err);
	if (l->row != ID_NONE && l->row != row && !put_entry(k, l))
		return err_nomem(err);
	l->weight = l->row == row ? num_sum(l->weight, weight) : weight;
	l->row = row;
	l->total = num_sum(l->total, weight);
	return 0;
}

/* ---- the file ---- */

static void put_name(const struct call_rows *c, u32 name, struct buf *out)
{
	json_string(out, c->names.entries[name].s, c->names.entries[name].len);
}

static bool put_frames(struct speedscope *k)
{
	const struct process_model *model = &k->session->model;
	struct buf *out = &k->all.tail;
	struct call_function f;
	u32 i, file;

	json_key(out, "shared");
	buf_adds(out, "{\"frames\":[");
	for (i = 0; i < call_rows_nr_functions(&k->rows); i++) {
		f = call_rows_function(&k->rows, i);
		buf_adds(out, i ? ",{\"name\":" : "{\"name\":");
		put_name(&k->rows, f.name, out);
		file = f.file != ID_NONE || f.dso == ID_NONE
			       ? f.file
			       : call_rows_name(&k->rows, model->dsos.v[f.dso].name);
		if (file != ID_NONE) {
			json_key(out, "file");
			put_name(&k->rows, file, out);
		} else if (f.dso != ID_NONE) {
			return false;
		}
		buf_addc(out, '}');
		spool_settle(&k->all);
	}
	buf_adds(&k->all.tail, "]}");
	return true;
}

static void put_lane_name(const struct speedscope *k, const struct lane *l, struct buf *out)
{
	struct buf name = {0};

	buf_adds(&name, strtab_get(&k->rows.names, l->comm));
	buf_addf(&name, " (%d/%d)", (s32)l->pid, (s32)l->tid);
	if (k->nr_events > 1) {
		buf_adds(&name, ", ");
		buf_adds(&name, k->session->source->recording->events.events.v[l->event].name);
	}
	json_string(out, buf_str(&name), name.len);
	out->failed |= name.failed;
	buf_free(&name);
}

static void put_column(struct spool *all, const char *key, struct spool *column)
{
	json_key(&all->tail, key);
	buf_addc(&all->tail, '[');
	spool_join(all, column);
	buf_addc(&all->tail, ']');
}

static void put_profile_head(struct buf *out, const char *unit)
{
	json_key(out, "type");
	buf_adds(out, "\"sampled\"");
	json_put_string(out, "unit", unit);
	json_put_unsigned(out, "startValue", 0);
}

static bool put_lane(struct speedscope *k, struct lane *l)
{
	const struct event_set *events = &k->session->source->recording->events;
	struct buf *out = &k->all.tail;

	if (l->row != ID_NONE && !put_entry(k, l))
		return false;
	json_open_item(out, '{');
	put_profile_head(out, about_weight_is_time(&events->events.v[l->event]) ? "nanoseconds"
										: "none");
	json_put_unsigned(out, "endValue", l->total);
	json_key(out, "name");
	put_lane_name(k, l, out);
	put_column(&k->all, "samples", &l->stacks);
	put_column(&k->all, "weights", &l->weights);
	buf_addc(out, '}');
	return true;
}

static int by_weight(const void *a, const void *b, void *lanes)
{
	u32 i = *(const u32 *)a, j = *(const u32 *)b;
	const struct lane *x = (const struct lane *)lanes + i, *y = (const struct lane *)lanes + j;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return i < j ? -1 : i > j;
}

static bool put_lanes(struct speedscope *k)
{
	u32 *order = calloc((size_t)k->lanes.nr + 1, sizeof(*order));
	bool ok = order != NULL;
	u32 i;

	for (i = 0; ok && i < k->lanes.nr; i++)
		order[i] = i;
	if (ok && k->lanes.nr)
		qsort_r(order, k->lanes.nr, sizeof(*order), by_weight, k->lanes.v);
	for (i = 0; ok && i < k->lanes.nr; i++)
		k->nr_events += !i || k->lanes.v[order[i]].event != k->lanes.v[order[i - 1]].event;
	for (i = 0; ok && i < k->lanes.nr; i++)
		ok = put_lane(k, &k->lanes.v[order[i]]);
	free(order);
	return ok;
}

static bool put_all(void *of)
{
	struct speedscope *k = of;
	const char *path = k->session->options.path;
	struct buf *out = &k->all.tail;

	json_open(out, '{');
	json_put_string(out, "$schema", SCHEMA);
	json_put_string(out, "exporter", "perf-lite");
	json_put_name(out, "name", path);
	json_put_unsigned(out, "activeProfileIndex", 0);
	if (!put_frames(k))
		return false;
	json_put_open(out, "profiles", '[');
	if (!put_lanes(k))
		return false;
	if (!k->lanes.nr) { /* a file without profiles is not read */
		json_open(out, '{');
		put_profile_head(out, "none");
		buf_adds(out,
			 ",\"endValue\":0,\"name\":\"no samples\",\"samples\":[],\"weights\":[]}");
	}
	buf_adds(out, "]}\n");
	return true;
}

static int speedscope_end(struct sink *sink, struct buf *out, struct err *err)
{
	struct speedscope *k = (struct speedscope *)sink;

	return spool_end(&k->all, put_all, k, out, err);
}

static void speedscope_free(struct sink *sink)
{
	struct speedscope *k = (struct speedscope *)sink;
	u32 i;

	for (i = 0; i < k->lanes.nr; i++) {
		spool_free(&k->lanes.v[i].stacks);
		spool_free(&k->lanes.v[i].weights);
	}
	vec_free(&k->lanes);
	vec_free(&k->path);
	strtab_free(&k->lane_of);
	call_rows_free(&k->rows);
	spool_free(&k->all);
	free(k);
}

int export_speedscope(struct session *s, u32 event, struct sink **sink, struct err *err)
{
	static const struct sink_ops ops = {
		.sample = speedscope_sample, .end = speedscope_end, .free = speedscope_free};
	struct speedscope *k = calloc(1, sizeof(*k));

	(void)event;
	if (!k)
		return err_nomem(err);
	k->sink.ops = &ops;
	k->session = s;
	*sink = &k->sink;
	return call_rows_init(&k->rows, s->symboliser, false, err);
}
