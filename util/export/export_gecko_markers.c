// SPDX-License-Identifier: GPL-2.0
#include "util/export/export_internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/json.h"
#include "util/base/text.h"
#include "util/tracepoint/tp_prog.h"

/* Keys of a marker's data that are not its own to name. */
static bool is_taken(const char *name)
{
	static const char *const taken[] = {"type",     "cause",         "cpu", "stack",
					    "category", "innerWindowID", "name"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(taken); i++)
		if (!strcmp(taken[i], name))
			return true;
	return false;
}

void export_gecko_markers_key(const char *field, struct buf *out)
{
	buf_clear(out);
	text_escape(out, field, strlen(field));
	if (is_taken(field))
		buf_addc(out, '_');
}

static void put_text(struct buf *text, struct buf *out)
{
	json_string(out, buf_str(text), text->len);
	out->failed |= text->failed;
}

static const char *event_name(const struct gecko_markers *m, u32 event)
{
	return m->session->source->recording->events.events.v[event].name;
}

bool export_gecko_markers_has(const struct gecko_markers *m, u32 event)
{
	return event < m->nr && m->session->formats[event];
}

void export_gecko_markers_cause(const struct buf *time, u32 stack, struct buf *out)
{
	json_key(out, "cause");
	buf_adds(out, "{\"time\":");
	buf_add(out, buf_str(time), time->len);
	buf_adds(out, ",\"stack\":");
	buf_dec(out, stack, 0);
	buf_addc(out, '}');
}

void export_gecko_markers_put(struct gecko_markers *m, const struct session_sample *s,
			      const struct buf *time, u32 stack, struct buf *out)
{
	const struct trace_fields *fields = &m->events[s->event];
	u32 i;

	buf_add(out, m->heads[s->event].data, m->heads[s->event].len);
	if (s->sample->ids.cpu != ID_NONE)
		json_put_unsigned(out, "cpu", s->sample->ids.cpu);
	for (i = 0; i < fields->nr && s->sample->raw; i++) {
		buf_add(out, fields->v[i].key.data, fields->v[i].key.len);
		buf_clear(&m->scratch);
		trace_fields_text(&fields->v[i], &m->text, s->sample, &m->scratch);
		put_text(&m->scratch, out);
	}
	export_gecko_markers_cause(time, stack, out);
	buf_addc(out, '}');
}

/* Names that may be used in a label's braces. */
static bool is_plain_key(const char *key)
{
	for (; *key; key++)
		if (!isalnum((unsigned char)*key) && *key != '_')
			return false;
	return true;
}

/* "reason: {marker.data.reason}, ...": what the table of markers shows. */
static void put_label(const struct gecko_schema *g, struct buf *key, struct buf *out)
{
	struct buf label = {0};
	const char *name;
	u32 i;

	for (i = 0; i < g->nr; i++) {
		name = g->field(g->arg, i).name;
		if (!is_plain_key(name))
			continue;
		export_gecko_markers_key(name, key);
		buf_addf(&label, "%s%s: {marker.data.%s}", label.len ? ", " : "", name,
			 buf_str(key));
	}
	out->failed |= label.failed;
	if (label.len) {
		json_key(out, "tableLabel");
		put_text(&label, out);
	}
	buf_free(&label);
}

static void put_field(const char *key, size_t key_len, const char *label, const char *format,
		      struct buf *out)
{
	json_open_item(out, '{');
	json_key(out, "key");
	json_string(out, key, key_len);
	json_put_name(out, "label", label);
	json_put_string(out, "format", format);
	buf_addc(out, '}');
}

void export_gecko_markers_schema(const struct gecko_schema *g, struct buf *out)
{
	struct buf key = {0};
	struct gecko_field f;
	u32 i;

	json_open_item(out, '{');
	json_put_string(out, "name", g->name);
	put_label(g, &key, out);
	json_key(out, "display");
	buf_adds(out, "[\"marker-chart\",\"marker-table\",\"timeline-overview\"]");
	json_put_open(out, "fields", '[');
	put_field("cpu", 3, "CPU", "integer", out);
	for (i = 0; i < g->nr; i++) {
		f = g->field(g->arg, i);
		export_gecko_markers_key(f.name, &key);
		put_field(buf_str(&key), key.len, f.name, f.format, out);
	}
	buf_adds(out, "]}");
	out->failed |= key.failed;
	buf_free(&key);
}

/* Names of fields. */
struct schema_fields {
	const char **v;
	u32 nr, cap;
};

static struct gecko_field field_of(const void *arg, u32 i)
{
	const struct schema_fields *fields = arg;

	return (struct gecko_field){fields->v[i], "string"};
}

/* False when memory is out. */
static bool add_fields(struct schema_fields *to, const struct trace_fields *fields)
{
	u32 i, k, before = to->nr;
	const char **slot;

	for (i = 0; i < fields->nr; i++) {
		for (k = 0; k < before && strcmp(to->v[k], fields->v[i].field->name);)
			k++;
		if (k < before)
			continue;
		slot = vec_push(to);
		if (!slot)
			return false;
		*slot = fields->v[i].field->name;
	}
	return true;
}

/* There is one schema for a name: it has what any event of that name has. */
static void put_schema_from(const struct gecko_markers *m, u32 first, struct buf *out)
{
	struct schema_fields fields = {0};
	struct gecko_schema g = {.name = event_name(m, first), .field = field_of, .arg = &fields};
	u32 i;

	for (i = first; i < m->nr; i++)
		if (!strcmp(event_name(m, i), g.name) && !add_fields(&fields, &m->events[i]))
			out->failed = true;
	g.nr = fields.nr;
	export_gecko_markers_schema(&g, out);
	vec_free(&fields);
}

static bool is_first_of_name(const struct gecko_markers *m, u32 event)
{
	u32 i;

	for (i = 0; i < event; i++)
		if (export_gecko_markers_has(m, i) &&
		    !strcmp(event_name(m, i), event_name(m, event)))
			return false;
	return true;
}

void export_gecko_markers_schemas(struct gecko_markers *m, struct buf *out)
{
	u32 i;

	for (i = 0; i < m->nr; i++)
		if (export_gecko_markers_has(m, i) && is_first_of_name(m, i))
			put_schema_from(m, i, out);
}

/* Keys as they are written in the data, where something is before each of them. */
static bool make_keys(struct gecko_markers *m, struct trace_fields *fields)
{
	bool ok = true;
	u32 i;

	for (i = 0; i < fields->nr; i++) {
		export_gecko_markers_key(fields->v[i].field->name, &m->scratch);
		buf_clear(&fields->v[i].key);
		buf_addc(&fields->v[i].key, ',');
		json_string(&fields->v[i].key, buf_str(&m->scratch), m->scratch.len);
		buf_addc(&fields->v[i].key, ':');
		ok = ok && !fields->v[i].key.failed && !m->scratch.failed;
	}
	return ok;
}

int export_gecko_markers_init(struct gecko_markers *m, struct session *s, struct err *err)
{
	const struct event_set *events = &s->source->recording->events;
	const struct tp_opts opts = session_tp_opts(s);
	u32 i;

	*m = (struct gecko_markers){.session = s,
				    .text = {.symboliser = s->symboliser,
					     .programs = s->programs,
					     .strings = s->strings}};
	m->events = calloc((size_t)events->events.nr + 1, sizeof(*m->events));
	m->heads = calloc((size_t)events->events.nr + 1, sizeof(*m->heads));
	if (!m->events || !m->heads)
		return err_nomem(err);
	m->nr = events->events.nr;
	for (i = 0; i < m->nr; i++) {
		if (trace_fields_init(&m->events[i], s->formats[i], &opts, err))
			return err_nomem(err);
		json_open(&m->heads[i], '{');
		json_key(&m->heads[i], "type");
		json_string(&m->heads[i], event_name(m, i), strlen(event_name(m, i)));
		if (m->heads[i].failed || !make_keys(m, &m->events[i]))
			return err_nomem(err);
	}
	return 0;
}

void export_gecko_markers_free(struct gecko_markers *m)
{
	u32 i;

	for (i = 0; i < m->nr; i++) {
		trace_fields_free(&m->events[i]);
		buf_free(&m->heads[i]);
	}
	free(m->events);
	free(m->heads);
	buf_free(&m->scratch);
}
