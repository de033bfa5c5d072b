// SPDX-License-Identifier: GPL-2.0
#include "util/export/export_internal.h"

#include <stdlib.h>

#include "util/base/json.h"
#include "util/base/text.h"
#include "util/export/about.h"

#define PROCESSED_VERSION 61
#define GECKO_VERSION     33 /* the browser's own format of that time: read from nowhere */
#define NS_PER_MS         1000000u

/* The samples of one event in one thread. */
struct lane {
	u32 event, thread, pid, tid;
	u32 comm; /* a name: the last one */
	u32 nr;
	u64 first, last; /* ns since the first sample */
	struct spool stacks, times, weights, markers;
	struct spool cpu; /* of clocks: ns that the thread ran since the sample before */
};

struct gecko {
	struct sink sink;
	struct session *session;
	struct call_rows rows;
	struct gecko_markers markers;
	struct hmap lane_of; /* (event, thread) -> lane */
	VEC(struct lane) lanes;
	struct hmap main_of, tracks_of; /* pid -> its main lane; thread -> lanes of it so far */
	u32 event;                      /* of the first lane */
	bool events;                    /* there are others */
	u64 start, samples;
	bool any, ended;
	struct buf time;
	struct spool all; /* the file */
};

/* ---- samples ---- */

static void put_ms(u64 ns, struct buf *out)
{
	u64 rest = ns % NS_PER_MS;
	unsigned int digits = 6;

	buf_dec(out, ns / NS_PER_MS, 0);
	if (!rest)
		return;
	for (; rest % 10 == 0; rest /= 10)
		digits--;
	buf_addc(out, '.');
	buf_dec0(out, rest, digits);
}

static struct lane *lane_of(struct gecko *k, const struct session_sample *s)
{
	u32 thread = (u32)(s->thread - k->session->model.threads.v);
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
			   .thread = thread,
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
		return k->samples * NS_PER_MS;
	if (!k->any)
		k->start = time;
	k->any = true;
	return time - MIN(time, k->start);
}

static void put_weight(struct lane *l, const struct session_sample *s)
{
	struct buf *out = &l->weights.tail;
	u64 weight = about_weight(s->sample);

	spool_item(&l->weights);
	if (about_weight_is_time(s->desc))
		put_ms(weight, out);
	else
		buf_dec(out, weight, 0);
	spool_settle(&l->weights);
	if (!about_weight_is_clock(s->desc))
		return;
	spool_item(&l->cpu);
	buf_dec(&l->cpu.tail, weight, 0);
	spool_settle(&l->cpu);
}

static int gecko_sample(struct sink *sink, const struct session_sample *s, struct buf *out,
			struct err *err)
{
	struct gecko *k = (struct gecko *)sink;
	u32 row = call_rows_get(&k->rows, s), comm = call_rows_name(&k->rows, s->comm);
	struct lane *l = lane_of(k, s);
	u64 time = time_of(k, s);

	(void)out;
	if (row == ID_NONE || comm == ID_NONE || !l)
		return err_nomem(err);
	buf_clear(&k->time);
	put_ms(time, &k->time);
	spool_item(&l->stacks);
	buf_dec(&l->stacks.tail, row, 0);
	spool_settle(&l->stacks);
	spool_item(&l->times);
	buf_add(&l->times.tail, buf_str(&k->time), k->time.len);
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

static struct buf *key(struct spool *all, const char *name)
{
	json_key(&all->tail, name);
	return &all->tail;
}

static void put_column(struct spool *all, const char *name, struct spool *column)
{
	buf_addc(key(all, name), '[');
	spool_join(all, column);
	buf_addc(&all->tail, ']');
}

static void put_same(struct spool *all, const char *name, u32 nr, u32 value)
{
	u32 i;

	buf_addc(key(all, name), '[');
	for (i = 0; i < nr; i++) {
		if (i)
			buf_addc(&all->tail, ',');
		buf_dec(&all->tail, value, 0);
		spool_settle(all);
	}
	buf_addc(&all->tail, ']');
}

static void put_samples(struct gecko *k, struct lane *l, const struct event_desc *e)
{
	struct spool *all = &k->all;

	json_open(key(all, "samples"), '{');
	json_unsigned(key(all, "length"), l->nr);
	buf_adds(key(all, "weightType"),
		 about_weight_is_time(e) ? "\"tracing-ms\"" : "\"samples\"");
	put_column(all, "stack", &l->stacks);
	put_column(all, "time", &l->times);
	put_column(all, "weight", &l->weights);
	if (about_weight_is_clock(e))
		put_column(all, "threadCPUDelta", &l->cpu);
	buf_addc(&all->tail, '}');
}

/* All are instants, named after the event. Times are those of the samples. */
static void put_markers(struct gecko *k, struct lane *l, struct spool *times, u32 name)
{
	u32 nr = export_gecko_markers_has(&k->markers, l->event) ? l->nr : 0, i;
	struct spool *all = &k->all;

	json_open(key(all, "markers"), '{');
	json_unsigned(key(all, "length"), nr);
	put_column(all, "data", &l->markers);
	put_same(all, "name", nr, name);
	put_column(all, "startTime", times);
	buf_addc(key(all, "endTime"), '[');
	for (i = 0; i < nr; i++) {
		buf_adds(&all->tail, i ? ",null" : "null");
		spool_settle(all);
	}
	buf_addc(&all->tail, ']');
	put_same(all, "phase", nr, 0);
	put_same(all, "category", nr, GECKO_CATEGORY_MARKER);
	buf_addc(&all->tail, '}');
}

static void put_text(struct buf *text, struct buf *out)
{
	json_string(out, buf_str(text), text->len);
	out->failed |= text->failed;
	buf_free(text);
}

/* "COMM", with several events "COMM, EVENT". */
static void put_lane_name(struct gecko *k, const struct lane *l, const struct event_desc *e)
{
	struct buf name = {0};

	buf_adds(&name, strtab_get(&k->rows.names, l->comm));
	if (k->events)
		buf_addf(&name, ", %s", e->name);
	put_text(&name, key(&k->all, "name"));
}

/*
 * A process has one main thread at most, which is shown as the process itself; an id of a thread
 * that was there before, with another event or because the kernel gave it again, is made another one.
 */
static bool put_ids(struct gecko *k, const struct lane *l)
{
	u32 lane = (u32)(l - k->lanes.v), before = hmap_get(&k->tracks_of, l->tid);
	bool is_main = l->pid == l->tid && hmap_get(&k->main_of, l->pid) == ID_NONE;
	struct buf id = {0};

	before = before == ID_NONE ? 0 : before;
	if ((is_main && !hmap_set(&k->main_of, l->pid, lane)) ||
	    !hmap_set(&k->tracks_of, l->tid, before + 1))
		return false;
	json_bool(key(&k->all, "isMainThread"), is_main);
	buf_sdec(&id, (s32)l->pid, 0);
	put_text(&id, key(&k->all, "pid"));
	buf_sdec(&id, (s32)l->tid, 0);
	if (before)
		buf_addf(&id, ".%u", before);
	put_text(&id, key(&k->all, "tid"));
	return true;
}

static bool put_lane(struct gecko *k, struct lane *l)
{
	const struct event_desc *e = &k->session->source->recording->events.events.v[l->event];
	u32 name = call_rows_name(&k->rows, e->name);
	struct spool *all = &k->all, times = {0};

	if (name == ID_NONE)
		return false;
	json_open_item(&all->tail, '{');
	put_lane_name(k, l, e);
	if (!put_ids(k, l))
		return false;
	buf_adds(key(all, "processType"), "\"default\"");
	buf_adds(key(all, "processName"), "");
	json_string(&all->tail, strtab_get(&k->rows.names, l->comm),
		    strlen(strtab_get(&k->rows.names, l->comm)));
	json_unsigned(key(all, "processStartupTime"), 0);
	buf_adds(key(all, "processShutdownTime"), "null");
	put_ms(l->first, key(all, "registerTime"));
	buf_adds(key(all, "unregisterTime"), "null");
	buf_adds(key(all, "pausedRanges"), "[]");
	json_bool(key(all, "showMarkersInTimeline"), true);
	if (export_gecko_markers_has(&k->markers, l->event))
		spool_copy(&times, &l->times);
	put_samples(k, l, e);
	put_markers(k, l, &times, name);
	buf_addc(&all->tail, '}');
	return true;
}

static void put_fact(struct gecko *k, const char *name, const char *fact)
{
	struct buf text = {0};

	about_fact(k->session, fact, &text);
	if (text.len)
		put_text(&text, key(&k->all, name));
	else
		buf_free(&text);
}

static void put_meta(struct gecko *k)
{
	const struct event_set *events = &k->session->source->recording->events;
	u64 period = k->lanes.nr ? about_weight_period(&events->events.v[k->event]) : 0, wall;
	bool clock = k->lanes.nr && about_weight_is_time(&events->events.v[k->event]) && period;
	struct buf *out = key(&k->all, "meta"), command = {0};

	json_open(out, '{');
	put_ms(clock ? period : NS_PER_MS, key(&k->all, "interval"));
	put_ms(k->any && about_wall_clock(k->session, k->start, &wall) ? wall : 0,
	       key(&k->all, "startTime"));
	buf_adds(
		out,
		",\"processType\":0,\"product\":\"perf-lite\",\"importedFrom\":\"perf-lite\","
		"\"stackwalk\":1,\"debug\":false,\"symbolicated\":true,"
		"\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true,"
		"\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"}");
	json_unsigned(key(&k->all, "version"), GECKO_VERSION);
	json_unsigned(key(&k->all, "preprocessedProfileVersion"), PROCESSED_VERSION);
	about_command(k->session, &command);
	put_text(&command, key(&k->all, "arguments"));
	put_fact(k, "oscpu", "release");
	put_fact(k, "device", "hostname");
	put_fact(k, "CPUName", "cpudesc");
	export_gecko_tables_categories(key(&k->all, "categories"));
	json_open(key(&k->all, "markerSchema"), '[');
	export_gecko_markers_schemas(&k->markers, out);
	buf_adds(out, "]");
	json_open(key(&k->all, "extra"), '[');
	buf_addf(out,
		 "{\"label\":\"Recording\",\"entries\":[{\"label\":\"Samples lost\","
		 "\"format\":\"integer\",\"value\":%llu}]}]}",
		 (unsigned long long)about_lost(k->session));
}

/* In order of their events: the first is the one that the others are shown beside. */
static bool put_lanes(struct gecko *k)
{
	u32 nr = k->session->source->recording->events.events.nr, event, i;
	bool ok = true;

	for (event = 0; event < nr; event++)
		for (i = 0; ok && i < k->lanes.nr; i++)
			if (k->lanes.v[i].event == event)
				ok = put_lane(k, &k->lanes.v[i]);
	return ok;
}

static bool put_all(struct gecko *k)
{
	bool ok;

	json_open(&k->all.tail, '{');
	put_meta(k);
	json_open(key(&k->all, "threads"), '[');
	ok = put_lanes(k);
	buf_addc(&k->all.tail, ']');
	/* the names of threads are among the strings */
	ok = ok && export_gecko_tables_put(&k->rows, &k->all);
	buf_adds(&k->all.tail, "}\n");
	return ok;
}

static int gecko_end(struct sink *sink, struct buf *out, struct err *err)
{
	struct gecko *k = (struct gecko *)sink;
	int ret;

	if (!k->ended && !put_all(k))
		return err_nomem(err);
	k->ended = true;
	ret = spool_read(&k->all, out);
	return ret < 0 ? err_nomem(err) : ret;
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
	hmap_free(&k->main_of);
	hmap_free(&k->tracks_of);
	export_gecko_markers_free(&k->markers);
	call_rows_free(&k->rows);
	buf_free(&k->time);
	spool_free(&k->all);
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
	k->session = s;
	*sink = &k->sink;
	ret = call_rows_init(&k->rows, s->symboliser, true, err);
	return ret ? ret : export_gecko_markers_init(&k->markers, s, err);
}
