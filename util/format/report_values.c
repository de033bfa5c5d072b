// SPDX-License-Identifier: GPL-2.0
#include "util/format/report_values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/text.h"

#define FIELD_WIDTH_MAX 64u

/* As perf: N/A where it was not recorded. */
static void put_cgroup(struct report_values *v, const struct session_sample *s)
{
	const char *path;
	size_t len;

	if (!s->sample->cgroup) {
		buf_adds(&v->one, "N/A");
		return;
	}
	path = cgroup_names_find(&v->session->cgroups, s->sample->cgroup, &len);
	if (path)
		text_escape(&v->one, path, len);
	else
		buf_adds(&v->one, "unknown");
}

static void put_namespace(struct report_values *v, const struct session_sample *s)
{
	u32 tid = s->thread ? s->thread->tid : s->sample->ids.tid;
	struct task_namespace ns = task_namespaces_find(&v->session->namespaces, tid);

	buf_addf(&v->one, "%llu/0x%llx", (unsigned long long)ns.dev, (unsigned long long)ns.ino);
}

/* -001: not known */
static void put_socket(struct report_values *v, const struct session_sample *s)
{
	u32 cpu = s->sample->ids.cpu;

	buf_addf(&v->one, "%.3d", cpu < v->cpus.v.nr ? (s32)v->cpus.v.v[cpu].socket : -1);
}

static u32 get(struct report_texts *t, u32 key, const struct session_sample *s)
{
	struct report_values *v =
		(struct report_values *)((char *)t - offsetof(struct report_values, texts));
	u32 at = v->at[(size_t)s->event * v->keys->keys.nr + key];
	struct buf raw = {0};

	buf_clear(&v->one);
	if (v->keys->keys.v[key].kind == REPORT_TRACE) {
		if (trace_text_has(v->text, s)) {
			trace_text_put(v->text, s, &raw);
			text_escape(&v->one, buf_str(&raw), raw.len);
			v->one.failed |= raw.failed;
			buf_free(&raw);
		}
	} else if (v->keys->keys.v[key].kind == REPORT_CGROUP) {
		put_cgroup(v, s);
	} else if (v->keys->keys.v[key].kind == REPORT_CGROUP_ID) {
		put_namespace(v, s);
	} else if (v->keys->keys.v[key].kind == REPORT_SOCKET) {
		put_socket(v, s);
	} else if (report_rare_knows(v->keys->keys.v[key].kind)) {
		if (!report_rare_put(&v->rare, v->keys->keys.v[key].kind, &v->session->symboliser,
				     s, &v->one))
			return ID_NONE;
	} else if (at == ID_NONE || !s->sample->raw) {
		buf_adds(&v->one, "N/A");
	} else {
		trace_fields_text(&v->events[s->event].v[at], v->text, s->sample, &v->one);
	}
	return v->one.failed ? ID_NONE : strtab_add(&v->known, buf_str(&v->one), v->one.len);
}

static const char *text_of(const struct report_texts *t, u32 id)
{
	const struct report_values *v =
		(const struct report_values *)((const char *)t -
					       offsetof(struct report_values, texts));

	return strtab_get(&v->known, id);
}

int report_values_known(struct report_known_fields *f, const struct session *s, struct err *err)
{
	const struct event_set *events = &s->source->recording.events;
	const struct tp_format *format;
	struct report_field *to;
	u32 e, i;

	for (e = 0; e < events->events.nr; e++) {
		format = s->formats[e];
		for (i = 0; format && i < format->nr_fields; i++) {
			if (format->fields[i].is_common)
				continue;
			to = vec_push(f);
			if (!to)
				return err_nomem(err);
			*to = (struct report_field){events->events.v[e].name,
						    format->fields[i].name};
		}
	}
	return 0;
}

static bool is_event(const char *event, const char *name)
{
	const char *colon = strrchr(event, ':');

	return !name || !strcmp(event, name) || (colon && !strcmp(colon + 1, name));
}

int report_values_init(struct report_values *v, struct session *s, const struct report_keys *keys,
		       const struct trace_text *text, struct err *err)
{
	const struct event_set *events = &s->source->recording.events;
	const struct tp_opts opts = session_tp_opts(s);
	const struct report_key *key;
	u32 e, k;

	*v = (struct report_values){
		.texts = {get, text_of},
		.session = s,
		.keys = keys,
		.text = text,
		.nr = events->events.nr,
	};
	if (cpu_places_read(&v->cpus, &s->source->recording, err))
		return -ENOMEM;
	v->events = calloc((size_t)v->nr + 1, sizeof(*v->events));
	v->at = calloc((size_t)v->nr * keys->keys.nr + 1, sizeof(*v->at));
	if (!v->events || !v->at)
		return err_nomem(err);
	for (e = 0; e < v->nr; e++) {
		if (trace_fields_init_shown(&v->events[e], s->formats[e], &opts, err))
			return -ENOMEM;
		for (k = 0; k < keys->keys.nr; k++) {
			key = &keys->keys.v[k];
			v->at[(size_t)e * keys->keys.nr + k] =
				key->kind == REPORT_FIELD &&
						is_event(events->events.v[e].name, key->event)
					? trace_fields_find(&v->events[e], key->name)
					: ID_NONE;
		}
	}
	return 0;
}

bool report_values_has(const struct report_values *v, u32 event, u32 key)
{
	return v->keys->keys.v[key].kind != REPORT_FIELD ||
	       v->at[(size_t)event * v->keys->keys.nr + key] != ID_NONE;
}

u32 report_values_width(const struct report_values *v, u32 event, u32 key)
{
	u32 at = v->at[(size_t)event * v->keys->keys.nr + key];
	const struct tp_field *f;

	if (at == ID_NONE)
		return 0;
	f = v->events[event].v[at].field;
	return MIN(f->is_string ? f->size : f->size * 2 + 2, FIELD_WIDTH_MAX);
}

void report_values_free(struct report_values *v)
{
	u32 e;

	for (e = 0; v->events && e < v->nr; e++)
		trace_fields_free(&v->events[e]);
	free(v->events);
	free(v->at);
	strtab_free(&v->known);
	report_rare_free(&v->rare);
	cpu_places_free(&v->cpus);
	buf_free(&v->one);
	*v = (struct report_values){0};
}
