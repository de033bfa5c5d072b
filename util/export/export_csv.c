// SPDX-License-Identifier: GPL-2.0
#include "util/export/export_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/text.h"
#include "util/export/call_rows.h"
#include "util/format/text_cache.h"
#include "util/profile/frame_text.h"
#include "util/profile/trace_fields.h"
#include "util/tracepoint/tp_prog.h"

struct csv {
	struct sink sink;
	struct session *session;
	struct buf *events; /* cells of their names */
	u32 nr_events;
	struct trace_fields *fields; /* by event, of those whose fields are columns */
	VEC(const char *) columns;   /* names of fields */
	struct trace_text trace;
	struct call_rows rows;
	struct text_cache stacks, places; /* by row, by frame */
	struct buf comm, scratch;
	u32 comm_id; /* in the process model, what `comm` is of */
	VEC(u32) path;
	bool begun; /* the names of the columns are written */
};

/* The cell of what is in `scratch`. */
static void put_scratch(struct csv *k, struct buf *out)
{
	text_csv(out, buf_str(&k->scratch), k->scratch.len);
	out->failed |= k->scratch.failed;
}

static void put_head(struct csv *k, struct buf *out)
{
	u32 i;

	k->begun = true;
	buf_adds(out, "event,time_ns,cpu,pid,tid,comm,period,ip,symbol,dso,stack");
	for (i = 0; i < k->columns.nr; i++) {
		buf_clear(&k->scratch);
		buf_addf(&k->scratch, "fields.%s", k->columns.v[i]);
		buf_addc(out, ',');
		put_scratch(k, out);
	}
	buf_adds(out, "\r\n");
}

/* ,NUMBER */
static void put_id(u32 id, struct buf *out)
{
	buf_addc(out, ',');
	if (id != ID_NONE)
		buf_sdec(out, (s32)id, 0);
}

/* event,time_ns,cpu,pid,tid,comm,period */
static void put_start(struct csv *k, const struct session_sample *s, struct buf *out)
{
	const struct rec_ids *ids = &s->sample->ids;
	u32 comm = s->thread ? s->thread->comm : ID_NONE;

	buf_add(out, k->events[s->event].data, k->events[s->event].len);
	buf_addc(out, ',');
	if (ids->has & PERF_SAMPLE_TIME)
		buf_dec(out, ids->time, 0);
	put_id(ids->cpu, out);
	put_id(ids->pid, out);
	put_id(ids->tid, out);
	buf_addc(out, ',');
	if (comm == ID_NONE || comm != k->comm_id) {
		buf_clear(&k->comm);
		if (ids->tid != ID_NONE)
			text_csv(&k->comm, s->comm, strlen(s->comm));
		k->comm_id = comm;
	}
	buf_add(out, buf_str(&k->comm), k->comm.len);
	buf_addc(out, ',');
	buf_dec(out, s->sample->period, 0);
	out->failed |= k->comm.failed;
}

static void make_place(struct csv *k, const struct frame *f, struct buf *out)
{
	buf_adds(out, ",0x");
	buf_hex(out, f->ip, 0);
	buf_addc(out, ',');
	if (f->symbol)
		text_csv(out, f->symbol, strlen(f->symbol));
	buf_addc(out, ',');
	if (f->dso != ID_NONE) {
		buf_clear(&k->scratch);
		frame_text_dso(&k->session->model, f, false, &k->scratch);
		put_scratch(k, out);
	}
}

/* ,ip,symbol,dso; false when memory is out. */
static bool put_place(struct csv *k, const struct session_sample *s, struct buf *out)
{
	const char *known;
	size_t at = out->len;
	u32 frame, len;

	if (!(s->sample->ids.has & PERF_SAMPLE_IP) && !s->sample->ip) {
		buf_adds(out, ",,,");
		return true;
	}
	frame = symboliser_address(k->session->symboliser, s->thread,
				   s->sample->misc & PERF_RECORD_MISC_CPUMODE_MASK, s->sample->ip);
	if (frame == ID_NONE)
		return false;
	known = text_cache_find(&k->places, (u64)frame + 1, &len);
	if (known) {
		buf_add(out, known, len);
		return true;
	}
	make_place(k, &k->session->symboliser->frames.v[frame], out);
	if (!out->failed)
		text_cache_keep(&k->places, (u64)frame + 1, out->data + at, out->len - at);
	return true;
}

static void put_function(struct csv *k, u32 row, struct buf *out)
{
	struct call_row r = call_rows_row(&k->rows, row);
	u32 function = call_rows_frame(&k->rows, r.frame).function;
	const char *name = strtab_get(&k->rows.names, call_rows_function(&k->rows, function).name);

	for (; *name; name++)
		buf_addc(out, *name == ';' ? ':' : *name);
}

/* The functions of a stack in `scratch`; false when memory is out. */
static bool make_stack(struct csv *k, u32 row)
{
	u32 n = 0;

	for (; row != ID_NONE; row = call_rows_row(&k->rows, row).parent) {
		if (!vec_reserve(&k->path, n + 1))
			return false;
		k->path.v[n++] = row;
	}
	buf_clear(&k->scratch);
	while (n-- > 0) {
		put_function(k, k->path.v[n], &k->scratch);
		if (n)
			buf_addc(&k->scratch, ';');
	}
	return true;
}

/* ,stack; false when memory is out. */
static bool put_stack(struct csv *k, const struct session_sample *s, struct buf *out)
{
	const char *known;
	u32 row, len;
	size_t at;

	row = call_rows_get(&k->rows, s);
	if (row == ID_NONE)
		return false;
	buf_addc(out, ',');
	known = text_cache_find(&k->stacks, (u64)row + 1, &len);
	if (known) {
		buf_add(out, known, len);
		return true;
	}
	if (!make_stack(k, row))
		return false;
	at = out->len;
	put_scratch(k, out);
	if (!out->failed)
		text_cache_keep(&k->stacks, (u64)row + 1, out->data + at, out->len - at);
	return true;
}

static void put_fields(struct csv *k, const struct session_sample *s, struct buf *out)
{
	const struct trace_fields *fields = &k->fields[s->event];
	u32 i, at;

	for (i = 0; i < k->columns.nr; i++) {
		buf_addc(out, ',');
		at = s->sample->raw ? trace_fields_find(fields, k->columns.v[i]) : ID_NONE;
		if (at == ID_NONE)
			continue;
		buf_clear(&k->scratch);
		trace_fields_text(&fields->v[at], &k->trace, s->sample, &k->scratch);
		put_scratch(k, out);
	}
}

static int csv_sample(struct sink *sink, const struct session_sample *s, struct buf *out,
		      struct err *err)
{
	struct csv *k = (struct csv *)sink;

	if (!k->begun)
		put_head(k, out);
	put_start(k, s, out);
	if (!put_place(k, s, out) || !put_stack(k, s, out))
		return err_nomem(err);
	put_fields(k, s, out);
	buf_adds(out, "\r\n");
	return out->failed ? err_nomem(err) : 0;
}

static int csv_end(struct sink *sink, struct buf *out, struct err *err)
{
	struct csv *k = (struct csv *)sink;

	if (!k->begun)
		put_head(k, out);
	return out->failed ? err_nomem(err) : 0;
}

static void csv_free(struct sink *sink)
{
	struct csv *k = (struct csv *)sink;
	u32 i;

	for (i = 0; k->events && i < k->nr_events; i++)
		buf_free(&k->events[i]);
	for (i = 0; k->fields && i < k->nr_events; i++)
		trace_fields_free(&k->fields[i]);
	free(k->events);
	free(k->fields);
	vec_free(&k->columns);
	call_rows_free(&k->rows);
	text_cache_free(&k->stacks);
	text_cache_free(&k->places);
	buf_free(&k->comm);
	buf_free(&k->scratch);
	vec_free(&k->path);
	free(k);
}

static bool know_events(struct csv *k)
{
	const struct event_set *events = &k->session->source->recording->events;
	u32 i;

	k->nr_events = events->events.nr;
	k->events = calloc((size_t)k->nr_events + 1, sizeof(*k->events));
	for (i = 0; k->events && i < k->nr_events; i++) {
		text_csv(&k->events[i], events->events.v[i].name, strlen(events->events.v[i].name));
		if (k->events[i].failed)
			return false;
	}
	return k->events != NULL;
}

/* The only event that was asked for when it was recorded; ID_NONE if there are several. */
static u32 only_event(const struct event_set *events)
{
	u32 i, nr = 0, event = ID_NONE;

	for (i = 0; i < events->events.nr; i++) {
		if (events->events.v[i].sideband)
			continue;
		event = i;
		nr++;
	}
	return nr == 1 ? event : ID_NONE;
}

static bool add_column(struct csv *k, const char *name)
{
	const char **slot;
	u32 i;

	for (i = 0; i < k->columns.nr; i++)
		if (!strcmp(k->columns.v[i], name))
			return true;
	slot = vec_push(&k->columns);
	if (slot)
		*slot = name;
	return slot;
}

/* Several events of the name that was asked for may have different ones. */
static int know_fields(struct csv *k, u32 event, struct err *err)
{
	const struct session *s = k->session;
	const struct tp_opts opts = session_tp_opts(s);
	const u32 only = event == ID_NONE && !s->given_as
				 ? only_event(&s->source->recording->events)
				 : event;
	u32 i, n;

	k->fields = calloc((size_t)k->nr_events + 1, sizeof(*k->fields));
	if (!k->fields)
		return err_nomem(err);
	for (i = 0; i < k->nr_events; i++) {
		if (i != only && !(s->given_as && session_wants_event(s, i)))
			continue;
		if (trace_fields_init(&k->fields[i], s->formats[i], &opts, err))
			return -ENOMEM;
		for (n = 0; n < k->fields[i].nr; n++)
			if (!add_column(k, k->fields[i].v[n].field->name))
				return err_nomem(err);
	}
	return 0;
}

int export_csv(struct session *s, u32 event, struct sink **sink, struct err *err)
{
	static const struct sink_ops ops = {.sample = csv_sample, .end = csv_end, .free = csv_free};
	struct csv *k = calloc(1, sizeof(*k));

	if (!k)
		return err_nomem(err);
	*k = (struct csv){
		.sink.ops = &ops,
		.session = s,
		.trace = {.symboliser = s->symboliser,
			  .programs = s->programs,
			  .strings = s->strings},
		.comm_id = ID_NONE,
	};
	*sink = &k->sink;
	if (!know_events(k))
		return err_nomem(err);
	if (know_fields(k, event, err) || call_rows_init(&k->rows, s->symboliser, false, err))
		return -ENOMEM;
	k->rows.source = false; /* it is not written */
	return 0;
}
