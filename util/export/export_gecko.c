// SPDX-License-Identifier: GPL-2.0
#include "util/export/export_internal.h"

#include <stdlib.h>

#include "util/export/about.h"

/* The samples of one event in one thread. */
struct lane {
	u32 event, pid, tid;
	u32 comm; /* a name: the last one */
	u32 nr;
	u64 first, last; /* ns since the first sample */
	struct spool stacks, times, weights, markers;
	struct spool cpu; /* of clocks: ns that the thread ran since the sample before */
};

struct gecko {
	struct sink sink;
	struct gecko_file file;
	struct gecko_markers markers;
	struct hmap lane_of; /* (event, thread) -> lane */
	VEC(struct lane) lanes;
	u32 event;   /* of the first lane */
	bool events; /* there are others */
	u64 start, samples;
	bool any;
	struct buf time;
};

/* ---- samples ---- */

static struct lane *lane_of(struct gecko *k, const struct session_sample *s)
{
	u32 thread = (u32)(s->thread - k->file.session->model.threads.v);
	u64 key = (u64)s->event << 32 | thread;
	u32 id = hmap_get(&k->lane_of, key);
	struct lane *l;

	if (id != ID_NONE)
		return &k->lanes.v[id];
	id = k->lanes.nr;
	l = vec_push(&k->lanes);
	if (!l || !hmap_set(&k->lane_of, key, id))
		return NULL;
	*l = (struct lane){.event = s->event,
			   .pid = s->sample->ids.pid,
			   .tid = s->sample->ids.tid,
			   .first = UINT64_MAX};
	if (!id)
		k->event = s->event;
	k->events |= k->event != s->event;
	return l;
}

/* ns since the first sample; where samples have no time, one ms for each. */
static u64 time_of(struct gecko *k, const struct session_sample *s)
{
	u64 time = s->sample->ids.time;

	if (!(s->desc->layout.has & PERF_SAMPLE_TIME))
		return k->samples * GECKO_MS;
	if (!k->any)
		k->start = time;
	k->any = true;
	return time - MIN(time, k->start);
}

static void put_weight(struct lane *l, const struct session_sample *s)
{
	struct buf *out = &l->weights.tail;
	u64 weight = session_sample_weight(s);

	spool_item(&l->weights);
	if (about_weight_is_time(s->desc))
		export_gecko_ms(weight, out);
	else
		buf_dec(out, weight, 0);
	spool_settle(&l->weights);
	if (!event_set_is_clock(&s->desc->attr))
		return;
	spool_item(&l->cpu);
	buf_dec(&l->cpu.tail, weight, 0);
	spool_settle(&l->cpu);
}

static int gecko_sample(struct sink *sink, const struct session_sample *s, struct buf *out,
			struct err *err)
{
	struct gecko *k = (struct gecko *)sink;
	u32 row = call_rows_get(&k->file.rows, s), comm = call_rows_name(&k->file.rows, s->comm);
	struct lane *l = lane_of(k, s);
	u64 time = time_of(k, s);

	(void)out;
	if (row == ID_NONE || comm == ID_NONE || !l)
		return err_nomem(err);
	buf_clear(&k->time);
	export_gecko_ms(time, &k->time);
	spool_item(&l->stacks);
	buf_dec(&l->stacks.tail, row, 0);
	spool_settle(&l->stacks);
	spool_item(&l->times);
	buf_add(&l->times.tail, buf_str(&k->time), k->time.len);
	l->times.tail.failed |= k->time.failed;
	spool_settle(&l->times);
	put_weight(l, s);
	if (export_gecko_markers_has(&k->markers, s->event)) {
		spool_item(&l->markers);
		export_gecko_markers_put(&k->markers, s, &k->time, row, &l->markers.tail);
		spool_settle(&l->markers);
	}
	l->comm = comm;
	l->first = MIN(l->first, time);
	l->last = MAX(l->last, time);
	l->nr++;
	k->samples++;
	return 0;
}

/* ---- the file ---- */

/* "COMM", with several events "COMM, EVENT". */
static bool put_track(struct gecko *k, const struct lane *l, const struct event_desc *e)
{
	const char *comm = strtab_get(&k->file.rows.names, l->comm);
	struct buf name = {0};
	struct gecko_track t = {.pid = l->pid, .tid = l->tid, .process = comm, .first = l->first};
	bool ok;

	buf_adds(&name, comm);
	if (k->events)
		buf_addf(&name, ", %s", e->name);
	t.name = buf_str(&name);
	ok = !name.failed && gecko_file_track(&k->file, &t);
	buf_free(&name);
	return ok;
}

/* Markers are instants, named after the event. Times are those of the samples. */
static bool put_lane(struct gecko *k, struct lane *l)
{
	const struct event_desc *e = &k->file.session->source->recording->events.events.v[l->event];
	bool marked = export_gecko_markers_has(&k->markers, l->event);
	struct spool times = {0};
	struct gecko_samples samples = {.nr = l->nr,
					.time = about_weight_is_time(e),
					.stacks = &l->stacks,
					.times = &l->times,
					.weights = &l->weights,
					.cpu = event_set_is_clock(&e->attr) ? &l->cpu : NULL};
	struct gecko_columns markers = {
		.nr = marked ? l->nr : 0, .data = &l->markers, .starts = &times};

	markers.name = call_rows_name(&k->file.rows, e->name);
	if (markers.name == ID_NONE || !put_track(k, l, e))
		return false;
	if (marked)
		spool_copy(&times, &l->times);
	gecko_file_samples(&k->file, &samples);
	gecko_file_markers(&k->file, &markers);
	return true;
}

/* Between two samples: of the fastest clock that has some. */
static u64 interval(const struct gecko *k)
{
	const struct event_set *events = &k->file.session->source->recording->events;
	u64 least = UINT64_MAX, period;
	u32 i;

	for (i = 0; i < k->lanes.nr; i++) {
		const struct event_desc *e = &events->events.v[k->lanes.v[i].event];

		period = about_weight_is_time(e) ? about_weight_period(e) : 0;
		if (period)
			least = MIN(least, period);
	}
	return least < UINT64_MAX ? least : GECKO_MS;
}

static void put_meta(struct gecko *k)
{
	gecko_file_begin(&k->file, interval(k), k->any, k->start);
	export_gecko_markers_schemas(&k->markers, &k->file.all.tail);
	gecko_file_begin_tracks(&k->file);
}

/* In order of their events: the first is the one that the others are shown beside. */
static bool put_all(void *of)
{
	struct gecko *k = of;
	u32 nr = k->file.session->source->recording->events.events.nr, event, i;
	bool ok = true;

	put_meta(k);
	for (event = 0; event < nr; event++)
		for (i = 0; ok && i < k->lanes.nr; i++)
			if (k->lanes.v[i].event == event)
				ok = put_lane(k, &k->lanes.v[i]);
	return ok && gecko_file_end(&k->file);
}

static int gecko_end(struct sink *sink, struct buf *out, struct err *err)
{
	struct gecko *k = (struct gecko *)sink;

	return spool_end(&k->file.all, put_all, k, out, err);
}

static void gecko_free(struct sink *sink)
{
	struct gecko *k = (struct gecko *)sink;
	struct lane *l;

	for (l = k->lanes.v; l < k->lanes.v + k->lanes.nr; l++) {
		spool_free(&l->stacks);
		spool_free(&l->times);
		spool_free(&l->weights);
		spool_free(&l->markers);
		spool_free(&l->cpu);
	}
	vec_free(&k->lanes);
	hmap_free(&k->lane_of);
	export_gecko_markers_free(&k->markers);
	gecko_file_free(&k->file);
	buf_free(&k->time);
	free(k);
}

int export_gecko(struct session *s, u32 event, struct sink **sink, struct err *err)
{
	static const struct sink_ops ops = {
		.sample = gecko_sample, .end = gecko_end, .free = gecko_free};
	struct gecko *k = calloc(1, sizeof(*k));
	int ret;

	(void)event;
	if (!k)
		return err_nomem(err);
	k->sink.ops = &ops;
	*sink = &k->sink;
	ret = gecko_file_init(&k->file, s, err);
	return ret ? ret : export_gecko_markers_init(&k->markers, s, err);
}
