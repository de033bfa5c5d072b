// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/base/text.h"
#include "util/export/export_internal.h"
#include "util/tracepoint/tp_field.h"
#include "util/tracepoint/tp_prog.h"

/* Numbers of a column whose texts are remembered. */
#define KEYS_MAX (1u << 16)

static bool is_taken(const struct parquet_fields *f, const struct parquet_column *taken, u32 nr,
		     const char *name)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (!strcasecmp(taken[i].name, name))
			return true;
	for (i = 0; i < f->columns.nr; i++)
		if (f->columns.v[i].name && !strcasecmp(f->columns.v[i].name, name))
			return true;
	return false;
}

/* NULL when memory is out. */
static const char *name_column(struct parquet_fields *f, const struct parquet_column *taken, u32 nr,
			       const char *field)
{
	const char *name;

	buf_clear(&f->scratch);
	text_escape(&f->scratch, field, strlen(field));
	name = f->scratch.failed ? NULL : arena_strdup(&f->names, buf_str(&f->scratch));
	while (name && is_taken(f, taken, nr, name))
		name = arena_printf(&f->names, "field_%s", name);
	return name;
}

/* ID_NONE when memory is out. */
static u32 find_column(struct parquet_fields *f, const struct parquet_column *taken, u32 nr,
		       const struct trace_field *field)
{
	const enum trace_field_type type = trace_fields_type(field);
	struct parquet_field_column *c;
	const char *name;
	u32 i;

	for (i = 0; i < f->columns.nr; i++) {
		c = &f->columns.v[i];
		if (strcmp(c->field, field->field->name) != 0)
			continue;
		c->type = trace_fields_join(c->type, type);
		return i;
	}
	name = name_column(f, taken, nr, field->field->name);
	c = name ? vec_push(&f->columns) : NULL;
	if (!c)
		return ID_NONE;
	*c = (struct parquet_field_column){field->field->name, name, type, 0};
	return i;
}

static bool is_signed(const struct trace_field *field)
{
	const enum trace_field_type type = trace_fields_type(field);

	return type == TRACE_FIELD_SIGNED32 || type == TRACE_FIELD_SIGNED64;
}

static int add_event(struct parquet_fields *f, struct parquet_event *e,
		     const struct tp_format *format, const struct tp_opts *opts,
		     const struct parquet_column *taken, u32 nr, struct err *err)
{
	u32 i;

	if (trace_fields_init_shown(&e->fields, format, opts, err))
		return -ENOMEM;
	e->v = calloc((size_t)e->fields.nr + 1, sizeof(*e->v));
	for (i = 0; e->v && i < e->fields.nr; i++) {
		e->v[i].column = find_column(f, taken, nr, &e->fields.v[i]);
		if (e->v[i].column == ID_NONE)
			return err_nomem(err);
		e->v[i].is_signed = is_signed(&e->fields.v[i]);
	}
	return e->v ? 0 : err_nomem(err);
}

int export_parquet_fields_init(struct parquet_fields *f, struct session *s,
			       const struct parquet_column *taken, u32 nr, struct err *err)
{
	const struct tp_opts opts = session_tp_opts(s);
	u32 i;

	*f = (struct parquet_fields){
		.text = {.symboliser = s->symboliser,
			 .programs = s->programs,
			 .strings = s->strings},
		.events = calloc((size_t)s->nr_events + 1, sizeof(*f->events)),
	};
	if (!f->events)
		return err_nomem(err);
	f->nr_events = s->nr_events;
	for (i = 0; i < s->nr_events; i++)
		if (session_wants_event(s, i) && s->formats[i] &&
		    add_event(f, &f->events[i], s->formats[i], &opts, taken, nr, err))
			return -ENOMEM;
	return 0;
}

struct parquet_column export_parquet_fields_column(const struct parquet_fields *f, u32 column)
{
	static const enum parquet_type types[] = {
		[TRACE_FIELD_SIGNED32] = PARQUET_SIGNED32,
		[TRACE_FIELD_UNSIGNED32] = PARQUET_UNSIGNED32,
		[TRACE_FIELD_SIGNED64] = PARQUET_SIGNED64,
		[TRACE_FIELD_UNSIGNED64] = PARQUET_UNSIGNED64,
		[TRACE_FIELD_INTEGER] = PARQUET_DECIMAL,
		[TRACE_FIELD_TEXT] = PARQUET_TEXT,
	};
	const struct parquet_field_column *c = &f->columns.v[column];

	return (struct parquet_column){.name = c->name, .type = types[c->type], .optional = true};
}

/* The key of the text that a number has; ID_NONE: it has none. */
static u32 key_of(struct parquet_fields *f, struct parquet_field *p, u64 number)
{
	struct parquet_field_column *c = &f->columns.v[p->column];
	u32 key = hmap_get(&p->keys, number);

	if (key != ID_NONE || c->keys == KEYS_MAX)
		return key;
	return hmap_set(&p->keys, number, c->keys) ? c->keys++ : ID_NONE;
}

static void put_text(struct parquet_fields *f, const struct trace_field *field,
		     struct parquet_field *p, const struct sample *s, struct parquet *file,
		     u32 column)
{
	u32 key = ID_NONE;
	u64 number;

	if (!trace_fields_is_there(field, s))
		return;
	if (field->names && trace_fields_number(field, s, &number))
		key = key_of(f, p, number);
	if (key != ID_NONE && parquet_known(file, column, key))
		return;
	buf_clear(&f->scratch);
	buf_clear(&f->escaped);
	trace_fields_text(field, &f->text, s, &f->scratch);
	text_escape(&f->escaped, buf_str(&f->scratch), f->scratch.len);
	parquet_text(file, column, key, buf_str(&f->escaped), f->escaped.len);
}

static void put_number(const struct parquet_fields *f, const struct parquet_field *p, u64 number,
		       struct parquet *file, u32 column)
{
	if (f->columns.v[p->column].type == TRACE_FIELD_INTEGER)
		parquet_decimal(file, column, number, p->is_signed && (s64)number < 0);
	else
		parquet_number(file, column, number);
}

bool export_parquet_fields_put(struct parquet_fields *f, const struct session_sample *s,
			       struct parquet *file, u32 first)
{
	struct parquet_event *e;
	u64 number;
	u32 i;

	if (s->event >= f->nr_events || !s->sample->raw)
		return true;
	e = &f->events[s->event];
	for (i = 0; i < e->fields.nr; i++) {
		const u32 column = e->v[i].column;

		if (f->columns.v[column].type == TRACE_FIELD_TEXT)
			put_text(f, &e->fields.v[i], &e->v[i], s->sample, file, first + column);
		else if (trace_fields_number(&e->fields.v[i], s->sample, &number))
			put_number(f, &e->v[i], number, file, first + column);
	}
	return !f->scratch.failed && !f->escaped.failed;
}

void export_parquet_fields_free(struct parquet_fields *f)
{
	u32 i, n;

	for (i = 0; i < f->nr_events; i++) {
		for (n = 0; f->events[i].v && n < f->events[i].fields.nr; n++)
			hmap_free(&f->events[i].v[n].keys);
		free(f->events[i].v);
		trace_fields_free(&f->events[i].fields);
	}
	free(f->events);
	vec_free(&f->columns);
	arena_free(&f->names);
	buf_free(&f->scratch);
	buf_free(&f->escaped);
}
