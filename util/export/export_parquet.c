// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/export/export_internal.h"
#include "util/profile/symboliser.h"

enum {
	HOST,
	BOOT,
	EVENT,
	TIME,
	CLOCK_OFFSET,
	CPU,
	PID,
	TID,
	COMM,
	PERIOD,
	IP,
	SYMBOL,
	DSO,
	BUILD_ID,
	STACK,
	STACK_DSO,
	STACK_BUILD_ID,
	NR_COLUMNS, /* fields follow */
};

static const struct parquet_column columns[] = {
	[HOST] = {"host", .type = PARQUET_TEXT, .optional = true},
	[BOOT] = {"boot", .type = PARQUET_TEXT, .optional = true},
	[EVENT] = {"event", .type = PARQUET_TEXT},
	[TIME] = {"time", .type = PARQUET_TIME, .optional = true, .distinct = true},
	[CLOCK_OFFSET] = {"clock_offset", .type = PARQUET_SIGNED64, .optional = true},
	[CPU] = {"cpu", .type = PARQUET_SIGNED32, .optional = true},
	[PID] = {"pid", .type = PARQUET_SIGNED32, .optional = true},
	[TID] = {"tid", .type = PARQUET_SIGNED32, .optional = true},
	[COMM] = {"comm", .type = PARQUET_TEXT, .optional = true},
	[PERIOD] = {"period", .type = PARQUET_UNSIGNED64},
	[IP] = {"ip", .type = PARQUET_UNSIGNED64, .optional = true},
	[SYMBOL] = {"symbol", .type = PARQUET_TEXT, .optional = true},
	[DSO] = {"dso", .type = PARQUET_TEXT, .optional = true},
	[BUILD_ID] = {"build_id", .type = PARQUET_TEXT, .optional = true},
	[STACK] = {"stack", .type = PARQUET_TEXT, .list = true},
	[STACK_DSO] = {"stack_dso", .type = PARQUET_TEXT, .optional = true, .list = true},
	[STACK_BUILD_ID] = {"stack_build_id", .type = PARQUET_TEXT, .optional = true, .list = true},
};

struct samples_table {
	struct sink sink;
	struct session *session;
	struct parquet *file;
	struct parquet_column *columns;
	struct parquet_origin origin;
	struct parquet_fields fields;
	struct call_rows rows;
	struct buf scratch;
};

/* A number that is ID_NONE where it is not known. */
static void put_id(struct samples_table *k, u32 column, u32 id)
{
	if (id != ID_NONE)
		parquet_number(k->file, column, (u64)(s64)(s32)id);
}

static void put_start(struct samples_table *k, const struct session_sample *s)
{
	const struct rec_ids *ids = &s->sample->ids;
	const u32 comm = s->thread ? s->thread->comm : ID_NONE;

	export_parquet_origin_fact(&k->origin, k->file, HOST, "hostname");
	export_parquet_origin_fact(&k->origin, k->file, BOOT, "boot_id");
	if (!parquet_known(k->file, EVENT, s->event))
		export_parquet_origin_text(&k->origin, k->file, EVENT, s->event, s->desc->name);
	if (ids->has & PERF_SAMPLE_TIME)
		export_parquet_origin_time(&k->origin, k->file, TIME, CLOCK_OFFSET, ids->time);
	put_id(k, CPU, ids->cpu);
	put_id(k, PID, ids->pid);
	put_id(k, TID, ids->tid);
	if (ids->tid != ID_NONE && (comm == ID_NONE || !parquet_known(k->file, COMM, comm)))
		parquet_text(k->file, COMM, comm, s->comm, strlen(s->comm));
	parquet_number(k->file, PERIOD, s->sample->period);
}

static void put_dso(struct samples_table *k, u32 column, u32 dso)
{
	if (!parquet_known(k->file, column, dso))
		export_parquet_origin_text(&k->origin, k->file, column, dso,
					   k->session->model.dsos.v[dso].name);
}

/* False: it is not known. */
static bool put_build_id(struct samples_table *k, u32 column, u32 dso)
{
	const struct dso *d = &k->session->model.dsos.v[dso];
	u32 i;

	if (parquet_known(k->file, column, dso))
		return true;
	if (!d->build_id_len)
		return false;
	buf_clear(&k->scratch);
	for (i = 0; i < d->build_id_len; i++)
		buf_hex0(&k->scratch, d->build_id[i], 2);
	parquet_text(k->file, column, dso, buf_str(&k->scratch), k->scratch.len);
	return true;
}

/* False when memory is out. */
static bool put_place(struct samples_table *k, const struct session_sample *s)
{
	const struct frame *f;
	u32 frame;

	if (!(s->sample->ids.has & PERF_SAMPLE_IP) && !s->sample->ip)
		return true;
	frame = symboliser_address(k->session->symboliser, s->thread,
				   s->sample->misc & PERF_RECORD_MISC_CPUMODE_MASK, s->sample->ip);
	if (frame == ID_NONE)
		return false;
	f = &k->session->symboliser->frames.v[frame];
	parquet_number(k->file, IP, f->ip);
	if (f->symbol && !parquet_known(k->file, SYMBOL, frame))
		export_parquet_origin_text(&k->origin, k->file, SYMBOL, frame, f->symbol);
	if (f->dso == ID_NONE)
		return true;
	put_dso(k, DSO, f->dso);
	put_build_id(k, BUILD_ID, f->dso);
	return true;
}

static void put_call(struct samples_table *k, const struct call_function *f)
{
	const struct strtab_entry *name = &k->rows.names.entries[f->name];

	if (!parquet_known(k->file, STACK, f->name))
		parquet_text(k->file, STACK, f->name, name->s, name->len);
	if (f->dso == ID_NONE) {
		parquet_missing(k->file, STACK_DSO);
		parquet_missing(k->file, STACK_BUILD_ID);
		return;
	}
	put_dso(k, STACK_DSO, f->dso);
	if (!put_build_id(k, STACK_BUILD_ID, f->dso))
		parquet_missing(k->file, STACK_BUILD_ID);
}

/* False when memory is out. */
static bool put_stack(struct samples_table *k, const struct session_sample *s)
{
	u32 row = call_rows_get(&k->rows, s);
	struct call_function f;
	struct call_row r;

	if (row == ID_NONE)
		return false;
	parquet_list(k->file, STACK);
	parquet_list(k->file, STACK_DSO);
	parquet_list(k->file, STACK_BUILD_ID);
	for (; row != ID_NONE; row = r.parent) {
		r = call_rows_row(&k->rows, row);
		f = call_rows_function(&k->rows, call_rows_frame(&k->rows, r.frame).function);
		put_call(k, &f);
	}
	return true;
}

static int table_sample(struct sink *sink, const struct session_sample *s, struct buf *out,
			struct err *err)
{
	struct samples_table *k = (struct samples_table *)sink;

	put_start(k, s);
	if (!put_place(k, s) || !put_stack(k, s) ||
	    !export_parquet_fields_put(&k->fields, s, k->file, NR_COLUMNS) || k->scratch.failed ||
	    k->origin.scratch.failed)
		return err_nomem(err);
	return parquet_row(k->file, out, err);
}

static int table_end(struct sink *sink, struct buf *out, struct err *err)
{
	return parquet_end(((struct samples_table *)sink)->file, out, err);
}

static void table_free(struct sink *sink)
{
	struct samples_table *k = (struct samples_table *)sink;

	parquet_free(k->file);
	free(k->columns);
	export_parquet_origin_free(&k->origin);
	export_parquet_fields_free(&k->fields);
	call_rows_free(&k->rows);
	buf_free(&k->scratch);
	free(k);
}

static int make_file(struct samples_table *k, struct err *err)
{
	const u32 nr = k->fields.columns.nr;
	u32 i;

	k->columns = malloc((NR_COLUMNS + (size_t)nr) * sizeof(*k->columns));
	if (!k->columns)
		return err_nomem(err);
	memcpy(k->columns, columns, sizeof(columns));
	for (i = 0; i < nr; i++)
		k->columns[NR_COLUMNS + i] = export_parquet_fields_column(&k->fields, i);
	k->file = parquet_new(k->columns, NR_COLUMNS + nr, err);
	return k->file ? 0 : -ENOMEM;
}

int export_parquet(struct session *s, u32 event, struct sink **sink, struct err *err)
{
	static const struct sink_ops ops = {
		.sample = table_sample, .end = table_end, .free = table_free};
	struct samples_table *k = calloc(1, sizeof(*k));

	(void)event;
	if (!k)
		return err_nomem(err);
	*k = (struct samples_table){.sink.ops = &ops, .session = s};
	*sink = &k->sink;
	if (export_parquet_origin_init(&k->origin, s, err) ||
	    export_parquet_fields_init(&k->fields, s, columns, NR_COLUMNS, err) ||
	    call_rows_init(&k->rows, s->symboliser, false, err))
		return -ENOMEM;
	k->rows.source = false; /* it is not written */
	return make_file(k, err);
}
