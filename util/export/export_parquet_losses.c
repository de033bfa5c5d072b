// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/text.h"
#include "util/export/export_internal.h"

int export_parquet_origin_init(struct parquet_origin *o, struct session *s, struct err *err)
{
	*o = (struct parquet_origin){.session = s};
	return time_text_init(&o->time, TIME_FORM_RAW, false, s->source->recording, err);
}

void export_parquet_origin_text(struct parquet_origin *o, struct parquet *file, u32 column, u32 key,
				const char *text)
{
	const size_t len = strlen(text);

	if (text_is_plain(text, len)) {
		parquet_text(file, column, key, text, len);
		return;
	}
	buf_clear(&o->scratch);
	text_escape(&o->scratch, text, len);
	parquet_text(file, column, key, buf_str(&o->scratch), o->scratch.len);
}

void export_parquet_origin_fact(struct parquet_origin *o, struct parquet *file, u32 column,
				const char *fact)
{
	const char *value;

	if (parquet_known(file, column, 0))
		return;
	value = recording_fact(o->session->source->recording, fact);
	if (value)
		export_parquet_origin_text(o, file, column, 0, value);
}

void export_parquet_origin_time(struct parquet_origin *o, struct parquet *file, u32 column,
				u32 offset, u64 time)
{
	const u64 day = time_text_knows_day(&o->time) ? time_text_day(&o->time, time) : 0;

	parquet_number(file, column, day ? day : time);
	if (day && offset != ID_NONE)
		parquet_number(file, offset, day - time);
}

void export_parquet_origin_free(struct parquet_origin *o)
{
	time_text_free(&o->time);
	buf_free(&o->scratch);
}

enum { HOST, BOOT, EVENT, TIME, UNTIL, CLOCK_OFFSET, CPU, COUNT, CAUSE };

static const struct parquet_column columns[] = {
	[HOST] = {"host", .type = PARQUET_TEXT, .optional = true},
	[BOOT] = {"boot", .type = PARQUET_TEXT, .optional = true},
	[EVENT] = {"event", .type = PARQUET_TEXT, .optional = true},
	[TIME] = {"time", .type = PARQUET_TIME, .optional = true},
	[UNTIL] = {"until", .type = PARQUET_TIME, .optional = true},
	[CLOCK_OFFSET] = {"clock_offset", .type = PARQUET_SIGNED64, .optional = true},
	[CPU] = {"cpu", .type = PARQUET_SIGNED32, .optional = true},
	[COUNT] = {"count", .type = PARQUET_UNSIGNED64, .optional = true},
	[CAUSE] = {"cause", .type = PARQUET_TEXT, .optional = true},
};

struct losses_table {
	struct sink sink;
	struct parquet *file;
	struct parquet_origin origin;
	u32 event;
	VEC(struct loss) losses;
};

static void put_loss(struct losses_table *k, const struct loss *l)
{
	const struct event_set *events = &k->origin.session->source->recording->events;
	const char *cause = loss_cause_name(l->cause);
	struct parquet *p = k->file;

	export_parquet_origin_fact(&k->origin, p, HOST, "hostname");
	export_parquet_origin_fact(&k->origin, p, BOOT, "boot_id");
	if (l->event < events->events.nr)
		export_parquet_origin_text(&k->origin, p, EVENT, ID_NONE,
					   events->events.v[l->event].name);
	if (l->from)
		export_parquet_origin_time(&k->origin, p, TIME, CLOCK_OFFSET, l->from);
	if (l->to)
		export_parquet_origin_time(&k->origin, p, UNTIL, l->from ? ID_NONE : CLOCK_OFFSET,
					   l->to);
	if (l->cpu != ID_NONE)
		parquet_number(p, CPU, l->cpu);
	if (l->count)
		parquet_number(p, COUNT, l->count);
	if (cause)
		export_parquet_origin_text(&k->origin, p, CAUSE, l->cause, cause);
}

/* What has no time comes last. */
static int by_begin(const void *a, const void *b)
{
	const struct loss *x = a, *y = b;
	const u64 from = x->from - 1, other = y->from - 1;

	return from < other ? -1 : from > other;
}

/* False when memory is out. */
static bool collect(struct losses_table *k)
{
	const struct session *s = k->origin.session;
	const struct recording *r = s->source->recording;
	const u64 rest = session_lost_unlisted(s);
	struct loss *l;
	u32 i;

	for (i = 0; i < r->losses.nr; i++) {
		if (!session_wants_loss(s, k->event, &r->losses.v[i]))
			continue;
		l = vec_push(&k->losses);
		if (!l)
			return false;
		*l = r->losses.v[i];
	}
	if (k->losses.nr)
		qsort(k->losses.v, k->losses.nr, sizeof(*k->losses.v), by_begin);
	if (!rest)
		return true;
	l = vec_push(&k->losses);
	if (l)
		*l = (struct loss){
			.cause = LOSS_RING, .cpu = ID_NONE, .event = ID_NONE, .count = rest};
	return l;
}

static int losses_sample(struct sink *sink, const struct session_sample *s, struct buf *out,
			 struct err *err)
{
	(void)sink, (void)s, (void)out, (void)err;
	return 0;
}

static int losses_end(struct sink *sink, struct buf *out, struct err *err)
{
	struct losses_table *k = (struct losses_table *)sink;
	u32 i;

	if (!collect(k))
		return err_nomem(err);
	for (i = 0; i < k->losses.nr; i++) {
		put_loss(k, &k->losses.v[i]);
		if (k->origin.scratch.failed)
			return err_nomem(err);
		if (parquet_row(k->file, out, err))
			return -ENOMEM;
	}
	return parquet_end(k->file, out, err);
}

static void losses_free(struct sink *sink)
{
	struct losses_table *k = (struct losses_table *)sink;

	parquet_free(k->file);
	export_parquet_origin_free(&k->origin);
	vec_free(&k->losses);
	free(k);
}

int export_parquet_losses(struct session *s, u32 event, struct sink **sink, struct err *err)
{
	static const struct sink_ops ops = {
		.sample = losses_sample, .end = losses_end, .free = losses_free};
	struct losses_table *k = calloc(1, sizeof(*k));

	if (!k)
		return err_nomem(err);
	*k = (struct losses_table){.sink.ops = &ops, .event = event};
	*sink = &k->sink;
	if (export_parquet_origin_init(&k->origin, s, err))
		return -ENOMEM;
	k->file = parquet_new(columns, ARRAY_SIZE(columns), err);
	return k->file ? 0 : -ENOMEM;
}
