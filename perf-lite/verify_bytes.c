// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/cmd_verify.h"

#include <stdlib.h>
#include <string.h>

#include "util/base/text.h"
#include "util/record/rec.h"

/* Rows of less than this part of the file are summed up in one. */
#define SHARE_MIN 500

static void add(struct verify_bytes *v, const char *name, u64 bytes)
{
	struct verify_bytes_row *row;
	u32 i;

	v->all += bytes;
	for (i = 0; i < v->rows.nr; i++) {
		if (!strcmp(v->rows.v[i].name, name)) {
			v->rows.v[i].bytes += bytes;
			return;
		}
	}
	row = vec_push(&v->rows);
	if (row)
		*row = (struct verify_bytes_row){strdup(name), bytes};
	if (row && !row->name)
		v->rows.nr--;
	v->failed |= !row || !row->name;
}

static const struct tp_format *format_of(struct verify_bytes *v, u32 event)
{
	struct tp_format **slot;

	while (v->formats.nr <= event) {
		slot = vec_push(&v->formats);
		if (!slot)
			return NULL;
		*slot = recording_event_format(v->recording, v->formats.nr - 1, NULL);
	}
	return v->formats.v[event];
}

/* What a column of a sample is, as users know it. */
static void put_column_name(struct verify_bytes *v, struct buf *b, const struct columns_column *k)
{
	const char *const names[COLUMN_KINDS] = {
		[COLUMN_TIME] = "time",   [COLUMN_TIME2] = "time again", [COLUMN_CPU] = "cpu",
		[COLUMN_IP] = "ip",       [COLUMN_BLOB] = "text",        [COLUMN_REST] = "rest",
		[COLUMN_CHAIN] = "stack", [COLUMN_OPEN_CHAIN] = "stack",
	};
	const struct tp_format *f = NULL;
	s32 at = k->raw_at;
	u32 i;

	if (names[k->kind]) {
		buf_adds(b, names[k->kind]);
		return;
	}
	if (at >= 0 && k->event < v->recording->events.events.nr)
		f = format_of(v, k->event);
	for (i = 0; f && i < f->nr_fields; i++) {
		if ((u32)at >= f->fields[i].offset &&
		    (u32)at < f->fields[i].offset + f->fields[i].size) {
			text_escape(b, f->fields[i].name, strlen(f->fields[i].name));
			return;
		}
	}
	buf_adds(b, "other fields");
}

static void add_part(void *ctx, enum columns_part part, u64 bytes, const struct columns_column *k)
{
	static const char *const names[COLUMNS_PARTS] = {
		[COLUMNS_PART_FRAME] = "DATA frame",
		[COLUMNS_PART_RUNS] = "DATA runs of CPUs",
		[COLUMNS_PART_CLASSES] = "DATA classes",
		[COLUMNS_PART_ORDER] = "DATA order of records",
		[COLUMNS_PART_KERNEL_CHAIN] = "DATA kernel stacks: branches",
		[COLUMNS_PART_KERNEL_REFERENCES] = "DATA kernel stacks: references",
		[COLUMNS_PART_KERNEL_ADDRESSES] = "DATA kernel stacks: addresses",
		[COLUMNS_PART_USER_CHAIN] = "DATA user stacks: branches",
		[COLUMNS_PART_USER_REFERENCES] = "DATA user stacks: references",
		[COLUMNS_PART_USER_ADDRESSES] = "DATA user stacks: addresses",
		[COLUMNS_PART_BLOBS] = "DATA texts",
	};
	struct verify_bytes *v = ctx;
	const struct event_set *events = &v->recording->events;
	struct buf name = {0};
	const char *type;

	if (part != COLUMNS_PART_COLUMN) {
		add(v, names[part], bytes);
		return;
	}
	type = k->type != PERF_RECORD_SAMPLE ? rec_type_name(k->type) : NULL;
	if (type || k->type != PERF_RECORD_SAMPLE)
		buf_addf(&name, "%s ", type ? type : "other records'");
	else if (k->event < events->events.nr)
		text_escape(&name, events->events.v[k->event].name,
			    strlen(events->events.v[k->event].name));
	if (k->type == PERF_RECORD_SAMPLE)
		buf_adds(&name, k->event < events->events.nr ? ": " : "samples: ");
	put_column_name(v, &name, k);
	v->failed |= name.failed;
	if (!name.failed)
		add(v, buf_str(&name), bytes);
	buf_free(&name);
}

void verify_bytes_add(struct verify_bytes *v, const struct recording *r,
		      struct columns_decoder *decoder, const struct blocks_item *it,
		      const char *type)
{
	u64 all = v->all, bytes = it->bytes;

	v->recording = r;
	if (it->kind == BLOCKS_WHOLE && it->head.type == BLOCK_DATA) {
		columns_account(decoder, it->payload, it->head.stored_size, add_part, v);
		bytes -= MIN(bytes, v->all - all);
		type = "DATA block headers";
	}
	add(v, type, bytes);
}

static int by_bytes(const void *x, const void *y)
{
	const struct verify_bytes_row *a = x, *b = y;

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	return strcmp(a->name, b->name);
}

static void put_row(struct buf *b, u64 size, u64 samples, u64 bytes, const char *name)
{
	buf_addf(b, "%12llu ", (unsigned long long)bytes);
	if (samples)
		buf_addf(b, "%10.3f ", (double)bytes / (double)samples);
	else
		buf_addf(b, "%10s ", "-");
	buf_addf(b, "%5.1f %%  %s\n", 100.0 * (double)bytes / (double)MAX(size, 1u), name);
}

void verify_bytes_put(struct verify_bytes *v, u64 size, u64 samples, struct buf *b)
{
	u64 rest = size - MIN(v->all, size); /* the file header */
	u32 i;

	b->failed |= v->failed;
	if (v->rows.nr)
		qsort(v->rows.v, v->rows.nr, sizeof(*v->rows.v), by_bytes);
	buf_addf(b, "\n%12s %10s %7s  %s\n", "bytes", "a sample", "share", "of the file");
	for (i = 0; i < v->rows.nr; i++) {
		if (v->rows.v[i].bytes < size / SHARE_MIN)
			rest += v->rows.v[i].bytes;
		else
			put_row(b, size, samples, v->rows.v[i].bytes, v->rows.v[i].name);
	}
	if (rest)
		put_row(b, size, samples, rest, "everything else");
}

void verify_bytes_free(struct verify_bytes *v)
{
	u32 i;

	for (i = 0; i < v->rows.nr; i++)
		free(v->rows.v[i].name);
	vec_free(&v->rows);
	for (i = 0; i < v->formats.nr; i++)
		tp_format_free(v->formats.v[i]);
	vec_free(&v->formats);
}
