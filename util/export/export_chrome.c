// SPDX-License-Identifier: GPL-2.0
#include "util/export/export_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/json.h"
#include "util/base/text.h"
#include "util/base/vec.h"
#include "util/export/call_rows.h"
#include "util/export/spool.h"
#include "util/profile/session.h"
#include "util/profile/trace_fields.h"
#include "util/tracepoint/tp_field.h"
#include "util/tracepoint/tp_prog.h"

/*
 * what ran on each CPU, from samples of sched:sched_switch: slices of a trace.
 *
 * A slice lasts from the switch to a task to the switch away from it. The idle task has none. Where the second switch
 * is missing, or another task is switched away from, samples were lost and the end is not known: no slice then.
 */

/* The task that runs on a CPU. */
struct chrome_slice {
	u64 since;
	u32 tid; /* ID_NONE: not known */
	struct buf comm;
};

struct chrome_slices {
	u32 event; /* ID_NONE: the recording has no switches */
	const struct tp_field *prev_pid, *next_pid, *next_comm;
	VEC(struct chrome_slice) cpus;
};

/* CPUs beyond are not drawn. */
#define CPU_MAX 65536

static void put_comm(const struct tp_field *f, const struct sample *s, struct buf *out)
{
	const char *name;
	size_t len;

	if (tp_field_string(f, s->raw, s->raw_size, &name, &len))
		text_escape(out, name, len);
}

static void put_slice(const struct chrome_slice *c, u32 cpu, u64 end, struct buf *out)
{
	buf_adds(out, ",\n{\"ph\":\"X\",\"cat\":\"sched\",\"pid\":");
	json_unsigned(out, CHROME_CPUS_PID);
	json_put_unsigned(out, "tid", cpu);
	json_key(out, "ts");
	export_chrome_time(c->since, out);
	json_key(out, "dur");
	export_chrome_time(end - c->since, out);
	json_put_buf(out, "name", &c->comm);
	json_put_open(out, "args", '{');
	json_put_unsigned(out, "tid", c->tid);
	buf_adds(out, "}}");
}

/* Where the task of a CPU is kept; NULL when memory is out. */
static struct chrome_slice *cpu_of(struct chrome_slices *k, u32 cpu)
{
	struct chrome_slice *c;

	while (k->cpus.nr <= cpu) {
		c = vec_push(&k->cpus);
		if (!c)
			return NULL;
		c->tid = ID_NONE;
	}
	return &k->cpus.v[cpu];
}

/* After a sample of any event, which may end a slice: its JSON object, after a comma. */
static int chrome_slices_sample(struct chrome_slices *k, const struct session_sample *s,
				struct buf *out, struct err *err)
{
	const struct sample *v = s->sample;
	struct chrome_slice *c;
	u64 prev, next;

	if (k->event == ID_NONE || s->event != k->event || v->ids.cpu >= CPU_MAX || !v->raw ||
	    !tp_field_int(k->prev_pid, v->raw, v->raw_size, &prev) ||
	    !tp_field_int(k->next_pid, v->raw, v->raw_size, &next))
		return 0;
	c = cpu_of(k, v->ids.cpu);
	if (!c)
		return err_nomem(err);
	if (c->tid != ID_NONE && c->tid && c->tid == (u32)prev && v->ids.time >= c->since)
		put_slice(c, v->ids.cpu, v->ids.time, out);
	c->since = v->ids.time;
	c->tid = (u32)next;
	buf_clear(&c->comm);
	put_comm(k->next_comm, v, &c->comm);
	return c->comm.failed ? err_nomem(err) : 0;
}

/* After the last sample: the names of the CPUs that switched, likewise. */
static void chrome_slices_names(const struct chrome_slices *k, struct buf *out)
{
	char name[32];
	u32 i;

	if (k->cpus.nr) {
		buf_adds(out, ",\n");
		export_chrome_name(CHROME_CPUS_PID, 0, "process_name", "CPUs", out);
	}
	for (i = 0; i < k->cpus.nr; i++) {
		snprintf(name, sizeof(name), "CPU %u", i);
		buf_adds(out, ",\n");
		export_chrome_name(CHROME_CPUS_PID, i, "thread_name", name, out);
	}
}

/* Find the event; without it, or without its fields, there are no slices. The session stays the caller's. */
static void chrome_slices_init(struct chrome_slices *k, const struct session *s)
{
	const struct tp_format *f;

	*k = (struct chrome_slices){.event = session_event(s, "sched:sched_switch")};
	f = k->event == ID_NONE ? NULL : s->formats[k->event];
	k->prev_pid = f ? tp_format_field(f, "prev_pid") : NULL;
	k->next_pid = f ? tp_format_field(f, "next_pid") : NULL;
	k->next_comm = f ? tp_format_field(f, "next_comm") : NULL;
	if (!k->prev_pid || !k->next_pid || !k->next_comm)
		k->event = ID_NONE;
}

static void chrome_slices_free(struct chrome_slices *k)
{
	u32 i;

	for (i = 0; i < k->cpus.nr; i++)
		buf_free(&k->cpus.v[i].comm);
	vec_free(&k->cpus);
}

struct chrome {
	struct sink sink;
	struct session *session;
	struct buf *events;          /* names as JSON */
	struct trace_fields *fields; /* by event */
	u32 nr_events;
	struct trace_text trace;
	struct call_rows rows;
	struct chrome_slices slices;
	struct chrome_tracks tracks;
	struct spool samples; /* what follows traceEvents */
	bool begun, ended;
};

/* ---- samples ---- */

static void put_event_name(const struct chrome *k, const struct session_sample *s, struct buf *out)
{
	json_key(out, "name");
	buf_add(out, k->events[s->event].data, k->events[s->event].len);
}

static void put_instant(struct chrome *k, const struct session_sample *s, u32 row, struct buf *out)
{
	const struct rec_ids *ids = &s->sample->ids;

	buf_adds(out, k->begun ? ",\n" : "{\"traceEvents\":[\n");
	buf_adds(out, "{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"sample\"");
	export_chrome_ids(ids->pid, ids->tid, out);
	json_key(out, "ts");
	export_chrome_time(ids->time, out);
	put_event_name(k, s, out);
	json_put_unsigned(out, "sf", row);
	json_put_open(out, "args", '{');
	if (ids->cpu != ID_NONE)
		json_put_unsigned(out, "cpu", ids->cpu);
	json_put_unsigned(out, "period", s->sample->period);
	if (k->fields[s->event].nr && s->sample->raw) {
		json_key(out, "fields");
		trace_fields_json(&k->fields[s->event], &k->trace, s->sample, out);
	}
	buf_adds(out, "}}");
	k->begun = true;
}

static void put_sample(struct chrome *k, const struct session_sample *s, u32 row)
{
	const struct rec_ids *ids = &s->sample->ids;
	struct buf *out = &k->samples.tail;

	spool_item(&k->samples);
	buf_adds(out, "\n{");
	if (ids->cpu != ID_NONE)
		json_put_unsigned(out, "cpu", ids->cpu);
	json_put_signed(out, "tid", (s32)ids->tid);
	json_key(out, "ts");
	export_chrome_time(ids->time, out);
	put_event_name(k, s, out);
	json_put_unsigned(out, "sf", row);
	json_put_unsigned(out, "weight", session_sample_weight(s));
	buf_addc(out, '}');
	spool_settle(&k->samples);
}

static int chrome_sample(struct sink *sink, const struct session_sample *s, struct buf *out,
			 struct err *err)
{
	struct chrome *k = (struct chrome *)sink;
	const struct rec_ids *ids = &s->sample->ids;
	u32 row = call_rows_get(&k->rows, s);

	if (row == ID_NONE ||
	    !chrome_tracks_see(&k->tracks, ids->pid, ids->tid, s->thread, s->comm))
		return err_nomem(err);
	put_instant(k, s, row, out);
	put_sample(k, s, row);
	if (chrome_slices_sample(&k->slices, s, out, err))
		return -ENOMEM;
	return out->failed ? err_nomem(err) : 0;
}

/* ---- the end ---- */

static void put_frame(struct chrome *k, u32 row, struct buf *out)
{
	struct call_row r = call_rows_row(&k->rows, row);
	struct call_function f =
		call_rows_function(&k->rows, call_rows_frame(&k->rows, r.frame).function);
	struct buf file = {0};

	buf_addf(out, "%s\n\"%u\":{", row ? "," : "", row);
	json_put_string(out, "name", strtab_get(&k->rows.names, f.name));
	if (f.dso != ID_NONE) {
		const char *name = k->session->model.dsos.v[f.dso].name;

		text_escape(&file, name, strlen(name));
	} else {
		buf_adds(&file, "[unknown]");
	}
	json_put_string(out, "category", buf_str(&file));
	if (r.parent != ID_NONE)
		buf_addf(out, ",\"parent\":\"%u\"", r.parent);
	buf_addc(out, '}');
	out->failed |= file.failed;
	buf_free(&file);
}

/* Into the spool, behind the samples: all that is left. */
static void put_rest(struct chrome *k)
{
	u32 i;

	buf_adds(&k->samples.tail, "],\n\"stackFrames\":{");
	for (i = 0; i < call_rows_nr(&k->rows); i++) {
		put_frame(k, i, &k->samples.tail);
		spool_settle(&k->samples);
	}
	buf_adds(&k->samples.tail, "}}\n");
}

static int chrome_end(struct sink *sink, struct buf *out, struct err *err)
{
	struct chrome *k = (struct chrome *)sink;
	int ret;

	if (!k->ended) {
		if (!k->begun)
			buf_adds(out, "{\"traceEvents\":[");
		chrome_tracks_put(&k->tracks, out);
		chrome_slices_names(&k->slices, out);
		buf_adds(out, "],\n\"samples\":[");
		put_rest(k);
	}
	k->ended = true;
	ret = spool_read(&k->samples, out);
	return ret < 0 || out->failed ? err_nomem(err) : ret;
}

static void chrome_free(struct sink *sink)
{
	struct chrome *k = (struct chrome *)sink;
	u32 i;

	for (i = 0; i < k->nr_events; i++) {
		if (k->events)
			buf_free(&k->events[i]);
		if (k->fields)
			trace_fields_free(&k->fields[i]);
	}
	free(k->events);
	free(k->fields);
	call_rows_free(&k->rows);
	chrome_slices_free(&k->slices);
	chrome_tracks_free(&k->tracks);
	spool_free(&k->samples);
	free(k);
}

static int know_events(struct chrome *k, struct err *err)
{
	const struct event_set *events = &k->session->source->recording->events;
	const struct tp_opts opts = session_tp_opts(k->session);
	u32 i;

	k->events = calloc((size_t)events->events.nr + 1, sizeof(*k->events));
	k->fields = calloc((size_t)events->events.nr + 1, sizeof(*k->fields));
	if (!k->events || !k->fields)
		return err_nomem(err);
	k->nr_events = events->events.nr;
	for (i = 0; i < k->nr_events; i++) {
		json_name(&k->events[i], events->events.v[i].name,
			  strlen(events->events.v[i].name));
		if (k->events[i].failed ||
		    trace_fields_init(&k->fields[i], k->session->formats[i], &opts, err))
			return err_nomem(err);
	}
	return 0;
}

int export_chrome(struct session *s, u32 event, struct sink **sink, struct err *err)
{
	static const struct sink_ops ops = {
		.sample = chrome_sample, .end = chrome_end, .free = chrome_free};
	struct chrome *k = calloc(1, sizeof(*k));

	(void)event;
	if (!k)
		return err_nomem(err);
	*k = (struct chrome){
		.sink.ops = &ops,
		.session = s,
		.tracks.model = &s->model,
		.trace = {.symboliser = s->symboliser,
			  .programs = s->programs,
			  .strings = s->strings},
	};
	*sink = &k->sink;
	chrome_slices_init(&k->slices, s);
	if (call_rows_init(&k->rows, s->symboliser, false, err) || know_events(k, err))
		return -ENOMEM;
	k->rows.source = false; /* it is not written */
	return 0;
}
